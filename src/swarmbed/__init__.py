"""swarmbed: deep reinforcement learning of robot swarms with mean embeddings."""

from swarmbed.errors import SwarmbedError
from swarmbed.tasks import make_task
from swarmbed.train import TrainingResult, train
from swarmbed.who import load_policy

__version__ = "0.1.0"
__all__ = ["SwarmbedError", "TrainingResult", "load_policy", "make_task", "train"]
