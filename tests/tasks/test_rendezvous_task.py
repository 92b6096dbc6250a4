"""Rendezvous, worked by hand: three agents at (0, 0), (3, 4), (0, 8) are 5, 5 and 8 apart."""

from math import pi, sqrt
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed.tasks import make

KEY = jax.random.key(0)
AT_REST = [(0, 0, 0, 0, 0), (3, 4, 0, 0, 0), (0, 8, 0, 0, 0)]
# ‖a‖ = √(9 + 16) = 5, which is more than any clipped action could have: it is taken before clipping.
ACTION = jnp.array([[3.0, 0.0], [0.0, 4.0], [0.0, 0.0]])
STILL = jnp.zeros((3, 2))


def close(wanted: Any) -> Any:
    return pytest.approx(wanted, abs=1e-6)


def test_the_reward_is_the_mean_capped_distance_and_the_norm_of_the_joint_action(scene: Any) -> None:
    # min(d, 6): 5 + 5 + 6 = 16 over 3 pairs · 6, and 10⁻³ · 5.
    task = make("rendezvous", num_agents=3, comm_radius=6)
    state = scene(AT_REST)
    assert task.reward(state, ACTION, state) == close(-16 / 18 - 0.005)


def test_without_a_radius_distances_are_in_units_of_the_diagonal(scene: Any) -> None:
    task = make("rendezvous", num_agents=3, width=30, height=40)
    state = scene(AT_REST)
    assert task.reward(state, STILL, state) == close(-18 / (3 * 50))


def test_without_a_radius_distances_on_a_torus_are_in_units_of_half_the_diagonal(scene: Any) -> None:
    task = make("rendezvous", num_agents=3, width=30, height=40, world="torus")
    state = scene(AT_REST)
    assert task.reward(state, STILL, state) == close(-18 / (3 * 25))


def test_the_reward_looks_at_the_new_state(scene: Any) -> None:
    task = make("rendezvous", num_agents=3, comm_radius=6)
    together = scene([(50, 50, 0, 0, 0)] * 3)
    assert task.reward(scene(AT_REST), STILL, together) == 0.0
    assert task.reward(together, STILL, scene(AT_REST)) == close(-16 / 18)


def test_a_lone_agent_only_pays_for_its_action(scene: Any) -> None:
    task = make("rendezvous", num_agents=1)
    state = scene([(7, 7, 0, 0, 0)])
    assert task.reward(state, jnp.array([[3.0, 4.0]]), state) == close(-0.005)


def test_two_agents_have_one_pair(scene: Any) -> None:
    task = make("rendezvous", num_agents=2, comm_radius=10)
    state = scene([(0, 0, 0, 0, 0), (3, 4, 0, 0, 0)])
    assert task.reward(state, jnp.zeros((2, 2)), state) == close(-0.5)


def test_the_price_of_actions_is_a_setting(scene: Any) -> None:
    task = make("rendezvous", num_agents=1, action_cost=0.5)
    state = scene([(7, 7, 0, 0, 0)])
    assert task.reward(state, jnp.array([[3.0, 4.0]]), state) == close(-2.5)


def test_the_mean_distance_is_over_pairs_and_not_capped(scene: Any) -> None:
    task = make("rendezvous", num_agents=3, comm_radius=6)
    assert task.measure(scene(AT_REST))["mean_distance"] == close(6)


def test_the_mean_distance_of_a_lone_agent_is_zero(scene: Any) -> None:
    assert make("rendezvous", num_agents=1).measure(scene([(7, 7, 0, 0, 0)]))["mean_distance"] == 0.0


def test_meeting_does_not_end_the_episode(scene: Any) -> None:
    assert not make("rendezvous", num_agents=3).terminated(scene([(50, 50, 0, 0, 0)] * 3))


