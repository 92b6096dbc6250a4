"""swarmbed: deep reinforcement learning of robot swarms with mean embeddings."""

__version__ = "0.1.0"
