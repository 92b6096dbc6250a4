"""What agents sense does not depend on their numbering, nor on where or which way round the scene lies.

Coordinates are whole numbers in a world of 75 × 45 and radii end in a half. All differences are then exact in float32,
no distance equals a radius, and no two agents are exactly half a torus apart, where left and right are the same.
"""

from dataclasses import replace
from math import pi
from typing import Any

import hypothesis.strategies as st
import jax
import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import arrays

from swarmbed.sim.unicycle import Agents
from swarmbed.tasks import make
from swarmbed.tasks.base import State

N, E = 5, 3
LOCAL: dict[str, Any] = {"num_agents": N, "width": 75, "height": 45, "comm_radius": 20.5}
TASKS: dict[str, Any] = {
    "rendezvous": make("rendezvous", observation="comm", velocity_frame="own", **LOCAL),
    "rendezvous-torus": make("rendezvous", observation="displacement", world="torus", **LOCAL),
    "pursuit": make("pursuit", observation="comm", sight_radius=15.5, **LOCAL),
    "multi_pursuit": make("multi_pursuit", num_evaders=E, sight_radius=15.5, **LOCAL),
}
each_task = pytest.mark.parametrize("name", TASKS)
each_task_on_a_torus = pytest.mark.parametrize("name", [name for name in TASKS if name != "rendezvous"])


def whole(count: int, largest: int) -> Any:
    return arrays(np.float32, count, elements=st.integers(0, largest).map(float))


def between(count: int, low: float, high: float) -> Any:
    return arrays(np.float32, count, elements=st.floats(low, high, width=32))


@st.composite
def states(draw: Any, name: str) -> State:
    """A random scene. A quarter is added to y, so that no two walls are equally near."""
    velocities: Any = (draw(between(N, -10, 10)), draw(between(N, -3, 3))) if "rendezvous" in name else ()
    position: Any = np.stack([draw(whole(N, 74)), draw(whole(N, 44)) + np.float32(0.25)], -1)
    count = {"pursuit": 1, "multi_pursuit": E}.get(name)
    evaders: Any = None if count is None else np.stack([draw(whole(count, 74)), draw(whole(count, 44)) + 0.25], -1)
    agents = Agents(position, draw(between(N, 0, 6.25)), *velocities)
    return State(agents, None if evaders is None else evaders.astype(np.float32))


STILL = np.zeros((N, 2), np.float32)


@pytest.fixture(scope="module")
def sense(quick_jit: Any) -> Any:
    """``sense(task, state, action)``: what all agents observe, and the reward for being there; plain arrays."""

    def both(task: Any, state: State, action: Any) -> Any:
        return task.observe(state), task.reward(state, action, state)

    compiled = quick_jit(both, static_argnums=0)
    return lambda task, state, action=STILL: jax.tree.map(np.asarray, compiled(task, state, action))


def moved(state: State, position_of: Any, turn: float) -> State:
    position, heading = position_of(state.agents.position), state.agents.heading + np.float32(turn)
    agents = state.agents._replace(position=position, heading=heading)
    return State(agents, None if state.evaders is None else position_of(state.evaders))


