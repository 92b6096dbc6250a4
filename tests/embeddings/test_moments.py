"""Moments of a set against scipy's."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from swarmbed.embeddings.moments import Moments
from swarmbed.spec.errors import SwarmbedError


def test_four_moments_are_those_of_scipy(embed: Any, random_elements: Any) -> None:
    elements = random_elements(1, 3, 12)
    mask = np.arange(12) < np.array([[12], [7], [3]])
    found = embed(Moments(), elements, mask).vector.reshape(3, 4, 7)
    for one, rows, present in zip(found, elements, mask, strict=True):
        here = rows[present].astype(float)
        assert one[0] == pytest.approx(here.mean(0), abs=1e-5)
        assert one[1] == pytest.approx(here.std(0), abs=1e-5)
        assert one[2] == pytest.approx(stats.skew(here), abs=1e-4)
        assert one[3] == pytest.approx(stats.kurtosis(here, fisher=False), abs=1e-4)


def test_moments_of_one_two_and_six_by_hand(embed: Any) -> None:
    # 1, 2, 6: mean 3; deviations −2, −1, 3: variance 14/3; third moment (−8 − 1 + 27)/3 = 6; fourth (16+1+81)/3 = 98/3.
    found = embed(Moments(), [[[1.0], [2.0], [6.0], [99.0]]], [[True, True, True, False]]).vector[0]
    variance = 14 / 3
    assert found == pytest.approx([3, variance**0.5, 6 / variance**1.5, 98 / 3 / variance**2], rel=1e-5)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_a_lower_order_leaves_out_the_higher_moments(order: int, embed: Any, random_elements: Any) -> None:
    elements, mask = random_elements(2, 1, 12), np.ones((1, 12), bool)
    everything = embed(Moments(), elements, mask).vector
    assert embed(Moments(order), elements, mask).vector == pytest.approx(everything[:, : 7 * order], abs=1e-6)


def test_without_a_deviation_skew_and_kurtosis_are_zero(embed: Any) -> None:
    found = embed(Moments(), [[[0.7], [0.7], [0.7], [0.1]]], [[True, True, True, False]]).vector[0]
    assert found == pytest.approx([0.7, 0, 0, 0], abs=1e-6)
    assert found[1:].tolist() == [0, 0, 0]


@pytest.mark.parametrize("order", [0, 5])
def test_only_orders_one_to_four_exist(order: int) -> None:
    with pytest.raises(SwarmbedError, match=r"^order must be a whole number between 1 and 4, not"):
        Moments(order)
