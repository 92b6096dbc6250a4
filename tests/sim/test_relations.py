"""What one agent senses of another, by hand and against the arctangents of the formulas."""

from math import pi, sqrt
from typing import Any

import jax.numpy as jnp
import jaxtyping
import numpy as np
import pytest

from swarmbed.sim import relations
from swarmbed.sim.world import Closed, Torus

# Agent 0 at (10, 10) looks north; agent 1 at (13, 14) looks east: 3 east, 4 north, 5 apart.
POSITION = jnp.array([[10.0, 10.0], [13.0, 14.0]])
HEADING = jnp.array([pi / 2, 0.0])
FACING = relations.heading_vector(HEADING)
TO_OTHER = relations.displacement(Closed(100.0, 40.0), POSITION, POSITION)


def assert_near(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-5)


def test_array_annotations_are_checked_in_tests() -> None:
    with pytest.raises(jaxtyping.TypeCheckError):
        relations.displacement(Closed(), jnp.zeros((3, 3)), jnp.zeros((3, 2)))


def test_distance_is_the_length_of_the_way() -> None:
    assert_near(TO_OTHER.distance, [[0, 5], [5, 0]])


def test_a_bearing_is_counter_clockwise_from_the_own_heading() -> None:
    # Agent 0 looks north: agent 1 is 4 ahead and 3 to the right. Agent 1 looks east: agent 0 is behind, to the right.
    direction = relations.bearing(TO_OTHER, FACING)
    assert_near([direction.cos[0, 1], direction.sin[0, 1]], [4 / 5, -3 / 5])
    assert_near([direction.cos[1, 0], direction.sin[1, 0]], [-3 / 5, -4 / 5])


def test_relative_orientation_is_the_bearing_that_the_other_has_of_me() -> None:
    direction = relations.relative_orientation(TO_OTHER, FACING)
    assert_near([direction.cos[0, 1], direction.sin[0, 1]], [-3 / 5, -4 / 5])
    assert_near([direction.cos[1, 0], direction.sin[1, 0]], [4 / 5, -3 / 5])


def test_a_relative_heading_is_counter_clockwise_from_the_own_heading() -> None:
    # I face north, the other west: it faces a quarter turn to my left.
    mine, others = (relations.heading_vector(jnp.array([angle])) for angle in (pi / 2, pi))
    np.testing.assert_allclose(relations.relative_heading(mine, others), [[[0]], [[1]]], atol=1e-6)


def test_relative_velocity_in_the_world_frame() -> None:
    # v⁰ = 2 north, v¹ = 3 east: v⁰ − v¹ = (−3, 2).
    dx, dy = relations.relative_velocity(jnp.array([[0.0, 2.0]]), jnp.array([[0.0, 2.0], [3.0, 0.0]]))
    assert_near(dx, [[0, -3]])
    assert_near(dy, [[0, 2]])


def test_relative_velocity_in_the_own_frame() -> None:
    # (−3, 2) for somebody who looks north: 2 ahead, and west is to the left, 3.
    looking_north = relations.heading_vector(HEADING[:1])
    ahead, left = relations.to_own_frame(jnp.array([[-3.0]]), jnp.array([[2.0]]), looking_north)
    assert_near([ahead[0, 0], left[0, 0]], [2, 3])


@pytest.mark.parametrize(
    ("x", "y", "heading", "distance", "cos", "sin"),
    [
        (30, 15, 0, 15, 0, -1),  # south wall, seen by somebody who looks east: to the right
        (4, 20, pi / 2, 4, 0, 1),  # west wall, looking north: to the left
        (97, 20, 0, 3, 1, 0),  # east wall, looking east: straight ahead
        (50, 38, pi, 2, 0, -1),  # north wall, looking west: to the right
        (50, 38, pi / 4, 2, 1 / sqrt(2), 1 / sqrt(2)),  # north wall, looking north-east: half left
        (0, 20, 0, 0, -1, 0),  # touching the west wall, looking east: behind
    ],
)
def test_the_nearest_wall(x: float, y: float, heading: float, distance: float, cos: float, sin: float) -> None:
    facing = relations.heading_vector(jnp.array([float(heading)]))
    wall = relations.nearest_wall(Closed(100.0, 40.0), jnp.array([[float(x), float(y)]]), facing)
    assert_near([wall.distance[0], wall.direction.cos[0], wall.direction.sin[0]], [distance, cos, sin])


@pytest.mark.parametrize("world", [Closed(60.0, 150.0), Torus(60.0, 150.0)])
def test_distances_and_angles_obey_the_formulas_of_the_paper(
    world: Closed | Torus, float64: None, quick_jit: Any
) -> None:
    random = np.random.default_rng(0)
    position, heading = random.uniform(0, [60, 150], (8, 2)), random.uniform(0, 2 * pi, 8)
    way = position[None] - position[:, None]
    if isinstance(world, Torus):
        images = way[..., None, :] + np.array([[60 * i, 150 * j] for i in (-1, 0, 1) for j in (-1, 0, 1)])
        nearest = np.hypot(images[..., 0], images[..., 1]).argmin(-1)
        way = np.take_along_axis(images, nearest[..., None, None], 2)[..., 0, :]
    dx, dy = np.moveaxis(way, -1, 0)

    def sense(position: Any, heading: Any) -> Any:
        way, facing = relations.displacement(world, position, position), relations.heading_vector(heading)
        return way.distance, relations.bearing(way, facing), relations.relative_orientation(way, facing)

    distance, bearing, orientation = quick_jit(sense)(position, heading)
    pairs = ~np.eye(8, dtype=bool)
    np.testing.assert_allclose(distance, np.hypot(dx, dy), atol=1e-12)
    for direction, angle in (
        (bearing, np.arctan2(dy, dx) - heading[:, None]),
        (orientation, np.arctan2(-dy, -dx) - heading[None, :]),
    ):
        np.testing.assert_allclose(direction.cos[pairs], np.cos(angle)[pairs], atol=1e-12)
        np.testing.assert_allclose(direction.sin[pairs], np.sin(angle)[pairs], atol=1e-12)


def test_agents_on_the_same_spot_have_no_direction_between_them() -> None:
    here = jnp.full((2, 2), 7.0)
    together = relations.displacement(Closed(), here, here)
    np.testing.assert_array_equal(together.distance, np.zeros((2, 2)))
    for direction in (relations.bearing(together, FACING), relations.relative_orientation(together, FACING)):
        np.testing.assert_array_equal(direction.cos, np.zeros((2, 2)))
        np.testing.assert_array_equal(direction.sin, np.zeros((2, 2)))


def test_others_are_everybody_but_the_viewer() -> None:
    wanted = [[True, True, False], [False, True, True]]
    np.testing.assert_array_equal(relations.others(jnp.array([2, 0]), 3), wanted)


def test_a_position_that_is_not_a_number_has_no_distance() -> None:
    # A distance of 0 would make a broken policy look like one whose swarm has met.
    assert np.isnan(relations.length(jnp.array([jnp.nan]), jnp.array([0.0]))).all()
