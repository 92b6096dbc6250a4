"""Bins over distance and bearing, worked by hand."""

from math import cos, pi, sin
from typing import Any

import numpy as np
import pytest

from swarmbed.embeddings.base import SetLayout
from swarmbed.embeddings.histogram import Histogram
from swarmbed.spec.errors import SwarmbedError


def element(distance: float, *angles: float) -> list[float]:
    return [distance, *(number for angle in angles for number in (cos(angle), sin(angle)))]


def bins_of(embed: Any, histogram: Histogram, *elements: list[float]) -> np.ndarray:
    """The histogram of one set with two absent slots behind it, as a grid with one axis per dimension."""
    padded = [*elements, [0.0] * len(elements[0]), [0.0] * len(elements[0])]
    mask = [index < len(elements) for index in range(len(padded))]
    return embed(histogram, [padded], [mask]).vector[0].reshape((histogram.bins,) * (1 + histogram.angles))


@pytest.mark.parametrize(
    ("distance", "angle", "row", "column"),
    [
        (0.3, 0.5, 2, 4),  # 0.3 · 8 = 2.4; (0.5 + π)/2π · 8 = 4.64
        (0.99, -3.0, 7, 0),  # 7.92; 0.18
        (0.55, 3.0, 4, 7),  # 4.4; 7.82
        (0.1, -pi / 2 - 0.1, 0, 1),  # 0.8; 2 − 0.13 = 1.87
    ],
)
def test_an_element_falls_into_its_bin(distance: float, angle: float, row: int, column: int, embed: Any) -> None:
    grid = bins_of(embed, Histogram(), element(distance, angle))
    assert np.argwhere(grid).tolist() == [[row, column]]
    assert grid[row, column] == 1


@pytest.mark.parametrize(
    ("distance", "row"),
    [(0.0, 0), (0.125, 1), (0.5, 4), (1.0, 7), (1.5, 7)],  # the lower edge belongs to a bin; the end to the last one
)
def test_a_distance_on_an_edge_belongs_to_the_bin_above_and_the_largest_to_the_last(
    distance: float, row: int, embed: Any
) -> None:
    assert bins_of(embed, Histogram(), element(distance, 0.1))[row, 4] == 1


def test_straight_behind_belongs_to_the_last_bin(embed: Any) -> None:
    # Angles lie in (−π, π], so that straight behind is +π and not −π.
    assert bins_of(embed, Histogram(), [0.1, -1.0, 0.0])[0, 7] == 1


def test_straight_ahead_belongs_to_the_first_bin_on_the_left(embed: Any) -> None:
    assert bins_of(embed, Histogram(), [0.1, 1.0, 0.0])[0, 4] == 1


def test_bins_hold_the_shares_of_the_set(embed: Any) -> None:
    near, far = element(0.05, 0.1), element(0.95, -0.1)
    grid = bins_of(embed, Histogram(), near, far, near, near)
    assert grid[0, 4] == 0.75
    assert grid[7, 3] == 0.25
    assert grid.sum() == 1


def test_the_orientation_is_a_third_dimension(embed: Any) -> None:
    # With two bins per dimension: far, on the right (negative bearing), orientation positive.
    grid = bins_of(embed, Histogram(bins=2, angles=2), element(0.7, -1.0, 2.0))
    assert np.argwhere(grid).tolist() == [[1, 0, 1]]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"bins": 0}, "bins must be a whole number of at least 1, not 0"),
        ({"angles": 0}, "angles must be a whole number between 1 and 2, not 0"),
        ({"angles": 3}, "angles must be a whole number between 1 and 2, not 3"),
    ],
)
def test_wrong_settings_are_named(settings: dict[str, int], sentence: str) -> None:
    with pytest.raises(SwarmbedError, match=f"^{sentence}$"):
        Histogram(**settings)


def test_elements_without_an_orientation_cannot_be_sorted_by_it() -> None:
    Histogram(angles=2).check(SetLayout(4, 5, True))
    with pytest.raises(SwarmbedError, match=r"histogram over distance and bearing and orientation needs .* 5 numbers"):
        Histogram(angles=2).check(SetLayout(4, 3, True))
