"""The probability of improvement: exact tails and intervals, against scipy, simulation and brute force."""

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from swarmbed.study.improvement import BETTER, MATTERS, interval, pairs_won, tails


def test_pairs_are_counted_and_equal_ones_count_half() -> None:
    assert pairs_won([3.0, 1.0], [2.0, 1.0, 0.0]) == 3 + 1.5


@pytest.mark.parametrize(("ours", "theirs"), [(1, 1), (3, 3), (5, 4), (4, 9), (16, 16)])
def test_with_one_half_it_is_the_test_of_mann_and_whitney(ours: int, theirs: int) -> None:
    draws = np.random.default_rng(ours).normal(size=(ours + theirs))
    first, second = draws[:ours] + 0.5, draws[ours:]
    sides = [stats.mannwhitneyu(first, second, alternative=side, method="exact").pvalue for side in ("greater", "less")]
    assert tails(pairs_won(first, second), ours, theirs, BETTER) == pytest.approx(sides)


@pytest.mark.parametrize("probability", [0.2, 0.75])
def test_the_distribution_is_that_of_hazards_that_are_multiples(probability: float) -> None:
    """Exponential numbers, of which theirs have θ / (1 − θ) times the rate: 200,000 studies of four and three runs."""
    rng = np.random.default_rng(0)
    ours = rng.exponential(1.0, (200_000, 4, 1))
    theirs = rng.exponential((1 - probability) / probability, (200_000, 1, 3))
    won = (ours > theirs).sum(axis=(1, 2))
    assert (won / 12).mean() == pytest.approx(probability, abs=0.002)
    for least in range(13):
        upper, lower = tails(least, 4, 3, probability)
        assert upper == pytest.approx((won >= least).mean(), abs=0.005)
        assert lower == pytest.approx((won <= least).mean(), abs=0.005)


def test_it_is_the_sum_over_all_orders() -> None:
    """Two of ours and two of theirs: the probability of each order is the product of its draws."""
    odds = 3.0  # θ = ¾
    chance = dict.fromkeys(range(5), 0.0)
    for order in set(permutations("xxyy")):
        left, likely, won = {"x": 2, "y": 2}, 1.0, 0
        for each in order:
            weight = {"x": left["x"], "y": odds * left["y"]}
            likely *= weight[each] / sum(weight.values())
            left[each] -= 1
            won += left["x"] if each == "y" else 0
        chance[won] += likely
    for most in range(5):
        assert tails(most, 2, 2, MATTERS).lower == pytest.approx(sum(chance[won] for won in range(most + 1)))


def test_half_a_pair_counts_for_neither_side() -> None:
    assert tails(4.5, 3, 3, 0.6) == (tails(4.0, 3, 3, 0.6).upper, tails(5.0, 3, 3, 0.6).lower)


@pytest.mark.parametrize(("won", "ours", "theirs"), [(20, 5, 5), (3, 3, 4), (200, 16, 16), (11.5, 6, 3)])
def test_at_the_ends_of_the_interval_a_tail_has_what_is_left(won: float, ours: int, theirs: int) -> None:
    low, high = interval(won, ours, theirs, 0.95)
    assert low < won / (ours * theirs) < high
    assert tails(won, ours, theirs, low).upper == pytest.approx(0.025, abs=0.001)
    assert tails(won, ours, theirs, high).lower == pytest.approx(0.025, abs=0.001)


def test_to_win_every_pair_or_none_leaves_one_end_open() -> None:
    low, high = interval(25, 5, 5, 0.95)
    assert high == 1.0
    assert tails(25, 5, 5, low).upper == pytest.approx(0.025, abs=0.001)
    assert interval(0, 5, 5, 0.95) == pytest.approx((0.0, 1 - low))


@pytest.mark.parametrize("probability", [0.5, 0.75, 0.95])
def test_the_interval_covers_the_truth(probability: float) -> None:
    """Normal numbers, which are not of the family for which it is exact: θ = Φ(shift / √2)."""
    shift = float(np.sqrt(2) * stats.norm.ppf(probability))
    rng = np.random.default_rng(1)
    found = [interval(pairs_won(rng.normal(shift, 1, 8), rng.normal(0, 1, 6)), 8, 6, 0.95) for _ in range(600)]
    assert np.mean([low <= probability <= high for low, high in found]) > 0.93
