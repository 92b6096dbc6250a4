"""A training run: its loop, its folder, its checkpoints, what it shows."""
