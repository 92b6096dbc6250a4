"""swarmbed: deep reinforcement learning of robot swarms with mean embeddings."""

__version__ = "0.1.0"

from swarmbed.evaluation.evaluate import Evaluation, evaluate
from swarmbed.policy.find import load_policy
from swarmbed.policy.policy import Policy
from swarmbed.run.train import TrainingResult, train
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks import make_task

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
