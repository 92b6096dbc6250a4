"""How likely more runs are to decide a part of a claim, as far as the runs so far can tell.

A test's p-value is a distance z from its bound in standard errors. If n runs become n′, the error shrinks and the
effect moves by what the new runs add: from z follows z′ ~ N(z √(n′/n), n′/n − 1), the predictive distribution under a
flat prior. The test decides when z′ passes its level. With few runs this is rough: a comparison that needs every pair
of runs may look likely although one pair is lost. It chooses what to train; it decides nothing.
"""

import math
from typing import NamedTuple

from scipy import special

from swarmbed.study.claims import Part
from swarmbed.study.looks import LEAST_RUNS, Count

LEVEL = 0.01  # one-sided, about that of the tests of complete sets of runs
SMALLEST = 1e-9  # of p-values: a distance must be finite


class Prospect(NamedTuple):
    """Probabilities that a part is found to hold, and to fail, when the runs that it waits for are in."""

    holds: float
    fails: float


UNKNOWN = Prospect(0.25, 0.25)  # with too few runs to tell


def prospect(part: Part, parts: int) -> Prospect:
    """Of one of so many parts of a claim."""
    if part.evidence is None or not has_least_runs(part):
        return UNKNOWN
    growth = growth_of(part.counts)
    return Prospect(
        _passes(part.evidence.p_holds, LEVEL, growth), _passes(part.evidence.p_fails, LEVEL / parts, growth)
    )


def has_least_runs(part: Part) -> bool:
    """Can it be decided at all?"""
    return all(count.runs >= min(LEAST_RUNS, count.planned) for count in part.counts)


def growth_of(counts: tuple[Count, ...]) -> float:
    """n′/n, where a comparison of several methods has the error √Σ 1/nᵢ."""
    now, then = (sum(1 / max(runs, 1) for runs in numbers) for numbers in zip(*map(_now_and_then, counts), strict=True))
    return now / then


def _now_and_then(count: Count) -> tuple[int, int]:
    return count.runs, max(count.runs, count.planned)


def _passes(p: float, level: float, growth: float) -> float:
    """P(z′ > z of the level)."""
    z, wanted = (-float(special.ndtri(min(max(each, SMALLEST), 1 - SMALLEST))) for each in (p, level))
    ahead = z * math.sqrt(growth) - wanted
    return float(special.ndtr(ahead / math.sqrt(growth - 1))) if growth > 1 else float(ahead > 0)
