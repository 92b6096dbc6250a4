"""Bumps over distance and bearing, worked by hand. Defaults: σ_d = 0.05, σ_φ = 0.33, eight centres each."""

from math import cos, exp, pi, sin
from typing import Any

import numpy as np
import pytest

from swarmbed.embeddings.base import SetLayout
from swarmbed.embeddings.rbf import Rbf
from swarmbed.spec.errors import SwarmbedError

STEP = 2 * pi / 8  # between centres on the circle: −π, −3π/4, …, 3π/4


def grid_of(embed: Any, rbf: Rbf, *elements: tuple[float, ...]) -> np.ndarray:
    """The bumps for one set given as (distance, angle, …), with an absent slot behind it."""
    rows = [[d, *(number for angle in angles for number in (cos(angle), sin(angle)))] for d, *angles in elements]
    rows.append([0.0] * len(rows[0]))
    mask = [[*(True for _ in elements), False]]
    return embed(rbf, [rows], mask).vector[0].reshape((rbf.centres,) * (1 + rbf.angles))


def test_an_element_on_a_centre_gives_one_there(embed: Any) -> None:
    # Distances 0, 1/7, …, 1; angles from −π on: 3/7 and 0 are centres number 3 and 4.
    assert grid_of(embed, Rbf(), (3 / 7, 0.0))[3, 4] == pytest.approx(1, abs=1e-6)


def test_neighbouring_bumps_fall_off_as_gaussians(embed: Any) -> None:
    grid = grid_of(embed, Rbf(), (3 / 7, 0.0))
    assert grid[4, 4] == pytest.approx(exp(-0.5 * (1 / 7 / 0.05) ** 2), rel=1e-4)
    assert grid[3, 5] == pytest.approx(exp(-0.5 * (STEP / 0.33) ** 2), rel=1e-4)
    assert grid[2, 3] == pytest.approx(grid[4, 4] * grid[3, 5], rel=1e-4)


def test_the_circle_is_closed(embed: Any) -> None:
    # 3.1 lies 0.0416 beyond −π, the first centre, and π/4 − 0.0416 from 3π/4, the last.
    grid = grid_of(embed, Rbf(), (0.0, 3.1))
    assert grid[0, 0] == pytest.approx(exp(-0.5 * ((pi - 3.1) / 0.33) ** 2), rel=1e-4)
    assert grid[0, 7] == pytest.approx(exp(-0.5 * ((STEP - (pi - 3.1)) / 0.33) ** 2), rel=1e-4)
    assert grid[0, 1] == pytest.approx(exp(-0.5 * ((STEP + (pi - 3.1)) / 0.33) ** 2), rel=1e-3)


def test_just_left_and_just_right_of_straight_behind_look_alike(embed: Any) -> None:
    left, right = (grid_of(embed, Rbf(), (0.5, angle)) for angle in (pi - 1e-4, -pi + 1e-4))
    assert left == pytest.approx(right, abs=1e-3)


def test_bumps_are_averaged_over_the_set_and_not_normalised(embed: Any) -> None:
    one, other = grid_of(embed, Rbf(), (0.5, 0.3)), grid_of(embed, Rbf(), (0.2, 2.0))
    assert grid_of(embed, Rbf(), (0.5, 0.3), (0.2, 2.0)) == pytest.approx((one + other) / 2, abs=1e-6)
    # Half-way between the centres 3/7 and 4/7 a bump is e^{−(1/14/0.05)²/2} = 0.36 high, so a sum of 1 is no rule.
    halfway = grid_of(embed, Rbf(), (0.5, 0.0))
    assert halfway.sum() == pytest.approx(2 * exp(-0.5 * (1 / 14 / 0.05) ** 2) * (1 + 2 * 0.0588), rel=1e-2)


def test_the_orientation_is_a_third_dimension(embed: Any) -> None:
    # Three centres on the circle: −π, −π/3, π/3; three distances: 0, ½, 1.
    grid = grid_of(embed, Rbf(centres=3, angles=2), (0.5, -pi / 3, pi / 3))
    assert np.argwhere(grid == grid.max()).tolist() == [[1, 1, 2]]
    assert grid.max() == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"centres": 0}, "centres must be a whole number of at least 1, not 0"),
        ({"angles": 3}, "angles must be a whole number between 1 and 2, not 3"),
        ({"distance_width": 0.0}, "distance_width must be a number above 0"),
        ({"angle_width": -1.0}, "angle_width must be a number above 0"),
    ],
)
def test_wrong_settings_are_named(settings: dict[str, Any], named: str) -> None:
    with pytest.raises(SwarmbedError, match=named):
        Rbf(**settings)


def test_elements_need_a_bearing() -> None:
    with pytest.raises(SwarmbedError, match="rbf over distance and bearing needs elements of 3 numbers, not 2"):
        Rbf().check(SetLayout(4, 2, True))