def test_starts_are_at_rest_inside_the_inner_90_percent(compiled: Any) -> None:
    task = make("rendezvous", num_agents=500, width=100, height=40)
    agents = compiled(task, "initial")(KEY).agents
    low, high = np.asarray(agents.position).min(axis=0), np.asarray(agents.position).max(axis=0)
    assert (low >= [5, 2]).all()
    assert (low <= [7, 3]).all()
    assert (high <= [95, 38]).all()
    assert (high >= [93, 37]).all()
    assert 0 <= agents.heading.min() < 0.1
    assert 2 * pi - 0.1 < agents.heading.max() < 2 * pi
    assert not np.any(agents.speed)
    assert not np.any(agents.turn_rate)


def test_a_step_of_the_task_is_a_step_of_its_unicycles(scene: Any) -> None:
    # From rest at full acceleration, nothing lost: v = 0.1, 0.2 … 1, and the way is 0.01 · 5.5.
    task = make("rendezvous", num_agents=2, velocity_kept=1.0)
    moved = task.transition(scene([(10, 10, 0, 0, 0), (10, 10, pi / 2, 0, 0)]), jnp.array([[1.0, 0.0]] * 2), KEY)
    np.testing.assert_allclose(moved.agents.position, [[10.055, 10], [10, 10.055]], atol=1e-5)
    assert moved.agents.speed == close([1, 1])


def test_columns_come_in_the_order_of_the_paper() -> None:
    names = make("rendezvous", num_agents=3, observation="comm").column_names
    assert names.local == ("wall distance", "wall cos", "wall sin", "speed", "turn rate", "own neighbourhood size")
    assert names.sets == (
        (
            *("distance", "bearing cos", "bearing sin", "orientation cos", "orientation sin"),
            *("velocity x", "velocity y", "transmitted"),
        ),
    )


def test_single_integrators_on_a_torus_have_no_local_columns() -> None:
    names = make("rendezvous", num_agents=3, observation="basic", dynamics="single", world="torus").column_names
    assert names == ((), (("distance", "bearing cos", "bearing sin"),))


def test_what_an_agent_observes_of_itself_and_of_another(scene: Any, compiled: Any) -> None:
    # Agent 0 at (10, 10) looks north at 2 units/s, agent 1 at (13, 14) looks east at 3. Agent 2 is out of reach.
    settings = {"num_agents": 3, "observation": "comm", "comm_radius": 20, "width": 100, "height": 50}
    state = scene([(10, 10.5, pi / 2, 2, pi / 4), (13, 14.5, 0, 3, 0), (90, 45, 0, 0, 0)])
    seen = compiled(make("rendezvous", **settings), "observe")(state)
    # West wall: 10 of at most 25, on the left. Speed 2 of 10, turn rate ¼. One of two others is a neighbour.
    np.testing.assert_allclose(seen.local[0], [10 / 25, 0, 1, 0.2, 0.25, 0.5], atol=1e-6)
    # 5 of 20; 4 ahead and 3 right; from agent 1 I am behind, right; (0, 2) − (3, 0) over 20; it hears one of two.
    wanted = [5 / 20, 0.8, -0.6, -0.6, -0.8, -3 / 20, 2 / 20, 0.5]
    np.testing.assert_allclose(seen.sets[0].elements[0, 1], wanted, atol=1e-6)
    np.testing.assert_array_equal(seen.sets[0].mask, [[False, True, False], [True, False, False], [False] * 3])
    # Agent 2, alone: the north wall is 5 away, on the left; nobody to hear.
    np.testing.assert_allclose(seen.local[2], [5 / 25, 0, 1, 0, 0, 0], atol=1e-6)
    # In the agent's own frame (−3, 2) is 2 ahead and 3 to the left.
    own_frame = compiled(make("rendezvous", velocity_frame="own", **settings), "observe")(state)
    np.testing.assert_allclose(own_frame.sets[0].elements[0, 1, 5:7], [2 / 20, 3 / 20], atol=1e-6)


def test_agents_transmit_their_share_of_possible_neighbours(scene: Any) -> None:
    # Within 6 of each other: 0–1 and 1–2, but not 0–2, which are 8 apart.
    task = make("rendezvous", num_agents=3, comm_radius=6, observation="comm")
    assert task.transmit(scene(AT_REST)) == close([0.5, 1, 0.5])


