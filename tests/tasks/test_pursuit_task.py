"""Pursuit of one evader, worked by hand on a torus of 100 × 40."""

from dataclasses import replace
from math import hypot, pi
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed.tasks import make

KEY = jax.random.key(0)
STILL = jnp.zeros((3, 2))
THREE = make("pursuit", num_agents=3, width=100, height=40, comm_radius=25, sight_radius=20, observation="comm")


def close(wanted: Any) -> Any:
    return pytest.approx(wanted, abs=1e-6)


def test_the_reward_is_the_distance_of_the_nearest_pursuer_over_the_sight_radius(scene: Any) -> None:
    # 3-4-5 from the first pursuer, farther from the others: −5/20.
    state = scene([(47, 16, 0), (30, 20, 0), (70, 20, 0)], (50, 20))
    assert THREE.reward(state, STILL, state) == close(-0.25)


def test_the_reward_looks_at_the_new_state(scene: Any) -> None:
    near, far = ([(x, 16, 0), (30, 20, 0), (70, 20, 0)] for x in (47, 50))
    assert THREE.reward(scene(near, (50, 20)), STILL, scene(far, (50, 20))) == close(-0.2)


def test_the_nearest_pursuer_may_be_across_the_border(scene: Any) -> None:
    state = scene([(98, 20, 0), (30, 20, 0), (70, 20, 0)], (2, 20))
    assert THREE.reward(state, STILL, state) == close(-4 / 20)


def test_farther_than_the_sight_radius_is_never_worse_than_minus_one(scene: Any) -> None:
    state = scene([(25, 20, 0), (25, 20, 0), (75, 20, 0)], (50, 20))
    assert THREE.reward(state, STILL, state) == -1.0


def test_without_a_sight_radius_the_scale_is_half_the_diagonal(scene: Any) -> None:
    task = make("pursuit", num_agents=3, width=100, height=40)
    state = scene([(47, 16, 0), (30, 20, 0), (70, 20, 0)], (50, 20))
    assert task.reward(state, STILL, state) == close(-5 / (hypot(100, 40) / 2))


@pytest.mark.parametrize(("distance", "captured"), [(0.5, True), (1.0, True), (1.01, False)])
def test_the_evader_is_caught_within_one_unit(distance: float, captured: bool, scene: Any) -> None:
    state = scene([(50 - distance, 20, 0), (30, 20, 0), (70, 20, 0)], (50, 20))
    assert bool(THREE.terminated(state)) is captured
    assert THREE.measure(state)["captured"] == float(captured)


def test_the_distance_of_the_nearest_pursuer_is_followed(scene: Any) -> None:
    state = scene([(47, 16, 0), (30, 20, 0), (70, 20, 0)], (50, 20))
    assert THREE.measure(state)["evader_distance"] == close(5)


def test_pursuers_and_evader_both_choose_from_the_state_before(scene: Any, compiled: Any) -> None:
    # A lone pursuer three units behind drives one unit to the side, while the evader runs two units straight away from
    # where the pursuer was.
    task = make("pursuit", num_agents=1, width=100, height=40)
    state = compiled(task, "transition")(scene([(47, 20, pi / 2)], (50, 20)), jnp.array([[1.0, 0.0]]), KEY)
    np.testing.assert_allclose(state.agents.position, [[47, 21]], atol=1e-4)
    np.testing.assert_allclose(state.evaders, [[52, 20]], atol=1e-4)


def test_the_evader_crosses_the_border_of_a_torus(scene: Any, compiled: Any) -> None:
    task = make("pursuit", num_agents=1, width=100, height=40)
    state = compiled(task, "transition")(scene([(96, 20, 0)], (99, 20)), jnp.zeros((1, 2)), KEY)
    np.testing.assert_allclose(state.evaders, [[1, 20]], atol=1e-4)


def test_the_evader_stops_at_walls(scene: Any, compiled: Any) -> None:
    task = make("pursuit", num_agents=1, width=100, height=40, world="closed")
    state = compiled(task, "transition")(scene([(96, 20, 0)], (99, 20)), jnp.zeros((1, 2)), KEY)
    np.testing.assert_allclose(state.evaders, [[100, 20]], atol=1e-4)


