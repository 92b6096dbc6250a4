"""How likely a run of one method is to beat a run of another: the probability of improvement.

    θ = P(x > y) + ½ P(x = y)

is estimated by the share of all pairs of runs that ours win. It does not depend on the scale of the numbers, and a run
that failed badly is one lost pair for every other run, however badly it failed: returns of swarms are far from normal.

One method is *better* if θ > ½, and better by something that *matters* if θ ≥ ¾, the threshold that Bouthillier et al.
(2021, "Accounting for variance in machine learning benchmarks") recommend. So "better" holds where the runs show that
θ is above ½, and fails where they show that it is below ¾; in between either is right.

The tests are exact for the family in which the numbers of one method have θ / (1 − θ) times the hazard of the other's
(Lehmann's alternatives): drawn in rising order, the next of all numbers is one of j of theirs rather than one of i of
ours with odds θ j : (1 − θ) i. With θ = ½ every order is equally likely, which is the test of Mann and Whitney.

Where both methods are alike but for a shift, the test against ¾ errs less often than it says. Where the numbers of one
spread far more than the other's, either side errs more often: two to three times as often as it says in the extreme
(tests/study/test_looks.py).
"""

import math
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

BETTER, MATTERS = 0.5, 0.75
GRID = np.arange(1, 400) / 400  # of θ, on which intervals are found


class Tails(NamedTuple):
    """How likely so many pairs won or more are, and so many or fewer."""

    upper: float
    lower: float


def pairs_won(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """U: the number of pairs in which ours is larger; one that is as large counts half."""
    first, second = np.asarray(ours)[:, None], np.asarray(theirs)
    return float((first > second).sum() + 0.5 * (first == second).sum())


def tails(won: float, ours: int, theirs: int, probability: float) -> Tails:
    """Of U with so many runs of each if θ is this. Half pairs count as the test least likes them."""
    upper, lower = _all_tails(ours, theirs, (probability,))
    return Tails(float(upper[math.floor(won), 0]), float(lower[math.ceil(won), 0]))


def interval(won: float, ours: int, theirs: int, level: float) -> tuple[float, float]:
    """Every θ for which neither tail is below (1 − level) / 2."""
    upper, lower = _all_tails(ours, theirs, tuple(GRID.tolist()))
    least = (1 - level) / 2
    above, below = upper[math.floor(won)], lower[math.ceil(won)]  # rising and falling with θ
    low = float(np.interp(least, above, GRID)) if above[0] < least else 0.0
    high = float(np.interp(-least, -below, GRID)) if below[-1] < least else 1.0
    return low, high


@cache
def _all_tails(ours: int, theirs: int, probabilities: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    """P(U ≥ u) and P(U ≤ u) for every u (rows) and θ (columns)."""
    chance = _distribution(ours, theirs, np.asarray(probabilities))
    upper, lower = (np.clip(tail, 0.0, 1.0) for tail in (chance[::-1].cumsum(0)[::-1], chance.cumsum(0)))
    return upper, lower


def _distribution(ours: int, theirs: int, probability: np.ndarray) -> np.ndarray:
    """P(U = u) for every u (rows) and θ (columns).

    With i of ours and j of theirs still to come, a number of theirs comes next with probability θ j / ((1 − θ) i + θ j)
    and then loses to the i of ours that are larger.
    """
    most = ours * theirs
    nothing = np.zeros((most + 1, probability.size))
    rows: list[np.ndarray] = []  # by j, for the current i
    for i in range(ours + 1):
        for j in range(theirs + 1):
            found = nothing.copy()
            if i == j == 0:
                found[0] = 1.0
            else:
                theirs_next = probability * j / ((1 - probability) * i + probability * j)
                if i:
                    found += (1 - theirs_next) * rows[j]
                if j:
                    found[i:] += theirs_next * rows[j - 1][: most + 1 - i]
            rows[j : j + 1] = [found]
    return rows[theirs]
