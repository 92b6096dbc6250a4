"""A swarm with empty places behaves like the smaller swarm of those who are there."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed.sim.unicycle import Agents
from swarmbed.tasks import make
from swarmbed.tasks.base import State

PRESENT = np.array([True, False, True, True, False])
LOCAL: dict[str, Any] = {"comm_radius": 40, "width": 75, "height": 45}
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "rendezvous": ("rendezvous", {"observation": "comm", **LOCAL}),
    "pursuit": ("pursuit", {"observation": "comm", "sight_radius": 25, **LOCAL}),
    "multi_pursuit": ("multi_pursuit", {"num_evaders": 2, "capture_radius": 15, **LOCAL}),
}
SCENES = 20
each_task = pytest.mark.parametrize("name", CASES)


def scenes(name: str) -> tuple[State, State, Any, Any]:
    """Scenes of five places, two of them empty; the same with those present only; the actions in both."""
    random = np.random.default_rng(0)

    def numbers(low: Any, high: Any, *shape: int) -> Any:
        return random.uniform(low, high, (SCENES, *shape)).astype(np.float32)

    position, heading = numbers(0, [75, 45], 5, 2), numbers(0, 6, 5)
    velocities = (numbers(-10, 10, 5), numbers(-3, 3, 5)) if name == "rendezvous" else ()
    # Who is not there stands where he would be noticed: in the middle of the others.
    position[:, ~PRESENT] = position[:, PRESENT].mean(axis=1, keepdims=True) + 0.1
    evaders = None if name == "rendezvous" else numbers(0, [75, 45], 1 if name == "pursuit" else 2, 2)
    action = numbers(-1, 1, 5, 2)
    agents = Agents(position, heading, *velocities)
    few = jax.tree.map(lambda column: column[:, PRESENT], agents)
    present: Any = np.broadcast_to(PRESENT, (SCENES, 5))
    return State(agents, evaders, present), State(few, evaders), action, action[:, PRESENT]


def everything(task: Any, state: State, action: Any) -> dict[str, Any]:
    return {
        "seen": task.observe(state),
        "reward": task.reward(state, action, state),
        "terminated": task.terminated(state),
        "metrics": task.metrics(state),
    }


@pytest.fixture(scope="module")
def both(quick_jit: Any) -> Any:
    """What a task computes with places left empty, and what its smaller sibling computes."""
    found: dict[str, Any] = {}

    def compute(name: str) -> Any:
        if name not in found:
            kind, settings = CASES[name]
            five, three = (make(kind, num_agents=number, **settings) for number in (5, 3))
            with_gaps, without, action, fewer_actions = scenes(name)
            pairs = ((five, with_gaps, action), (three, without, fewer_actions))
            outcomes = [quick_jit(jax.vmap(partial(everything, task)))(*arguments) for task, *arguments in pairs]
            found[name] = jax.tree.map(np.asarray, outcomes)
        return found[name]

    return compute


def assert_same(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(found, wanted, rtol=0, atol=2e-5)


@each_task
def test_nobody_senses_an_absent_agent(name: str, both: Any) -> None:
    found, wanted = (outcome["seen"] for outcome in both(name))
    assert_same(found.local[:, PRESENT], wanted.local)
    assert not found.sets[0].mask[:, :, ~PRESENT].any()
    assert not found.sets[0].elements[:, :, ~PRESENT].any()
    np.testing.assert_array_equal(found.sets[0].mask[:, PRESENT][:, :, PRESENT], wanted.sets[0].mask)
    assert_same(found.sets[0].elements[:, PRESENT][:, :, PRESENT], wanted.sets[0].elements)
    for one, other in zip(found.sets[1:], wanted.sets[1:], strict=True):
        np.testing.assert_array_equal(one.mask[:, PRESENT], other.mask)
        assert_same(one.elements[:, PRESENT], other.elements)


@each_task
def test_absent_agents_do_not_count_in_reward_end_and_metrics(name: str, both: Any) -> None:
    found, wanted = both(name)
    assert_same(found["reward"], wanted["reward"])
    assert np.ptp(wanted["reward"]) > 0
    np.testing.assert_array_equal(found["terminated"], wanted["terminated"])
    for metric, values in wanted["metrics"].items():
        assert_same(found["metrics"][metric], values)


@pytest.mark.parametrize("name", ["pursuit", "multi_pursuit"])
def test_evaders_do_not_flee_from_absent_pursuers(name: str, quick_jit: Any) -> None:
    # An evader sees no difference between somebody absent in its way and somebody absent far away.
    kind, settings = CASES[name]
    task: Any = make(kind, num_agents=5, **settings)
    flee = quick_jit(jax.vmap(task.flee))
    state, *_ = scenes(name)
    position = np.where(PRESENT[:, None], state.agents.position, np.float32(1.0))
    moved = state._replace(agents=state.agents._replace(position=jnp.asarray(position)))
    np.testing.assert_array_equal(flee(moved), flee(state))
    everybody = state._replace(present=jnp.ones((SCENES, 5), bool))
    assert not np.array_equal(flee(everybody), flee(state))


def test_who_is_absent_stays_absent() -> None:
    scene, _, actions, _ = scenes("rendezvous")
    state, action = jax.tree.map(lambda column: jnp.asarray(column[0]), (scene, actions))
    after = make("rendezvous", num_agents=5).transition(state, action, jax.random.key(0))
    np.testing.assert_array_equal(after.present, PRESENT)