def test_a_slower_evader_is_a_setting(scene: Any, compiled: Any) -> None:
    task = make("pursuit", num_agents=1, width=100, height=40, world="closed", evader_speed_ratio=0.5)
    state = compiled(task, "transition")(scene([(47, 20, 0)], (50, 20)), jnp.zeros((1, 2)), KEY)
    np.testing.assert_allclose(state.evaders, [[50.5, 20]], atol=1e-4)


def test_columns_come_in_the_order_of_the_paper() -> None:
    local = ("evader distance", "evader bearing cos", "evader bearing sin", "own path to evader")
    pair = ("distance", "bearing cos", "bearing sin", "orientation cos", "orientation sin", "transmitted")
    assert THREE.column_names == (local, (pair,))


def test_walls_and_velocities_come_before_the_evader() -> None:
    names = make("pursuit", world="closed", dynamics="double", observation="basic").column_names
    own = ("wall distance", "wall cos", "wall sin", "speed", "turn rate")
    assert names.local == (*own, "evader distance", "evader bearing cos", "evader bearing sin")


def test_a_seen_evader_has_a_distance_and_a_bearing_and_an_unseen_one_is_far_and_nowhere(
    scene: Any, compiled: Any
) -> None:
    # Pursuer 0 looks north, the evader is 3 east and 4 north of it: 4 ahead, 3 right. Pursuer 2 is 30 away.
    seen = compiled(THREE, "observe")(scene([(47, 16, pi / 2), (30, 20, 0), (80, 20, 0)], (50, 20)))
    np.testing.assert_allclose(seen.local[0, :3], [5 / 20, 0.8, -0.6], atol=1e-6)
    np.testing.assert_allclose(seen.local[1, :3], [1, 1, 0], atol=1e-6)  # 20 away exactly: still in sight
    np.testing.assert_array_equal(seen.local[2, :3], [1, 0, 0])


def test_paths_to_the_evader_are_transmitted_in_units_of_five_radii(scene: Any, compiled: Any) -> None:
    # In a row, 20 apart, and only the last one sees the evader, 10 further: 50, 30 and 10 of 5 · 25.
    observation = compiled(THREE, "observe")(scene([(10, 20, 0), (30, 20, 0), (50, 20, 0)], (60, 20)))
    np.testing.assert_allclose(observation.local[:, 3], [50 / 125, 30 / 125, 10 / 125], atol=1e-6)
    elements, mask = observation.sets[0]
    np.testing.assert_array_equal(mask, [[False, True, False], [True, False, True], [False, True, False]])
    np.testing.assert_allclose(elements[1, :, 5], [50 / 125, 0, 10 / 125], atol=1e-6)


def test_no_path_looks_like_the_longest_one(scene: Any, compiled: Any) -> None:
    # Nobody hears the first one, nobody sees the evader but the last.
    observation = compiled(THREE, "observe")(scene([(10, 20, 0), (40, 20, 0), (50, 20, 0)], (60, 20)))
    np.testing.assert_allclose(observation.local[:, 3], [1, 20 / 125, 10 / 125], atol=1e-6)


@pytest.mark.parametrize("observation", ["basic", "extended", "displacement"])
def test_without_comm_nothing_is_transmitted(observation: str, scene: Any) -> None:
    task = make("pursuit", num_agents=1, observation=observation)
    assert task.transmit(scene([(47, 20, 0)], (50, 20))) is None


def test_displacement_says_where_the_evader_is_and_nothing_of_one_that_is_not_seen(scene: Any, compiled: Any) -> None:
    # The evader is 4 ahead and 3 right of pursuer 0; 5 units are ¼ of what is seen, and 0.4 and 0.02 units fade.
    task = replace(THREE, observation="displacement")
    seen = compiled(task, "observe")(scene([(47, 16, pi / 2), (30, 20, 0), (80, 20, 0)], (50, 20)))
    wanted = [5 / 20, 4 / 20, -3 / 20, 4 / 5.4, -3 / 5.4, 4 / 5.02, -3 / 5.02]
    np.testing.assert_allclose(seen.local[0], wanted, atol=1e-6)
    np.testing.assert_array_equal(seen.local[2], [1, 0, 0, 0, 0, 0, 0])
