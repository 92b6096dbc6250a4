"""What a claim reads of each run: one number per training, larger or smaller being better."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from swarmbed.study.claim_source import BySeed, Source
from swarmbed.study.events import SOON, soon_share
from swarmbed.study.experiments.base import Training
from swarmbed.study.looks import Count
from swarmbed.study.store import TAIL, score
from swarmbed.tasks import make
from swarmbed.tasks.metric import Metric


@dataclass(frozen=True)
class Reading(ABC):
    """One number of every run of a training."""

    training: Training

    @property
    def higher_is_better(self) -> bool:
        return True

    @property
    def who(self) -> str:
        return self.training.label

    @property
    @abstractmethod
    def what(self) -> str:
        """The number in words."""

    @abstractmethod
    def values(self, source: Source) -> BySeed:
        """By seed, of the runs that have it."""

    @property
    def evaluated_in(self) -> str:
        """The experiment whose evaluation it is read from; empty where it is known as soon as a run ends."""
        return ""

    def count(self, source: Source) -> Count:
        name, label = self.training.name, self.training.label
        planned, trained = source.planned(self.training), len(source.runs(self.training))
        return Count(name, label, len(self.values(source)), planned, trained, self.evaluated_in)


@dataclass(frozen=True)
class FinalReturn(Reading):
    """Mean return of a run's last iterations."""

    what = "final return"

    def values(self, source: Source) -> BySeed:
        return {seed: score(rows) for seed, rows in source.runs(self.training).items()}


@dataclass(frozen=True)
class WholeCurve(Reading):
    """Mean return over all iterations, the area under the learning curve: larger for a method that learns faster."""

    what = "return over the whole curve"

    def values(self, source: Source) -> BySeed:
        runs = source.runs(self.training)
        return {seed: float(np.nanmean([row["mean_return"] for row in rows])) for seed, rows in runs.items()}


@dataclass(frozen=True)
class ReturnAt(Reading):
    """Mean return of the iterations up to a given one, to compare runs of different length."""

    iteration: int

    @property
    def what(self) -> str:
        return f"return at iteration {self.iteration}"

    def values(self, source: Source) -> BySeed:
        runs = source.runs(self.training)
        return {seed: score(rows[self.iteration - TAIL : self.iteration]) for seed, rows in runs.items()}


@dataclass(frozen=True)
class Reached(Reading):
    """What the run's greedy policy reaches at a step with a size of swarm: the first metric that the task declares."""

    contest: str  # the experiment that evaluates it
    agents: int
    step: int

    @property
    def evaluated_in(self) -> str:
        return self.contest

    @property
    def who(self) -> str:
        return f"{self.training.label} at {self.agents}"

    @property
    def what(self) -> str:
        metric = make(self.training.variant).headline
        return metric.label_at(self.step) if metric is not None else f"step {self.step}"

    @property
    def higher_is_better(self) -> bool:
        metric = make(self.training.variant).headline
        return metric is None or metric.better != "lower"

    def values(self, source: Source) -> BySeed:
        return source.reached(self.contest, self.training, self.agents, self.step)

    def of_controller(self, source: Source, label: str) -> float | None:
        """The same number of a controller in the contest."""
        return source.controller_reached(self.contest, label, self.agents, self.step)


@dataclass(frozen=True)
class Returned(Reading):
    """Mean return of the run's greedy policy in a contest, with a size of swarm."""

    contest: str  # the experiment that evaluates it
    agents: int

    what = "return of an episode"

    @property
    def evaluated_in(self) -> str:
        return self.contest

    @property
    def who(self) -> str:
        return f"{self.training.label} at {self.agents}"

    def values(self, source: Source) -> BySeed:
        return source.returned(self.contest, self.training, self.agents)

    def of_controller(self, source: Source, label: str) -> float | None:
        """The same number of a controller in the contest."""
        return source.controller_returned(self.contest, label, self.agents)


@dataclass(frozen=True)
class Succeeds(Reached):
    """Whether the run's greedy policy reaches at least so much there: 1 or 0."""

    least: float = 0.95

    @property
    def what(self) -> str:
        return f"trials with {super().what} at least {self.least:g}"

    @property
    def higher_is_better(self) -> bool:
        return True

    def values(self, source: Source) -> BySeed:
        return {seed: float(value >= self.least) for seed, value in super().values(source).items()}


@dataclass(frozen=True)
class Found(Reading):
    """Whether the run's greedy policy brings the task's event about soon in at least half of its episodes: 1 or 0."""

    measured_in: str  # the experiment whose numbers hold it

    @property
    def evaluated_in(self) -> str:
        return self.measured_in

    @property
    def what(self) -> str:
        return f"trials with {self._event.label_at(SOON)} in at least half of the episodes"

    @property
    def _event(self) -> Metric:
        return next(metric for metric in make(self.training.variant).metrics if metric.kind == "event")

    def values(self, source: Source) -> BySeed:
        measured = source.numbers(self.measured_in).get(self.training.name, {})
        shares, returns = measured.get(soon_share(self._event), {}), measured.get("final_return", {})
        # A share that was measured on another run than the current one says nothing about it.
        known = [s for s, rows in source.runs(self.training).items() if returns.get(str(s)) == score(rows)]
        return {seed: float(shares[str(seed)] >= 0.5) for seed in known if str(seed) in shares}
