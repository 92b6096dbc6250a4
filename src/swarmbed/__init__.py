"""swarmbed: deep reinforcement learning of robot swarms with mean embeddings."""

__version__ = "0.1.0"

from swarmbed.errors import SwarmbedError
from swarmbed.evaluate import Evaluation, evaluate
from swarmbed.policy import Policy
from swarmbed.tasks import make_task
from swarmbed.train import TrainingResult, train
from swarmbed.who import load_policy

__all__ = [
    "Evaluation",
    "Policy",
    "SwarmbedError",
    "TrainingResult",
    "evaluate",
    "load_policy",
    "make_task",
    "train",
]
