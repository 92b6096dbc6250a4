"""Tests over runs, against numbers worked by hand and against scipy."""

import math

import pytest
from scipy import stats

from swarmbed.study.inference import Effect, Evidence, all_of, contrast_above, mean_above, share_above, share_higher

OURS, THEIRS = [-19.0, -21.5, -20.0, -18.5], [-24.0, -22.5, -30.0]


def test_the_interval_of_a_mean_worked_by_hand() -> None:
    """1, 2, 3: mean 2, s = 1, error 1 / √3 = 0.5774; t of 2 degrees of freedom is 4.3027, so 2 ± 2.4841."""
    (effect,), p_holds, p_fails, _ = mean_above([1.0, 2.0, 3.0], 0.0, "x")
    assert (effect.value, effect.low, effect.high) == pytest.approx((2.0, -0.4841, 4.4841), abs=1e-4)
    assert p_holds == pytest.approx(stats.ttest_1samp([1, 2, 3], 0.0, alternative="greater").pvalue)
    assert p_holds + p_fails == pytest.approx(1.0)


def test_a_difference_is_that_of_welch() -> None:
    oracle = stats.ttest_ind(OURS, THEIRS, equal_var=False, alternative="greater")
    interval = stats.ttest_ind(OURS, THEIRS, equal_var=False).confidence_interval(0.95)
    (effect,), p_holds, p_fails, _ = contrast_above(OURS, THEIRS, "x")
    assert (effect.low, effect.high) == pytest.approx((interval.low, interval.high))
    assert (p_holds, p_fails) == pytest.approx((oracle.pvalue, 1 - oracle.pvalue))


def test_a_margin_scales_the_other_side() -> None:
    """Better than 0.9 times theirs is the same test as against numbers that are 10 % smaller."""
    scaled = contrast_above(OURS, [0.9 * value for value in THEIRS], "x")
    assert contrast_above(OURS, THEIRS, "x", factor=0.9).p_holds == pytest.approx(scaled.p_holds)


def test_a_known_number_on_the_other_side_adds_no_error() -> None:
    known, bound = contrast_above(OURS, [-22.0], "x", fixed=True), mean_above(OURS, -22.0, "x")
    assert known.p_holds == pytest.approx(bound.p_holds)
    assert known.effects[0].high - known.effects[0].low == pytest.approx(bound.effects[0].high - bound.effects[0].low)


@pytest.mark.parametrize("evidence", [mean_above([0.4], 0.0, "x"), mean_above([1.0, 1.0, 1.0], 0.0, "x")])
def test_without_spread_there_is_an_effect_but_no_decision(evidence: Evidence) -> None:
    """One run, or runs that all gave the same, do not show how much another would differ."""
    assert math.isnan(evidence.effects[0].low)
    assert (evidence.p_holds, evidence.p_fails) == (1.0, 1.0)


def test_newcombes_own_example() -> None:
    """56 of 70 against 48 of 80: 0.2 [0.0524, 0.3339] in his paper of 1998, method 10."""
    (effect,), *_ = share_higher(56, 70, 48, 80, "x")
    assert (effect.value, effect.low, effect.high) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)


@pytest.mark.parametrize(
    ("ours", "theirs"), [((10, 16), (4, 16)), ((0, 5), (5, 5)), ((3, 3), (0, 4)), ((0, 3), (0, 3))]
)
def test_counts_are_compared_by_fishers_exact_test(ours: tuple[int, int], theirs: tuple[int, int]) -> None:
    table = [[ours[0], ours[1] - ours[0]], [theirs[0], theirs[1] - theirs[0]]]
    expected = [stats.fisher_exact(table, alternative=side).pvalue for side in ("greater", "less")]
    assert share_higher(*ours, *theirs, "x")[1:3] == pytest.approx(expected)


def test_a_share_is_tested_by_the_binomial_tail() -> None:
    """Four or five of five with chance ¼ each: 5 · 3 / 4⁵ + 1 / 4⁵ = 16 / 1024."""
    evidence = share_above(4, 5, 0.25, "x")
    assert evidence.p_holds == pytest.approx(16 / 1024)
    assert evidence.p_fails == pytest.approx(stats.binomtest(4, 5, 0.25, alternative="less").pvalue)


def test_all_of_several_hold_as_surely_as_the_weakest_and_fail_with_a_correction() -> None:
    parts = [Evidence((Effect("a", 1.0),), 0.01, 0.99), Evidence((Effect("b", 2.0),), 0.2, 0.3), Evidence(())]
    both = all_of(parts)
    assert [effect.label for effect in both.effects] == ["a", "b"]
    assert (both.p_holds, both.p_fails) == pytest.approx((1.0, 3 * 0.3))
    assert all_of(parts[:2])[1:3] == pytest.approx((0.2, 2 * 0.3))


def test_all_of_several_are_proved_only_together() -> None:
    proved, likely = Evidence((), 0.0, 1.0, is_proved=True), Evidence((), 0.0, 1.0)
    assert all_of([proved, proved]).is_proved
    assert not all_of([proved, likely]).is_proved
