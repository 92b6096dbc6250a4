"""Findings as code: a claim tests the existing runs and says *holds*, *fails* or *open*.

The unit is always a training run. Episodes of one policy say how well that policy is known, not what the method does
when it is trained again, so with fewer than three runs of a method nothing about it is decided. looks.py says when a
claim is tested and how the probability of a wrong decision stays below 5 %.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from swarmbed.study.looks import ERROR, LEAST_RUNS, Count, are_complete, early_error, stages

if TYPE_CHECKING:
    from swarmbed.study.claim_source import Source
    from swarmbed.study.inference import Effect, Evidence


MEASUREMENT = "the measurement"  # what is missing of a claim that reads no run


class Verdict(StrEnum):
    """What the runs say so far."""

    HOLDS = "holds"
    FAILS = "fails"
    OPEN = "open"


class Tested(ABC):
    """What a claim comes down to: one statement, or several that must all be true."""

    @property
    @abstractmethod
    def words(self) -> str:
        """What exactly is tested."""

    @property
    @abstractmethod
    def parts(self) -> tuple[Statement, ...]:
        """The statements, each of which is tested by itself."""


class Statement(Tested):
    """Something that runs can show to be true or false; claim_kinds.py and measured_kinds.py have the kinds."""

    @property
    def parts(self) -> tuple[Statement, ...]:
        return (self,)

    @abstractmethod
    def counts(self, source: Source) -> list[Count]:
        """The trained methods it is about; none if nothing was trained."""

    @abstractmethod
    def evidence(self, source: Source) -> Evidence | None:
        """What the runs say; None while there are too few of them or no measurement."""


@dataclass(frozen=True)
class Claim:
    """A finding in the paper's words, what tests it, and a comment that changes nothing."""

    finding: str
    tested: Tested
    comment: str = ""


@dataclass(frozen=True)
class Part:
    """One statement of a claim with what the runs say about it."""

    verdict: Verdict
    evidence: Evidence | None
    counts: tuple[Count, ...]
    error: float  # that this test may make

    @property
    def is_open(self) -> bool:
        return self.verdict is Verdict.OPEN

    def planning(self, runs: int) -> Part:
        """The same part, tested by at least so many runs of every method."""
        counts = tuple(count._replace(planned=max(count.planned, runs)) for count in self.counts)
        return replace(self, counts=counts)

    @property
    def waits_for_evaluation(self) -> bool:
        """Could an evaluation decide it? Not with fewer than the least number of runs, nor between two tests, which
        have no error to spend."""
        if not self.is_open or all(count.runs >= count.trained for count in self.counts):
            return False
        needed = [min(LEAST_RUNS, count.planned) if self.error > 0 else count.planned for count in self.counts]
        return all(count.trained >= enough for count, enough in zip(self.counts, needed, strict=True))


@dataclass(frozen=True)
class Judgement:
    """A claim with what the runs say about it."""

    claim: Claim
    parts: tuple[Part, ...]

    @property
    def verdict(self) -> Verdict:
        """It holds when every part does, and fails as soon as one does."""
        found = {part.verdict for part in self.parts}
        if Verdict.FAILS in found:
            return Verdict.FAILS
        return Verdict.OPEN if Verdict.OPEN in found else Verdict.HOLDS

    @property
    def open_parts(self) -> tuple[Part, ...]:
        """Those that more runs are for; none of a claim that is decided."""
        return tuple(part for part in self.parts if part.is_open) if self.verdict is Verdict.OPEN else ()

    @property
    def effects(self) -> tuple[Effect, ...]:
        return tuple(effect for part in self.parts if part.evidence is not None for effect in part.evidence.effects)

    @property
    def counts(self) -> tuple[Count, ...]:
        """The runs of every method behind the verdict; of a claim that fails, those of the parts that do."""
        failing = [part for part in self.parts if part.verdict is Verdict.FAILS]
        return _merged(failing or self.parts)

    @property
    def missing(self) -> str:
        """Why it is still open; empty once it is decided."""
        if not self.open_parts:
            return ""
        waiting_parts = [part for part in self.open_parts if part.waits_for_evaluation]
        unseen = [count.label for count in _merged(waiting_parts) if count.runs < count.trained]
        if unseen:
            return f"an evaluation of every run of {', '.join(unseen)}"
        counts = _merged(self.open_parts)
        few = [count.label for count in counts if count.trained < LEAST_RUNS]
        if few:
            return f"at least {LEAST_RUNS} runs of {', '.join(few)}"
        waiting = [f"{c.planned - c.trained} of {c.label}" for c in counts if c.trained < c.planned]
        if waiting:
            return f"more runs: {', '.join(waiting)}"
        is_measured = all(part.evidence is not None for part in self.open_parts)
        return "nothing: all planned runs are in and do not decide it" if is_measured else MEASUREMENT


def judge(claim: Claim, source: Source) -> Judgement:
    """Decide a claim by the existing runs, part by part: looks.py says why that needs no more than it costs."""
    parts = claim.tested.parts
    return Judgement(claim, tuple(_judged(part, source, len(parts)) for part in parts))


def _judged(statement: Statement, source: Source, parts: int) -> Part:
    """Decide a statement by the plan's runs, and if these leave it open by more."""
    counts = statement.counts(source)
    if not counts:  # nothing was trained, so nothing is added and there is one test
        return _tested(statement, source, ERROR, parts)
    planned = max(count.planned for count in counts)
    if not are_complete(counts):
        return _tested(statement, source, early_error(counts), parts)
    for stage in stages(planned, may_grow=source.budget.may_grow):
        larger = source if stage.runs == planned else source.up_to(stage.runs)
        complete = are_complete(statement.counts(larger))
        part = _tested(statement, larger, stage.error if complete else 0.0, parts)
        if not part.is_open or part.evidence is None or not complete:
            break
    return part


def _tested(statement: Statement, source: Source, error: float, parts: int) -> Part:
    counts, evidence = statement.counts(source), statement.evidence(source)
    verdict = Verdict.OPEN
    if evidence is not None and (evidence.is_proved or evidence.p_holds < error / 2):
        verdict = Verdict.HOLDS
    elif evidence is not None and evidence.p_fails < error / 2 / parts:
        verdict = Verdict.FAILS
    return Part(verdict, evidence, tuple(counts), error)


def _merged(parts: Iterable[Part]) -> tuple[Count, ...]:
    """A training that several parts are about counts once: as the part that asks for most of it has it, and of those
    the one that has least."""
    counts: dict[str, Count] = {}
    for count in (count for part in parts for count in part.counts):
        counts[count.training] = min(
            count, counts.get(count.training, count), key=lambda each: (-each.planned, each.runs)
        )
    return tuple(counts.values())
