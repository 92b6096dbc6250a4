"""Intervals and summaries against known distributions and numbers worked by hand."""

import numpy as np
import pytest

from swarmbed.evaluation.statistics import (
    interquartile_mean,
    iqm_estimate,
    mean_interval,
    mean_interval_over_runs,
    median_of_top_five,
    probability_better,
    share_interval,
    share_interval_over_runs,
    wilson_interval,
)


def test_the_interval_of_a_normal_mean_covers_it_in_95_of_100_draws() -> None:
    # 3000 samples of 200 numbers; the share that covers has a standard error of √(0.95 · 0.05 / 3000) = 0.4 %.
    samples = np.random.default_rng(1).normal(5.0, 2.0, (200, 3000))
    low, high = mean_interval(samples, resamples=1000)
    assert np.mean((low < 5.0) & (high > 5.0)) == pytest.approx(0.95, abs=0.015)


def test_the_interval_of_a_skewed_mean_covers_it_nearly_as_often() -> None:
    samples = np.random.default_rng(2).exponential(1.0, (200, 3000))
    low, high = mean_interval(samples, resamples=1000)
    assert 0.92 < np.mean((low < 1.0) & (high > 1.0)) < 0.965


def test_the_interval_is_as_wide_as_the_standard_error_says() -> None:
    values = np.random.default_rng(3).normal(0.0, 1.0, 1000)
    low, high = mean_interval(values)
    assert high - low == pytest.approx(2 * 1.96 * values.std() / np.sqrt(1000), rel=0.05)
    assert low < values.mean() < high


def test_every_point_in_time_gets_the_interval_it_would_get_alone() -> None:
    values = np.random.default_rng(4).normal(size=(50, 3))
    low, high = mean_interval(values)
    assert (low[1], high[1]) == pytest.approx(mean_interval(values[:, 1]))


def test_resampling_in_small_pieces_changes_nothing_but_the_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(5).normal(size=100)
    whole = mean_interval(values)
    monkeypatch.setattr("swarmbed.evaluation.statistics.CHUNK", 700)
    assert mean_interval(values) == pytest.approx(whole, abs=0.02)


def test_one_episode_has_an_interval_of_no_width() -> None:
    assert mean_interval([3.0]) == (3.0, 3.0)


def test_runs_that_differ_widen_the_interval_however_many_episodes_they_have() -> None:
    # Two runs, 0 and 1 throughout. Drawing two runs gives means 0, ½, 1 with probabilities ¼, ½, ¼.
    table = np.repeat([[0.0], [1.0]], 1000, axis=1)
    assert mean_interval_over_runs(table) == (0.0, 1.0)


def test_the_interval_over_ten_runs_covers_the_mean() -> None:
    # Runs differ by 1, starts by 1, and every episode by another 1; a bootstrap over ten runs is known to be short.
    random = np.random.default_rng(6)
    parts = [random.normal(size=shape) for shape in ((10, 1, 1000), (1, 20, 1000), (10, 20, 1000))]
    low, high = mean_interval_over_runs(sum(parts))
    assert 0.87 < np.mean((low < 0.0) & (high > 0.0)) < 0.97


def test_the_same_run_twice_is_no_surer_than_once() -> None:
    once = np.random.default_rng(9).normal(size=(1, 300))
    single, twice = mean_interval(once[0]), mean_interval_over_runs(np.repeat(once, 2, axis=0))
    assert twice.high - twice.low == pytest.approx(single.high - single.low, rel=0.05)
    assert iqm_estimate(np.repeat(once, 2, axis=0))[1:] == pytest.approx(twice, abs=0.02)


def test_the_interquartile_mean_of_eight_numbers_is_that_of_the_middle_four() -> None:
    assert interquartile_mean([8, 1, 7, 2, 6, 3, 5, 40]) == pytest.approx((3 + 5 + 6 + 7) / 4)


def test_a_number_on_the_quartile_counts_in_part() -> None:
    # A quarter of five numbers is 1.25: the first is out, of the second ¾ is in.
    assert interquartile_mean([1, 2, 4, 8, 16]) == pytest.approx((0.75 * 2 + 4 + 0.75 * 8) / 2.5)


def test_the_interquartile_mean_of_one_number_is_that_number() -> None:
    assert interquartile_mean([7.0]) == pytest.approx(7.0)


