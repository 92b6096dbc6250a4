"""The kinds of statement about trained methods that claims are made of; measured_kinds.py has the others."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from swarmbed.study.claim_source import Source
from swarmbed.study.claims import Statement, Tested
from swarmbed.study.inference import (
    Evidence,
    all_of,
    beats,
    beats_run_by_run,
    mean_above,
    share_above,
    share_higher,
)
from swarmbed.study.looks import LEAST_RUNS, Count
from swarmbed.study.readings import Found, Reached, Reading, Returned, Succeeds


@dataclass(frozen=True)
class Better(Statement):
    """A run of one method is likely to have a better number than a run of another, by a share of the other's size.

    A negative share allows ours to be worse by so much. Two numbers of the same training (two sizes of swarm, say)
    are compared run by run. improvement.py says when it holds and when it fails.
    """

    ours: Reading
    theirs: Reading
    share: float = 0.0

    @property
    def words(self) -> str:
        what, theirs = self.ours.what, self.theirs.who
        if self.theirs.what != what:
            theirs = f"{theirs} ({self.theirs.what})"
        margin = f", by at least {100 * self.share:.0f} %" if self.share > 0 else ""
        margin = f", or worse by at most {-100 * self.share:.0f} %" if self.share < 0 else margin
        return f"{what}{margin}: {self.ours.who} better than {theirs}"

    @property
    def _is_paired(self) -> bool:
        return self.ours.training == self.theirs.training

    def counts(self, source: Source) -> list[Count]:
        counts = [self.ours.count(source), self.theirs.count(source)]
        return [min(counts, key=lambda count: count.runs)] if self._is_paired else counts

    def evidence(self, source: Source) -> Evidence | None:
        ours, theirs = self.ours.values(source), self.theirs.values(source)
        if self._is_paired:
            seeds = sorted(ours.keys() & theirs.keys())
            ours, theirs = ({seed: values[seed] for seed in seeds} for values in (ours, theirs))
        sign = 1.0 if self.ours.higher_is_better else -1.0
        first, second = _oriented(ours.values(), theirs.values(), sign)
        # A run in which no episode ended has −∞: whatever the share, everything beats it.
        to_beat = [value + self.share * abs(value) if math.isfinite(value) else value for value in second]
        test = beats_run_by_run if self._is_paired else beats
        return with_enough(min(len(first), len(second)), lambda: test(first, to_beat, self._label(first, second)))

    def _label(self, ours: list[float], theirs: list[float]) -> str:
        """``A beats B by 10 % (on average better by 1.2)``: the number behind it is how likely."""
        margin = f" by {100 * self.share:.0f} %" if self.share > 0 else ""
        margin = f" less {-100 * self.share:.0f} %" if self.share < 0 else margin
        difference = sum(ours) / len(ours) - sum(theirs) / len(theirs)
        average = f" (on average {'better' if difference >= 0 else 'worse'} by {abs(difference):.3g})"
        return f"{self.ours.who} beats {self.theirs.who}{margin}{average if math.isfinite(difference) else ''}"


@dataclass(frozen=True)
class BetterThanController(Statement):
    """A method's runs are better than a controller, which is not trained and has one number."""

    ours: Reached | Returned
    controller: str  # its label in the contest

    @property
    def words(self) -> str:
        return f"{self.ours.what}: {self.ours.who} better than {self.controller}"

    def counts(self, source: Source) -> list[Count]:
        return [self.ours.count(source)]

    def evidence(self, source: Source) -> Evidence | None:
        ours = self.ours.values(source).values()
        theirs = self.ours.of_controller(source, self.controller)
        if theirs is None:
            return None
        first, (second,) = _oriented(ours, [theirs], 1.0 if self.ours.higher_is_better else -1.0)
        gains = [mine - second for mine in first]
        return with_enough(len(gains), lambda: mean_above(gains, 0.0, f"{self.ours.who} over {self.controller}"))


@dataclass(frozen=True)
class Within(Statement):
    """The mean over runs lies above, below or between bounds."""

    reading: Reading
    above: float | None = None
    below: float | None = None

    @property
    def words(self) -> str:
        bounds = [f"above {self.above:g}"] if self.above is not None else []
        bounds += [f"below {self.below:g}"] if self.below is not None else []
        return f"{self.reading.what}: {self.reading.who} {' and '.join(bounds)}"

    def counts(self, source: Source) -> list[Count]:
        return [self.reading.count(source)]

    def evidence(self, source: Source) -> Evidence | None:
        values = list(self.reading.values(source).values())
        return with_enough(len(values), lambda: self._inside(values))

    def _inside(self, values: list[float]) -> Evidence:
        parts = [mean_above(values, self.above, self.reading.who)] if self.above is not None else []
        if self.below is not None:
            above = mean_above(values, self.below, self.reading.who)
            parts.append(Evidence(above.effects, above.p_fails, above.p_holds))  # below is not above
        both = all_of(parts)
        return both._replace(effects=both.effects[:1])


