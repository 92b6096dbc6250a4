"""Statements about what is measured beside training: controllers, times, sizes."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from swarmbed.study.claim_kinds import with_enough
from swarmbed.study.claim_source import Source
from swarmbed.study.claims import Statement
from swarmbed.study.inference import Effect, Evidence, mean_above
from swarmbed.study.looks import Count
from swarmbed.tasks import make
from swarmbed.tasks.metric import Metric


@dataclass(frozen=True)
class ControllerWithin(Statement):
    """A controller's metric at a step lies below a bound. It is not trained, so its interval is over episodes."""

    contest: str
    variant: str
    controller: str  # its label in the contest
    agents: int
    step: int
    below: float

    @property
    def words(self) -> str:
        return f"{self._metric.label_at(self.step)}: {self.controller} at {self.agents} below {self.below:g}"

    @property
    def _metric(self) -> Metric:
        metric = make(self.variant).headline
        assert metric is not None, "a contest's task measures something"
        return metric

    def counts(self, source: Source) -> list[Count]:
        return []

    def evidence(self, source: Source) -> Evidence | None:
        standing = source.standing(self.contest, self.controller, self.agents)
        curve = self._metric.curve
        if curve not in standing:
            return None
        value = standing[curve][self.step]
        low, high = (bound[self.step] for bound in standing[f"{curve}_ci"])
        effect = Effect(self.controller, value, low, high)
        return Evidence((effect,), float(high >= self.below), float(low <= self.below))


@dataclass(frozen=True)
class Stated(Statement):
    """Something in its own words about what is measured in a file; no trainings are counted unless it says so."""

    stated: str
    measured_in: str

    @property
    def words(self) -> str:
        return self.stated

    def counts(self, source: Source) -> list[Count]:
        return []


@dataclass(frozen=True)
class Measured(Stated):
    """Numbers that one measurement gave, with no training behind them, all lie within bounds."""

    pick: Callable[[dict[str, Any]], dict[str, float]]
    above: float
    below: float

    def evidence(self, source: Source) -> Evidence | None:
        numbers = source.numbers(self.measured_in)
        if not numbers:
            return None
        picked = self.pick(numbers)
        inside = all(self.above < value < self.below for value in picked.values())
        return Evidence(tuple(Effect(label, value) for label, value in picked.items()), 1.0 - inside, float(inside))


@dataclass(frozen=True)
class EveryRun(Stated):
    """The mean, over every run that the study plans, of a number that is measured of each lies above a bound.

    A run whose number is NaN was not recorded and never will be: the plan is without it.
    """

    pick: Callable[[dict[str, Any]], Mapping[str, float]]  # by the name of the run
    above: float

    def counts(self, source: Source) -> list[Count]:
        """All runs together: whichever comes next, the claim can be tested again."""
        picked = self._picked(source)
        planned = {run: done for run, done in source.study_runs.items() if not math.isnan(picked.get(run, 0.0))}
        read, trained = len(self._values(source)), sum(planned.values())
        return [Count("the study", "the study", read, len(planned), trained)]

    def evidence(self, source: Source) -> Evidence | None:
        values = self._values(source)
        return with_enough(len(values), lambda: mean_above(values, self.above, f"mean of {len(values)} runs"))

    def _values(self, source: Source) -> list[float]:
        picked = self._picked(source)
        known = [picked.get(run, math.nan) for run, trained in source.study_runs.items() if trained]
        return [value for value in known if not math.isnan(value)]

    def _picked(self, source: Source) -> Mapping[str, float]:
        return self.pick(source.numbers(self.measured_in))
