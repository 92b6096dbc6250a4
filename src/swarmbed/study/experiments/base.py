"""What an experiment is: runs to train, policies to evaluate, something to draw, and findings to check."""

from dataclasses import dataclass
from typing import Any

from swarmbed.learn.learner import Learner
from swarmbed.run.train import learner_from
from swarmbed.spec.config import Config, merged
from swarmbed.spec.presets import preset

# The least number of iterations that counts, per task variant.
ITERATIONS = {
    "rendezvous-global": 120,
    "rendezvous-local": 120,
    "pursuit-global": 150,
    "pursuit-local": 150,
    "multi-pursuit": 100,
}
# One preset per task, the same for all methods; docs/results.md says what made the difference.
PRESETS = {"pursuit-global": "calm", "pursuit-local": "calm"}


@dataclass(frozen=True)
class Training:
    """One method on one task: a learning curve per seed. Experiments that need the same one share it."""

    variant: str
    method: str
    label: str
    observation: str
    embedding: dict[str, Any]
    iterations: int
    preset: str | None = None

    @property
    def name(self) -> str:
        """Also the name under which its best policy is shipped."""
        return f"{self.variant}-{self.method}"

    @property
    def config(self) -> Config:
        """Every setting that differs from the defaults."""
        own: Config = {
            "task": {"name": self.variant, "observation": self.observation},
            "embedding": self.embedding,
        }
        return merged(preset(self.preset) if self.preset else {}, own)

    @property
    def learner(self) -> Learner:
        return learner_from(self.config)


def training(
    variant: str,
    method: str,
    label: str,
    observation: str,
    embedding: str = "neural",
    *,
    settings: dict[str, Any] | None = None,
    iterations: int | None = None,
    preset_name: str | None = None,
) -> Training:
    """A training with the task's usual number of iterations and preset."""
    return Training(
        variant,
        method,
        label,
        observation,
        {"name": embedding, **(settings or {})},
        iterations or ITERATIONS[variant],
        preset_name if preset_name is not None else PRESETS.get(variant),
    )


@dataclass(frozen=True)
class Contest:
    """An evaluation from equal starts: trained policies and classical controllers at several swarm sizes."""

    variant: str
    trainings: tuple[Training, ...]
    controllers: tuple[tuple[str, str], ...]
    agents: tuple[int, ...]
    horizon: int | None = None  # steps per episode; the task's own if None


@dataclass(frozen=True)
class Experiment:
    """One row of the paper's study."""

    name: str
    title: str
    findings: tuple[str, ...]  # what the paper says of it
    trainings: tuple[Training, ...] = ()
    seeds: int = 1
    more_seeds: tuple[tuple[str, int], ...] = ()  # for the trainings on one variant
    curve: str | None = None
    log: bool = False
    contest: Contest | None = None
    trace: tuple[Training, int] | None = None
    measure: str | None = None


NN_COMM = ("nn-comm", "NN++", "comm")
NN_EXTENDED = ("nn-extended", "NN+", "extended")
NN_BASIC = ("nn-basic", "NN", "basic")
RBF = ("rbf-basic", "RBF", "basic", "rbf")
HISTOGRAM = ("histogram-basic", "HIST", "basic", "histogram")
CONCATENATION = ("concatenation-extended", "CONCAT+", "extended", "concatenation")
