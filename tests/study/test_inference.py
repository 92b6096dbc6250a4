"""Tests over runs, against numbers worked by hand and against scipy."""

import math

import pytest
from scipy import stats

from swarmbed.study.inference import (
    Effect,
    Evidence,
    all_of,
    beats,
    beats_run_by_run,
    mean_above,
    share_above,
    share_higher,
)


def test_the_interval_of_a_mean_worked_by_hand() -> None:
    """1, 2, 3: mean 2, s = 1, error 1 / √3 = 0.5774; t of 2 degrees of freedom is 4.3027, so 2 ± 2.4841."""
    (effect,), p_holds, p_fails, _ = mean_above([1.0, 2.0, 3.0], 0.0, "x")
    assert (effect.value, effect.low, effect.high) == pytest.approx((2.0, -0.4841, 4.4841), abs=1e-4)
    assert p_holds == pytest.approx(stats.ttest_1samp([1, 2, 3], 0.0, alternative="greater").pvalue)
    assert p_holds + p_fails == pytest.approx(1.0)


def test_better_is_tested_against_one_half_and_what_matters_against_three_quarters() -> None:
    """11 of 12 pairs are won. Of 35 orders of four and three numbers as likely, two have 11 or more: p is 2/35."""
    ours, theirs = [5.0, 6.0, 7.0, 2.5], [1.0, 2.0, 3.0]
    (effect,), p_holds, p_fails, _ = beats(ours, theirs, "x")
    assert effect.value == pytest.approx(11 / 12)
    assert p_holds == pytest.approx(2 / 35)
    assert p_fails > 0.75
    assert effect.low < 0.5 < effect.high < 1.0


def test_the_scale_of_the_numbers_does_not_matter() -> None:
    ours, theirs = [5.0, 6.0, 7.0, 2.5], [1.0, 2.0, 3.0]
    assert beats([value**3 for value in ours], [value**3 for value in theirs], "x") == beats(ours, theirs, "x")
    assert beats(ours, [-1e9, 2.0, 3.0], "x") == beats(ours, theirs, "x")  # failed is failed


def test_run_by_run_it_is_the_sign_test() -> None:
    """Larger in seven of eight runs: p is 9/2⁸; with ¾ it is 1 − ¾⁸ that not all eight are."""
    ours, theirs = [float(i) for i in range(8)], [i - 0.5 for i in range(7)] + [9.0]
    (effect,), p_holds, p_fails, _ = beats_run_by_run(ours, theirs, "x")
    assert effect.value == 7 / 8
    assert (p_holds, p_fails) == pytest.approx((9 / 256, 1 - 0.75**8))


def test_a_run_that_is_as_good_helps_neither_side() -> None:
    _, p_holds, p_fails, _ = beats_run_by_run([1.0, 1.0, 1.0], [1.0, 0.0, 0.0], "x")
    assert (p_holds, p_fails) == pytest.approx((1 / 2, 1.0))  # as with two wins, as with three


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
