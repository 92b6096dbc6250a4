"""Learning: rollouts, batches of experience, the critic, one training iteration."""
