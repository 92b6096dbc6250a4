"""Findings as code: a claim tests the existing runs and says *holds*, *fails* or *open*.

The unit is always a training run. Episodes of one policy say how well that policy is known, not what the method does
when it is trained again, so with fewer than three runs of a method nothing about it is decided.

**Sequential testing.** Results are tested whenever a run is added, and every test can give a false positive. Of the 5 %
error that a claim may make (2.5 % on either side), 1 % is shared evenly by all tests before the end of the plan and 4 %
is left for the end. The error of several tests never exceeds the sum of their errors, so this holds for any order in
which runs arrive; it costs the last test little, while an obvious result can still be decided early. Runs beyond the
plan are ignored. Intervals shown are 95 %, whatever the level at which a claim is decided. Each claim may err with 5 %;
there is no correction for the number of claims.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from swarmbed.study.claim_source import Source
    from swarmbed.study.inference import Evidence

LEAST_RUNS = 3
ERROR = 0.05  # probability of a wrong decision over all tests
EARLY_ERROR = 0.01  # the part of it shared by the tests before the end of the plan


class Verdict(StrEnum):
    """What the runs say so far."""

    HOLDS = "holds"
    FAILS = "fails"
    OPEN = "open"


class Count(NamedTuple):
    """Runs of one method: how many there are to judge by, how many the plan has, and how many are trained."""

    training: str
    label: str
    runs: int
    planned: int
    trained: int


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
    """Decide a claim by the existing runs."""
    counts = claim.tested.counts(source)
    evidence, error = claim.tested.evidence(source), allowed_error(counts)
    verdict = Verdict.OPEN
    if evidence is not None and evidence.p_holds < error / 2:
        verdict = Verdict.HOLDS
    elif evidence is not None and evidence.p_fails < error / 2:
        verdict = Verdict.FAILS
    return Judgement(claim, verdict, evidence, tuple(counts), error)


def allowed_error(counts: list[Count]) -> float:
    """The error probability of a test with this many runs: see the top of this file."""
    if not counts:
        return ERROR  # nothing was trained, so nothing is added and there is one test
    if all(count.runs >= count.planned for count in counts):
        return ERROR - EARLY_ERROR
    early_looks = sum(count.planned - LEAST_RUNS for count in counts)
    return EARLY_ERROR / max(early_looks, 1)
