"""Findings as code: a claim tests the existing runs and says *holds*, *fails* or *open*.

The unit is always a training run. Episodes of one policy say how well that policy is known, not what the method does
when it is trained again, so with fewer than three runs of a method nothing about it is decided. looks.py says when a
claim is tested and how the probability of a wrong decision stays below 5 %.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from swarmbed.study.looks import ERROR, LEAST_RUNS, Count, are_complete, early_error, stages

if TYPE_CHECKING:
    from swarmbed.study.claim_source import Source
    from swarmbed.study.inference import Evidence


class Verdict(StrEnum):
    """What the runs say so far."""

    HOLDS = "holds"
    FAILS = "fails"
    OPEN = "open"


class Statement(ABC):
    """Something that runs can show to be true or false; claim_kinds.py and measured_kinds.py have the kinds."""

    @property
    @abstractmethod
    def words(self) -> str:
        """What exactly is tested."""

    @abstractmethod
    def counts(self, source: Source) -> list[Count]:
        """The trained methods it is about; none if nothing was trained."""

    @abstractmethod
    def evidence(self, source: Source) -> Evidence | None:
        """What the runs say; None while there are too few of them or no measurement."""


@dataclass(frozen=True)
class Claim:
    """A finding in the paper's words, the statement that tests it, and a comment that changes nothing."""

    finding: str
    tested: Statement
    comment: str = ""


@dataclass(frozen=True)
class Judgement:
    """A claim with what the runs say about it."""

    claim: Claim
    verdict: Verdict
    evidence: Evidence | None
    counts: tuple[Count, ...]
    error: float  # that this test may make

    @property
    def missing(self) -> str:
        """Why it is still open; empty once it is decided."""
        if self.verdict is not Verdict.OPEN:
            return ""
        unseen = [count.label for count in self.counts if count.runs < count.trained]
        if unseen:
            return f"an evaluation of every run of {', '.join(unseen)}"
        few = [count.label for count in self.counts if count.runs < LEAST_RUNS]
        if few:
            return f"at least {LEAST_RUNS} runs of {', '.join(few)}"
        waiting = [
            f"{count.planned - count.runs} of {count.label}" for count in self.counts if count.runs < count.planned
        ]
        if waiting:
            return f"more runs: {', '.join(waiting)}"
        return "nothing: all planned runs are in and do not decide it" if self.evidence else "the measurement"


def judge(claim: Claim, source: Source) -> Judgement:
    """Decide a claim by the existing runs: by the plan's, and if these leave it open by more."""
    counts = claim.tested.counts(source)
    if not counts:  # nothing was trained, so nothing is added and there is one test
        return _judged(claim, source, ERROR)
    planned = max(count.planned for count in counts)
    if not are_complete(counts):
        return _judged(claim, source, early_error(counts))
    for stage in stages(planned, may_grow=source.may_grow):
        larger = source if stage.runs == planned else source.up_to(stage.runs)
        complete = are_complete(claim.tested.counts(larger))
        judgement = _judged(claim, larger, stage.error if complete else 0.0)
        if judgement.verdict is not Verdict.OPEN or judgement.evidence is None or not complete:
            break
    return judgement


def _judged(claim: Claim, source: Source, error: float) -> Judgement:
    counts, evidence = claim.tested.counts(source), claim.tested.evidence(source)
    verdict = Verdict.OPEN
    if evidence is not None and (evidence.is_proved or evidence.p_holds < error / 2):
        verdict = Verdict.HOLDS
    elif evidence is not None and evidence.p_fails < error / 2:
        verdict = Verdict.FAILS
    return Judgement(claim, verdict, evidence, tuple(counts), error)
