"""What an experiment is: runs to train, policies to evaluate, something to draw, and claims to test."""

from dataclasses import dataclass, replace
from typing import Any

from swarmbed.learn.learner import Learner
from swarmbed.run.train import learner_from
from swarmbed.spec.config import Config, merged
from swarmbed.spec.presets import RECIPE, preset
from swarmbed.study.claims import Claim

# The least number of iterations that counts, per task variant.
ITERATIONS = {
    "rendezvous-global": 120,
    "rendezvous-local": 120,
    "pursuit-global": 150,
    "pursuit-local": 150,
    "multi-pursuit": 100,
}
AUTHORS_ITERATIONS = 488  # ten million environment steps


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
        """The name of its folder of runs."""
        return f"{self.variant}-{self.method}"

    @property
    def config(self) -> Config:
        """Every setting that differs from the defaults."""
        own: Config = {
            "task": {"name": self.variant, "observation": self.observation},
            "embedding": self.embedding,
        }
        return merged(preset(self.preset, self.variant) if self.preset else {}, own)

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
) -> Training:
    """A training with the paper's settings and the task's usual number of iterations."""
    return Training(
        variant,
        method,
        label,
        observation,
        {"name": embedding, **(settings or {})},
        iterations or ITERATIONS[variant],
    )


def calm(training: Training) -> Training:
    """The same with less exploration noise at the start: beside the paper's settings, never in their place."""
    return replace(training, method=f"{training.method}-calm", label=f"{training.label} (calm)", preset="calm")


def longer(training: Training) -> Training:
    """The same for as many iterations as the authors' script does."""
    return replace(training, method=f"{training.method}-{AUTHORS_ITERATIONS}", iterations=AUTHORS_ITERATIONS)


def recipe(variant: str) -> Training:
    """The task's recipe: what we recommend, beside the paper's settings, never in their place."""
    settings = preset(RECIPE, variant)
    observation = settings.get("task", {}).get("observation", "extended")
    iterations = settings["run"]["iterations"]
    return Training(variant, "recipe", "recipe", observation, {"name": "neural"}, iterations, RECIPE)


RECIPE_EPISODES = 1000  # of every run of a recipe: what it reaches is a number to rely on


def few(variant: str) -> Training:
    """The recipe for swarms of few agents."""
    return Training(variant, "few", "few", "extended", {"name": "neural"}, preset("few")["run"]["iterations"], "few")


@dataclass(frozen=True)
class Contest:
    """An evaluation from equal starts: trained policies and classical controllers at several swarm sizes."""

    variant: str
    trainings: tuple[Training, ...]
    controllers: tuple[tuple[str, str], ...]
    agents: tuple[int, ...]
    horizon: int | None = None  # steps per episode; the task's own if None
    episodes: int = 200  # of every run: runs differ by more than a run's episodes, so few suffice to compare methods


@dataclass(frozen=True)
class Experiment:
    """One row of the paper's study."""

    name: str
    title: str
    claims: tuple[Claim, ...]  # what the paper says of it, and how that is tested
    trainings: tuple[Training, ...] = ()
    seeds: int = 5
    more_seeds: tuple[tuple[str, int], ...] = ()  # for single trainings, by name
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
