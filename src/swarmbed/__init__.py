"""swarmbed: deep reinforcement learning of robot swarms with mean embeddings."""

from swarmbed.errors import SwarmbedError
from swarmbed.tasks import make_task

__version__ = "0.1.0"
__all__ = ["SwarmbedError", "make_task"]