@dataclass(frozen=True)
class FoundIn(Statement):
    """A method finds the event in more than a share of its trials."""

    reading: Found | Succeeds
    share: float

    @property
    def words(self) -> str:
        return f"{self.reading.what}, more than {100 * self.share:.0f} %: {self.reading.who}"

    def counts(self, source: Source) -> list[Count]:
        return [self.reading.count(source)]

    def evidence(self, source: Source) -> Evidence | None:
        found = list(self.reading.values(source).values())
        test = lambda: share_above(int(sum(found)), len(found), self.share, self.reading.who)  # noqa: E731
        return with_enough(len(found), test)


@dataclass(frozen=True)
class CanFind(Statement):
    """A method can find the event: one trial that does shows it. It fails where many that do not show that fewer than a
    share of its trials would."""

    reading: Found | Succeeds
    share: float

    @property
    def words(self) -> str:
        return f"{self.reading.what}, at least one (it fails below {100 * self.share:.0f} %): {self.reading.who}"

    def counts(self, source: Source) -> list[Count]:
        return [self.reading.count(source)]

    def evidence(self, source: Source) -> Evidence | None:
        found = list(self.reading.values(source).values())
        return with_enough(len(found), lambda: self._shown(int(sum(found)), len(found)))

    def _shown(self, found: int, trials: int) -> Evidence:
        below = share_above(found, trials, self.share, self.reading.who)
        return below._replace(p_holds=0.0, p_fails=1.0, is_proved=True) if found else below._replace(p_holds=1.0)


@dataclass(frozen=True)
class FoundMore(Statement):
    """A method finds the event in a larger share of its trials than another."""

    ours: Found | Succeeds
    theirs: Found | Succeeds

    @property
    def words(self) -> str:
        return f"{self.ours.what}: {self.ours.who} more often than {self.theirs.who}"

    def counts(self, source: Source) -> list[Count]:
        return [self.ours.count(source), self.theirs.count(source)]

    def evidence(self, source: Source) -> Evidence | None:
        ours, theirs = (list(reading.values(source).values()) for reading in (self.ours, self.theirs))
        label = f"{self.ours.who} over {self.theirs.who}"
        test = lambda: share_higher(int(sum(ours)), len(ours), int(sum(theirs)), len(theirs), label)  # noqa: E731
        return with_enough(min(len(ours), len(theirs)), test)


@dataclass(frozen=True)
class All(Tested):
    """Every one of several statements is true; it fails as soon as one of them does."""

    statements: tuple[Tested, ...]

    @property
    def parts(self) -> tuple[Statement, ...]:
        return tuple(part for statement in self.statements for part in statement.parts)

    @property
    def words(self) -> str:
        """Parts about the same number share its name."""
        grouped: dict[str, list[str]] = {}
        for part in self.parts:
            what, _, rest = part.words.partition(": ")
            grouped.setdefault(what, []).append(rest)
        return "; ".join(f"{what}: {', '.join(_shortened(rest))}" for what, rest in grouped.items())


def best(ours: Reading, others: Sequence[Reading], share: float = 0.0) -> All:
    """Ours is better than each of the others."""
    return All(tuple(Better(ours, other, share) for other in others))


def ordered(readings: Sequence[Reading]) -> All:
    """The first is better than the second, the second than the third, and so on."""
    return All(tuple(Better(first, second) for first, second in pairwise(readings)))


def with_enough(runs: int, test: Callable[[], Evidence]) -> Evidence | None:
    """The test, if there is a run to look at; with fewer than three, effects are shown but nothing is decided."""
    if runs == 0:
        return None
    evidence = test()
    return evidence if runs >= LEAST_RUNS else Evidence(evidence.effects)


def _oriented(ours: Any, theirs: Any, sign: float) -> tuple[list[float], list[float]]:
    """Both such that larger is better."""
    return [sign * value for value in ours], [sign * value for value in theirs]


def _shortened(phrases: Sequence[str]) -> list[str]:
    """``NN+ better than NN, NN+ better than RBF`` needs NN+ only once."""
    first, joint, _ = phrases[0].partition(" better than ")
    start = first + joint
    if joint and all(phrase.startswith(start) for phrase in phrases):
        return [phrases[0], *(phrase.removeprefix(start) for phrase in phrases[1:])]
    return list(phrases)