def assert_same(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(found, wanted, rtol=0, atol=2e-6)


def assert_same_scene(found: Any, wanted: Any) -> None:
    """Equal observations and equal rewards."""
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
        assert one.dtype == other.dtype
        assert_same(one.astype(float), other.astype(float))


@each_task
@given(data=st.data())
def test_relabelling_agents_relabels_what_they_sense_and_leaves_the_reward_alone(
    name: str, data: Any, sense: Any
) -> None:
    task, state = TASKS[name], data.draw(states(name))
    order = np.array(data.draw(st.permutations(range(N))))
    action = data.draw(arrays(np.float32, (N, 2), elements=st.floats(-2, 2, width=32)))
    relabelled = state._replace(agents=jax.tree.map(lambda column: column[order], state.agents))
    before, reward_before = sense(task, state, action)
    after, reward_after = sense(task, relabelled, action[order])
    assert_same(reward_after, reward_before)
    assert_same(after.local, before.local[order])
    assert_same(after.sets[0].elements, before.sets[0].elements[order][:, order])
    np.testing.assert_array_equal(after.sets[0].mask, before.sets[0].mask[order][:, order])
    for one, other in zip(after.sets[1:], before.sets[1:], strict=True):
        assert_same(one.elements, other.elements[order])
        np.testing.assert_array_equal(one.mask, other.mask[order])


@given(data=st.data())
def test_relabelling_evaders_relabels_their_slots_and_leaves_the_reward_alone(data: Any, sense: Any) -> None:
    task, state = TASKS["multi_pursuit"], data.draw(states("multi_pursuit"))
    order = np.array(data.draw(st.permutations(range(E))))
    assert state.evaders is not None
    relabelled = state._replace(evaders=state.evaders[order])
    (before, reward_before), (after, reward_after) = sense(task, state), sense(task, relabelled)
    assert reward_after == reward_before
    assert_same(after.sets[1].elements, before.sets[1].elements[:, order])
    np.testing.assert_array_equal(after.sets[1].mask, before.sets[1].mask[:, order])
    assert_same(after.sets[0].elements, before.sets[0].elements)


@each_task_on_a_torus
@given(data=st.data())
def test_shifting_the_scene_on_a_torus_changes_nothing_that_an_agent_senses(name: str, data: Any, sense: Any) -> None:
    task, state = TASKS[name], data.draw(states(name))
    shift = np.array([data.draw(st.integers(0, 74)), data.draw(st.integers(0, 44))], np.float32)
    shifted = moved(state, lambda position: (position + shift) % np.array([75, 45], np.float32), 0.0)
    assert_same_scene(sense(task, shifted), sense(task, state))


@pytest.mark.parametrize("name", ["pursuit", "multi_pursuit"])
@given(data=st.data())
def test_shifting_the_scene_on_a_torus_shifts_where_evaders_flee_to(name: str, data: Any, compiled: Any) -> None:
    task, state = TASKS[name], data.draw(states(name))
    shift = np.array([data.draw(st.integers(0, 74)), data.draw(st.integers(0, 44))], np.float32)
    size = np.array([75, 45], np.float32)
    shifted = moved(state, lambda position: (position + shift) % size, 0.0)
    off = compiled(task, "flee")(shifted) - compiled(task, "flee")(state) - shift
    np.testing.assert_allclose(off - size * np.round(off / size), 0.0, atol=1e-4)


@each_task
@given(data=st.data())
def test_turning_the_scene_by_a_quarter_changes_nothing_that_an_agent_senses(name: str, data: Any, sense: Any) -> None:
    # (x, y) → (height − y, x), and width and height change places.
    task, state = TASKS[name], data.draw(states(name))
    turned_task = replace(task, width=45.0, height=75.0)
    turned = moved(state, lambda position: np.stack([45 - position[:, 1], position[:, 0]], -1), pi / 2)
    assert_same_scene(sense(turned_task, turned), sense(task, state))


def plain_distances(task: Any, origin: Any, target: Any) -> Any:
    """Distances in float64, by trying all images."""
    way = np.asarray(target, np.float64)[None] - np.asarray(origin, np.float64)[:, None]
    reach = (-1, 0, 1) if task.world == "torus" else (0,)
    return np.min([np.hypot(way[..., 0] + 75 * i, way[..., 1] + 45 * j) for i in reach for j in reach], axis=0)


@each_task
@given(data=st.data())
def test_masks_say_who_is_within_reach_and_absent_elements_are_exactly_zero(name: str, data: Any, sense: Any) -> None:
    task, state = TASKS[name], data.draw(states(name))
    sets = sense(task, state)[0].sets
    position = state.agents.position
    wanted = [(plain_distances(task, position, position) <= 20.5) & ~np.eye(N, dtype=bool)]
    if name == "multi_pursuit":
        wanted.append(plain_distances(task, position, state.evaders) <= 15.5)
    assert len(sets) == len(wanted)
    for (elements, mask), reachable in zip(sets, wanted, strict=True):
        np.testing.assert_array_equal(mask, reachable)
        assert not np.any(np.asarray(elements)[~reachable])


@each_task
@given(data=st.data())
def test_a_few_viewers_see_what_they_see_among_all(name: str, data: Any, sense: Any, compiled: Any) -> None:
    task, state = TASKS[name], data.draw(states(name))
    viewers = np.array(data.draw(st.lists(st.integers(0, N - 1), min_size=3, max_size=3)))
    everybody, _ = sense(task, state)
    few = compiled(task, "observe_from")(state, viewers, compiled(task, "transmit")(state))
    assert_same_scene(jax.tree.map(np.asarray, few), jax.tree.map(lambda column: column[viewers], everybody))
