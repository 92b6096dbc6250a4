"""Looking at a study again and again: how much error each look may spend, and how often the rule misleads."""

import numpy as np
import pytest

from swarmbed.study.claims import EARLY_ERROR, ERROR, Count, allowed_error
from swarmbed.study.inference import contrast_above


def counted(*runs: int, planned: int = 5) -> list[Count]:
    return [Count(str(i), str(i), have, planned, have) for i, have in enumerate(runs)]


def test_early_looks_share_one_percent_and_the_last_has_four() -> None:
    """Two methods of five runs: four looks from (3, 3) to (5, 4), then the last."""
    assert allowed_error(counted(3, 3)) == allowed_error(counted(5, 4)) == pytest.approx(EARLY_ERROR / 4)
    assert allowed_error(counted(5, 5)) == pytest.approx(ERROR - EARLY_ERROR)
    assert allowed_error([]) == ERROR


@pytest.mark.parametrize(("planned", "studies"), [(5, 800), (16, 200)])
def test_looking_after_every_run_misleads_in_one_study_of_twenty(planned: int, studies: int) -> None:
    """Two methods that are the same, judged after each run: how often is one of them ever said to be better?"""
    draws = np.random.default_rng(planned).normal(size=(studies, 2, planned))
    looks = [(i // 2, i - i // 2) for i in range(6, 2 * planned + 1)]
    wrong = careless = 0
    for ours, theirs in draws:
        tails = [min(contrast_above(ours[:a], theirs[:b], "x")[1:]) for a, b in looks]
        errors = [allowed_error(counted(a, b, planned=planned)) for a, b in looks]
        wrong += any(tail < error / 2 for tail, error in zip(tails, errors, strict=True))
        careless += any(tail < ERROR / 2 for tail in tails)
    assert wrong / studies < 0.06
    assert careless / studies > 0.08  # what the rule protects from