def test_the_interquartile_mean_over_runs_ignores_one_that_failed() -> None:
    table = np.array([[-10.0, -12.0], [-11.0, -11.0], [-11.0, -11.0], [-900.0, -1100.0]])
    assert iqm_estimate(table).value == pytest.approx(-11.0)


def test_the_interval_of_the_interquartile_mean_draws_among_runs() -> None:
    # Of runs 0 and 1 it is the plain mean: 0, ½ or 1, each end with probability ¼.
    assert iqm_estimate(np.repeat([[0.0], [1.0]], 50, axis=1)) == pytest.approx((0.5, 0.0, 1.0))


def test_the_interval_of_the_interquartile_mean_of_one_run_draws_among_its_episodes() -> None:
    table = np.random.default_rng(7).normal(size=(1, 400))
    estimate = iqm_estimate(table)
    assert estimate.high - estimate.low == pytest.approx(2 * 1.96 / 20, rel=0.1)


def test_the_median_of_the_top_five_looks_at_no_other_run() -> None:
    means = [3.0, 9.0, 1.0, 7.0, 5.0, 2.0, 8.0]  # the best five: 3 5 7 8 9
    assert median_of_top_five(np.array(means)[:, None]) == 7.0


def test_the_median_of_the_top_five_takes_all_of_fewer_runs() -> None:
    assert median_of_top_five([[1.0, 3.0], [10.0, 10.0]]) == pytest.approx(6.0)


def test_the_probability_of_being_better_counts_a_tie_as_half() -> None:
    # better, tie, worse, better
    estimate = probability_better([[1.0, 2.0, 3.0, 4.0]], [[0.0, 2.0, 4.0, 3.0]])
    assert estimate.value == pytest.approx(2.5 / 4)


def test_the_probability_of_being_better_compares_start_by_start() -> None:
    starts = np.random.default_rng(8).normal(0.0, 100.0, (1, 500))
    # A tenth better on every single start, though the starts differ a thousand times as much.
    assert probability_better(starts + 0.1, starts).value == 1.0


def test_always_better_is_not_certainly_better() -> None:
    estimate = probability_better([[1.0] * 20], [[0.0] * 20])
    assert (estimate.low, estimate.high) == pytest.approx((1 - 0.16113, 1.0), abs=1e-4)


def test_every_run_meets_every_run() -> None:
    # 5 beats 0 and 4, 2 beats 0 only: three of four, on each start; which runs are drawn decides the interval.
    estimate = probability_better(np.full((2, 9), [[5.0], [2.0]]), np.full((2, 9), [[0.0], [4.0]]))
    assert estimate == pytest.approx((0.75, 0.0, 1.0))


def test_the_wilson_interval_of_8_in_10() -> None:
    # p + z²/2n = 0.8 + 0.19207, z √(p(1−p)/n + z²/4n²) = 0.31352, 1 + z²/n = 1.38415
    assert wilson_interval(8, 10) == pytest.approx((0.49016, 0.94332), abs=1e-4)


def test_every_column_of_a_table_of_trials_has_its_own_wilson_interval() -> None:
    table = np.arange(10)[:, None] < np.array([8, 0, 10])
    wanted = [wilson_interval(count, 10) for count in (8, 0, 10)]
    np.testing.assert_allclose(np.transpose(share_interval(table.astype(float))), wanted)


def test_the_wilson_interval_of_none_in_20_ends_at_z2_over_n_plus_z2() -> None:
    assert wilson_interval(0, 20) == pytest.approx((0.0, 3.841459 / 23.841459), abs=1e-6)


def test_all_successes_of_several_runs_are_not_a_certainty() -> None:
    low, high = share_interval_over_runs(np.ones((2, 8, 3)))
    np.testing.assert_allclose(low, 8 / (8 + 1.959964**2), atol=1e-6)  # Wilson's for eight of eight
    np.testing.assert_allclose(high, 1.0)
    better = probability_better(np.ones((2, 5)), np.zeros((2, 5)))
    assert (better.value, better.high) == (1.0, 1.0)
    assert better.low == pytest.approx(5 / (5 + 1.959964**2), abs=1e-6)
    mixed = np.random.default_rng(0).integers(0, 2, (4, 30)).astype(float)
    assert share_interval_over_runs(mixed[:1]) == share_interval(mixed[0])
