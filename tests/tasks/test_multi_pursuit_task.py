"""Pursuit of several evaders, worked by hand on a torus of 100 × 40."""

from math import pi
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed.tasks import make

KEY, OTHER_KEY = jax.random.key(1), jax.random.key(2)
STILL = jnp.zeros((3, 2))
SETTINGS: dict[str, Any] = {"num_agents": 3, "num_evaders": 3, "width": 100, "height": 40}
TASK = make("multi_pursuit", sight_radius=15, **SETTINGS)
PURSUERS = [(10, 20, 0), (50, 20, pi / 2), (98.5, 20, 0)]
# 2 from the first pursuer; 3, the capture radius itself, from the last one across the border; 4 from the second.
EVADERS = [(10, 22), (1.5, 20), (50, 16)]


def test_the_reward_counts_evaders_with_a_pursuer_within_three_units(scene: Any) -> None:
    state = scene(PURSUERS, EVADERS)
    assert TASK.reward(state, STILL, state) == 2.0
    assert TASK.measure(state) == {"captures": 2.0}


def test_the_reward_looks_at_the_new_state(scene: Any) -> None:
    nobody_caught = scene(PURSUERS, [(30, 5)] * 3)
    assert TASK.reward(scene(PURSUERS, EVADERS), STILL, nobody_caught) == 0.0
    assert TASK.reward(nobody_caught, STILL, scene(PURSUERS, EVADERS)) == 2.0


def test_two_pursuers_at_one_evader_catch_it_once(scene: Any) -> None:
    state = scene([(10, 20, 0), (10, 20, 0), (11, 20, 0)], [(10, 21), (30, 5), (70, 5)])
    assert TASK.reward(state, STILL, state) == 1.0


def test_captures_do_not_end_the_episode(scene: Any) -> None:
    assert not TASK.terminated(scene(PURSUERS, EVADERS))


def test_caught_evaders_respawn_inside_the_inner_90_percent_and_the_others_stay(scene: Any, compiled: Any) -> None:
    # Evaders that do not move by themselves show the respawn alone.
    task = make("multi_pursuit", evader_speed_ratio=0, **SETTINGS)
    new = np.asarray(compiled(task, "transition")(scene(PURSUERS, EVADERS), STILL, KEY).evaders)
    np.testing.assert_array_equal(new[2], EVADERS[2])
    for caught in (0, 1):
        assert np.hypot(*(new[caught] - EVADERS[caught])) > 1
        assert ((new[caught] >= [5, 2]) & (new[caught] <= [95, 38])).all()


def test_a_respawned_evader_flees_in_the_same_transition(scene: Any, compiled: Any) -> None:
    # The same key, with and without own movement: first elsewhere, then the two units of one step.
    moving, frozen = (make("multi_pursuit", evader_speed_ratio=ratio, **SETTINGS) for ratio in (2, 0))
    state = scene(PURSUERS, EVADERS)
    way = np.subtract(*(compiled(task, "transition")(state, STILL, KEY).evaders for task in (moving, frozen)))
    way -= np.array([100, 40]) * np.round(way / np.array([100, 40]))
    np.testing.assert_allclose(np.hypot(*way.T), [2, 2, 2], atol=1e-4)


def test_where_an_evader_respawns_is_random_and_where_it_flees_is_not(scene: Any, compiled: Any) -> None:
    task = make("multi_pursuit", evader_speed_ratio=2, **SETTINGS)
    state = scene(PURSUERS, EVADERS)
    one, two = (np.asarray(compiled(task, "transition")(state, STILL, key).evaders) for key in (KEY, OTHER_KEY))
    np.testing.assert_array_equal(one[2], two[2])
    assert (one[:2] != two[:2]).all()


def test_pursuers_move_on_when_an_evader_is_caught(scene: Any, compiled: Any) -> None:
    task = make("multi_pursuit", evader_speed_ratio=2, **SETTINGS)
    moved = compiled(task, "transition")(scene(PURSUERS, EVADERS), jnp.array([[1.0, 0.0]] * 3), KEY)
    np.testing.assert_allclose(moved.agents.position, np.array([[11, 20], [50, 21], [99.5, 20]]), atol=1e-4)


def test_on_a_torus_an_agent_has_no_local_properties(scene: Any, compiled: Any) -> None:
    assert compiled(TASK, "observe")(scene(PURSUERS, EVADERS)).local.shape == (3, 0)


def test_evaders_form_a_second_set(scene: Any, compiled: Any) -> None:
    # Pursuer 1 looks north: evader 2 is 4 of 15 away, straight behind. The others are out of its sight.
    _, (elements, mask) = compiled(TASK, "observe")(scene(PURSUERS, EVADERS)).sets
    np.testing.assert_array_equal(mask, [[True, True, False], [False, False, True], [True, True, False]])
    np.testing.assert_allclose(elements[1], np.array([[0, 0, 0], [0, 0, 0], [4 / 15, -1, 0]]), atol=1e-6)


def test_columns_of_both_sets_come_in_the_order_of_the_paper() -> None:
    pursuers = ("distance", "bearing cos", "bearing sin", "orientation cos", "orientation sin")
    assert TASK.column_names == ((), (pursuers, ("distance", "bearing cos", "bearing sin")))


@pytest.mark.parametrize(("name", "wanted"), [("num_agents", 50), ("num_evaders", 5), ("capture_radius", 3.0)])
def test_defaults_are_those_of_the_paper(name: str, wanted: float) -> None:
    assert getattr(make("multi-pursuit"), name) == wanted
