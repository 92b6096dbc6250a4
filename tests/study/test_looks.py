"""Looking at a study again and again: how much error each look may spend, and how often the rule misleads."""

import numpy as np
import pytest

from swarmbed.study.inference import contrast_above
from swarmbed.study.looks import EARLY_ERROR, ERROR, Count, are_complete, early_error, stages


def counted(*runs: int, planned: int = 5) -> list[Count]:
    return [Count(str(i), str(i), have, planned, have) for i, have in enumerate(runs)]


def test_early_looks_share_one_percent_and_complete_sets_of_runs_four() -> None:
    """Two methods of five runs: four looks from (3, 3) to (5, 4), then those of 5, 10 and 16 runs each."""
    assert early_error(counted(3, 3)) == early_error(counted(5, 4)) == pytest.approx(EARLY_ERROR / 4)
    assert stages(5) == [(5, pytest.approx(0.02)), (10, pytest.approx(0.01)), (16, pytest.approx(0.01))]
    assert stages(10) == [(10, pytest.approx(0.02)), (16, pytest.approx(0.02))]
    assert stages(16) == stages(16, may_grow=False) == [(16, pytest.approx(0.04))]
    assert stages(5, may_grow=False) == [(5, pytest.approx(0.04))]
    for planned in (3, 5, 8, 10, 12, 16, 100):
        assert EARLY_ERROR + sum(stage.error for stage in stages(planned)) == pytest.approx(ERROR)


@pytest.mark.parametrize(("planned", "studies"), [(5, 800), (16, 200)])
def test_looking_after_every_run_misleads_in_one_study_of_twenty(planned: int, studies: int) -> None:
    """Two methods that are the same, judged after each run: how often is one of them ever said to be better?"""
    draws = np.random.default_rng(planned).normal(size=(studies, 2, 16))
    early = [(i // 2, i - i // 2) for i in range(6, 2 * planned)]
    assert not any(are_complete(counted(a, b, planned=planned)) for a, b in early)
    looks = [(a, b, early_error(counted(a, b, planned=planned))) for a, b in early]
    looks += [(runs, runs, error) for runs, error in stages(planned)]
    wrong = careless = 0
    for ours, theirs in draws:
        tails = [min(contrast_above(ours[:a], theirs[:b], "x")[1:3]) for a, b, _ in looks]
        wrong += any(tail < error / 2 for tail, (_, _, error) in zip(tails, looks, strict=True))
        careless += any(tail < ERROR / 2 for tail in tails)
    assert wrong / studies < 0.06
    assert careless / studies > 0.08  # what the rule protects from


def test_not_even_who_foresees_all_results_can_have_many_tests_made_that_mislead() -> None:
    """Every early test of every pair of numbers of runs, whichever of them an order of arrival would have had."""
    planned, studies = 5, 1500
    pairs = [(a, b) for a in range(3, planned + 1) for b in range(3, planned + 1) if a + b < 2 * planned]
    looks = [(a, b, early_error(counted(a, b, planned=planned))) for a, b in pairs]
    looks += [(runs, runs, error) for runs, error in stages(planned)]
    wrong = 0
    for ours, theirs in np.random.default_rng(1).normal(size=(studies, 2, 16)):
        wrong += any(min(contrast_above(ours[:a], theirs[:b], "x")[1:3]) < error / 2 for a, b, error in looks)
    assert wrong / studies < 0.06
