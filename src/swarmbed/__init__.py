"""swarmbed: deep reinforcement learning of robot swarms with mean embeddings.

What is exported here is the public interface; everything else is private and may change. Names are loaded on first use,
which keeps ``import swarmbed`` and ``swarmbed --help`` fast.
"""

import importlib
import sys
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

_EXPORTS = {
    "swarmbed.algorithms.base": ("Algorithm", "Batch", "PolicyParams", "ThroughTheSwarm", "Update"),
    "swarmbed.controllers.base": ("Controller",),
    "swarmbed.draw.render": ("render",),
    "swarmbed.embeddings.base": ("Embedding",),
    "swarmbed.evaluation.compare": ("compare",),
    "swarmbed.evaluation.comparison": ("Comparison",),
    "swarmbed.evaluation.evaluate": ("Evaluation", "evaluate"),
    "swarmbed.evaluation.stress": ("stress",),
    "swarmbed.evaluation.stress_card": ("StressCard",),
    "swarmbed.evaluation.transfer": ("transfer",),
    "swarmbed.evaluation.transfer_matrix": ("TransferMatrix",),
    "swarmbed.learn.learner": ("BatchSettings", "Learner"),
    "swarmbed.networks.base": ("Network", "PlainNetwork"),
    "swarmbed.policy.find": ("load_policy",),
    "swarmbed.policy.policy": ("Policy",),
    "swarmbed.run.result": ("TrainingResult", "TrainingResults"),
    "swarmbed.run.train": ("train",),
    "swarmbed.sim.unicycle": ("Agents",),
    "swarmbed.spec.errors": ("SwarmbedError",),
    "swarmbed.spec.observation": ("Observation", "ObservedSet"),
    "swarmbed.spec.registry": ("register",),
    "swarmbed.spec.settings": ("setting",),
    "swarmbed.tasks": ("make", "make_task"),
    "swarmbed.tasks.auto_reset": ("auto_reset",),
    "swarmbed.tasks.base": ("Task",),
    "swarmbed.tasks.evasion": ("EvasionTask",),
    "swarmbed.tasks.metric": ("Goal", "Metric"),
    "swarmbed.tasks.state": ("State",),
    "swarmbed.tasks.swarm": ("Sensed", "SwarmTask"),
}
_WHERE = {name: module for module, names in _EXPORTS.items() for name in names}
__all__ = sorted(_WHERE)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        # With both, Python adds the name that was probably meant.
        raise AttributeError(f"module 'swarmbed' has no attribute {name!r}", name=name, obj=sys.modules[__name__])
    return getattr(importlib.import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


if TYPE_CHECKING:  # the same names, for type checkers and editors
    from swarmbed.algorithms.base import Algorithm as Algorithm
    from swarmbed.algorithms.base import Batch as Batch
    from swarmbed.algorithms.base import PolicyParams as PolicyParams
    from swarmbed.algorithms.base import ThroughTheSwarm as ThroughTheSwarm
    from swarmbed.algorithms.base import Update as Update
    from swarmbed.controllers.base import Controller as Controller
    from swarmbed.draw.render import render as render
    from swarmbed.embeddings.base import Embedding as Embedding
    from swarmbed.evaluation.compare import compare as compare
    from swarmbed.evaluation.comparison import Comparison as Comparison
    from swarmbed.evaluation.evaluate import Evaluation as Evaluation
    from swarmbed.evaluation.evaluate import evaluate as evaluate
    from swarmbed.evaluation.stress import stress as stress
    from swarmbed.evaluation.stress_card import StressCard as StressCard
    from swarmbed.evaluation.transfer import transfer as transfer
    from swarmbed.evaluation.transfer_matrix import TransferMatrix as TransferMatrix
    from swarmbed.learn.learner import BatchSettings as BatchSettings
    from swarmbed.learn.learner import Learner as Learner
    from swarmbed.networks.base import Network as Network
    from swarmbed.networks.base import PlainNetwork as PlainNetwork
    from swarmbed.policy.find import load_policy as load_policy
    from swarmbed.policy.policy import Policy as Policy
    from swarmbed.run.result import TrainingResult as TrainingResult
    from swarmbed.run.result import TrainingResults as TrainingResults
    from swarmbed.run.train import train as train
    from swarmbed.sim.unicycle import Agents as Agents
    from swarmbed.spec.errors import SwarmbedError as SwarmbedError
    from swarmbed.spec.observation import Observation as Observation
    from swarmbed.spec.observation import ObservedSet as ObservedSet
    from swarmbed.spec.registry import register as register
    from swarmbed.spec.settings import setting as setting
    from swarmbed.tasks import make as make
    from swarmbed.tasks import make_task as make_task
    from swarmbed.tasks.auto_reset import auto_reset as auto_reset
    from swarmbed.tasks.base import Task as Task
    from swarmbed.tasks.evasion import EvasionTask as EvasionTask
    from swarmbed.tasks.metric import Goal as Goal
    from swarmbed.tasks.metric import Metric as Metric
    from swarmbed.tasks.state import State as State
    from swarmbed.tasks.swarm import Sensed as Sensed
    from swarmbed.tasks.swarm import SwarmTask as SwarmTask