def test_a_lone_agent_transmits_that_it_has_no_neighbour(scene: Any) -> None:
    task = make("rendezvous", num_agents=1, observation="comm")
    np.testing.assert_array_equal(task.transmit(scene([(7, 7, 0, 0, 0)])), [0.0])


@pytest.mark.parametrize("observation", ["basic", "extended", "displacement"])
def test_without_comm_nothing_is_transmitted(observation: str, scene: Any) -> None:
    assert make("rendezvous", num_agents=3, observation=observation).transmit(scene(AT_REST)) is None


def test_the_distance_scale_is_what_can_be_sensed_at_most() -> None:
    tasks: list[Any] = [make("rendezvous", **s) for s in ({}, {"world": "torus"}, {"comm_radius": 40})]
    assert [task.comm_range for task in tasks] == close([100 * sqrt(2), 50 * sqrt(2), 40])


def test_displacement_says_where_a_neighbour_is_in_the_own_frame(scene: Any, compiled: Any) -> None:
    # Agent 0 looks north at 2 units/s; agent 1 is 4 ahead and 3 right of it and moves east at 3. 0.02 · 20 = 0.4 and
    # 0.001 · 20 = 0.02 units are where its bearing fades.
    task = make("rendezvous", num_agents=2, observation="displacement", comm_radius=20, width=100, height=50)
    seen = compiled(task, "observe")(scene([(10, 10.5, pi / 2, 2, 0), (13, 14.5, 0, 3, 0)]))
    where = [5 / 20, 4 / 20, -3 / 20, 4 / 5.4, -3 / 5.4, 4 / 5.02, -3 / 5.02]
    # East is to the right of north; the relative velocity (−3, 2) is 2 ahead and 3 to the left, whatever
    # velocity_frame says.
    np.testing.assert_allclose(seen.sets[0].elements[0, 1], [*where, 0, -1, 2 / 20, 3 / 20], atol=1e-6)


def test_no_column_of_displacement_jumps_when_agents_pass_each_other(scene: Any, compiled: Any) -> None:
    # The neighbour goes from a hair ahead to a hair behind: its bearing jumps by 2.
    def change(observation: str) -> dict[str, float]:
        task = make("rendezvous", num_agents=2, observation=observation, comm_radius=20)
        states = [scene([(10, 10, 0, 0, 0), (10 + hair, 10, 1, 0, 0)]) for hair in (1e-3, -1e-3)]
        ahead, behind = (compiled(task, "observe")(state).sets[0].elements[0, 1] for state in states)
        return dict(zip(task.column_names.sets[0], ahead - behind, strict=True))

    assert change("extended")["bearing cos"] == close(2)
    smooth = change("displacement")
    assert max(map(abs, smooth.values())) < 0.1
    assert smooth["ahead"] == pytest.approx(0.002 / 20, rel=0.01)
    assert smooth["near ahead"] == pytest.approx(0.002 / 0.401, rel=0.01)
    assert smooth["close ahead"] == pytest.approx(0.002 / 0.021, rel=0.01)


def test_no_column_of_displacement_jumps_in_the_middle_of_the_world(scene: Any, compiled: Any) -> None:
    # A hair to the left of the middle the nearest wall is in the west, a hair to the right in the east.
    def wall(observation: str, x: float) -> Any:
        task = make("rendezvous", num_agents=1, observation=observation, width=100, height=120)
        seen = compiled(task, "observe")(scene([(x, 60, 0, 0, 0)])).local[0]
        return dict(zip(task.column_names.local, seen, strict=True))["wall cos"]

    assert wall("extended", 50 + 1e-3) - wall("extended", 50 - 1e-3) == close(2)
    assert wall("displacement", 50 + 1e-3) - wall("displacement", 50 - 1e-3) == pytest.approx(4e-5, abs=1e-6)
    assert wall("displacement", 80) == pytest.approx(0.6)  # 20 of 50 units from the wall: 1 − 0.4
