"""The kinds of statement about trained methods that claims are made of; measured_kinds.py has the others."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from swarmbed.study.claim_source import Source
from swarmbed.study.claims import Statement, Tested
from swarmbed.study.inference import (
    Evidence,
    all_of,
    contrast_above,
    mean_above,
    share_above,
    share_higher,
)
from swarmbed.study.looks import LEAST_RUNS, Count
from swarmbed.study.readings import Found, Reached, Reading, Returned, Succeeds

WORTH = 0.05  # of the other method's number


@dataclass(frozen=True)
class Better(Statement):
    """One method's number is better than another's, by at least a share of the other's size.

    A negative share allows ours to be worse by so much. Two numbers of the same training (two sizes of swarm, say)
    are compared run by run.

    Two methods that are equally good would leave "better" open for ever. So it holds where the runs show that the
    difference is above 0, and fails where they show that it is below ``worth``, the smallest advantage worth a claim;
    in between either is right. With a share of its own a claim has said what it is worth.
    """

    ours: Reading
    theirs: Reading
    share: float = 0.0
    worth: float = WORTH

    @property
    def words(self) -> str:
        what, theirs = self.ours.what, self.theirs.who
        if self.theirs.what != what:
            theirs = f"{theirs} ({self.theirs.what})"
        margin = f", by at least {100 * self.share:.0f} %" if self.share > 0 else ""
        margin = f", or worse by at most {-100 * self.share:.0f} %" if self.share < 0 else margin
        margin = f" (it fails below {100 * self.worth:.0f} %)" if self.share == 0 and self.worth > 0 else margin
        return f"{what}{margin}: {self.ours.who} better than {theirs}"

    def counts(self, source: Source) -> list[Count]:
        counts = [self.ours.count(source), self.theirs.count(source)]
        return [min(counts, key=lambda count: count.runs)] if self.ours.training == self.theirs.training else counts

    def evidence(self, source: Source) -> Evidence | None:
        ours, theirs = self.ours.values(source), self.theirs.values(source)
        sign = 1.0 if self.ours.higher_is_better else -1.0
        label = f"{self.ours.who} over {self.theirs.who}"
        label += f", less {100 * self.share:.0f} %" if self.share > 0 else ""
        label += f", plus {-100 * self.share:.0f} %" if self.share < 0 else ""
        if self.ours.training == self.theirs.training:
            seeds = sorted(ours.keys() & theirs.keys())
            first, second = ([sign * values[seed] for seed in seeds] for values in (ours, theirs))
            return with_enough(len(seeds), lambda: self._decided(first, second, label, _run_by_run))
        first, second = _oriented(ours.values(), theirs.values(), sign)
        return with_enough(min(len(first), len(second)), lambda: self._decided(first, second, label, contrast_above))

    def _decided(self, ours: list[float], theirs: list[float], label: str, test: Callable[..., Evidence]) -> Evidence:
        """x − y ≥ share · |y| is x − (1 ± share) y ≥ 0, with the sign of y."""
        sign = 1.0 if sum(theirs) >= 0 else -1.0
        worth = self.worth if self.share == 0.0 else 0.0
        above, worthwhile = (
            test(ours, theirs, label, factor=1.0 + share * sign) for share in (self.share, self.share + worth)
        )
        return above._replace(p_fails=worthwhile.p_fails)


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
        first, second = _oriented(ours, [theirs], 1.0 if self.ours.higher_is_better else -1.0)
        label = f"{self.ours.who} over {self.controller}"
        return with_enough(len(first), lambda: contrast_above(first, second, label, fixed=True))


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
    """The first is better than the second, the second than the third, and so on, by however little."""
    return All(tuple(Better(first, second, worth=0.0) for first, second in pairwise(readings)))


def with_enough(runs: int, test: Callable[[], Evidence]) -> Evidence | None:
    """The test, if there is a run to look at; with fewer than three, effects are shown but nothing is decided."""
    if runs == 0:
        return None
    evidence = test()
    return evidence if runs >= LEAST_RUNS else Evidence(evidence.effects)


def _run_by_run(ours: list[float], theirs: list[float], label: str, factor: float) -> Evidence:
    return mean_above([mine - factor * other for mine, other in zip(ours, theirs, strict=True)], 0.0, label)


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
