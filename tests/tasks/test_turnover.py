"""Swarms of different sizes in one batch, and agents that come and go during an episode."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import swarmbed
from swarmbed.sim.unicycle import Agents
from swarmbed.tasks.state import State
from swarmbed.tasks.turnover import come_and_go

TASKS = ["rendezvous", "rendezvous-local", "pursuit", "pursuit-local", "multi-pursuit"]
KEYS = jax.random.split(jax.random.key(0), 4000)


def swarm(present: list[bool]) -> State:
    """Agents that all stand at (1, 1)."""
    count = len(present)
    return State(Agents(jnp.ones((count, 2)), jnp.ones(count)), present=jnp.array(present))


@pytest.fixture(scope="module")
def many(quick_jit: Any) -> Any:
    """4000 steps of 0.1 s from the same state; newcomers stand at (9, 9)."""

    def run(state: State, loss: float, join: float) -> State:
        new = Agents(jnp.full_like(state.agents.position, 9.0), jnp.full_like(state.agents.heading, 9.0))
        step = lambda key: come_and_go(key, state, new, loss, join, 0.1)  # noqa: E731
        return quick_jit(jax.vmap(step))(KEYS)

    return run


def test_each_leaves_at_the_rate(many: Any) -> None:
    # 1 − exp(−2 · 0.1) = 0.1813; five standard errors over 4000 draws are 0.030.
    left = 1 - many(swarm([True, True, False]), 2.0, 0.0).present.mean(0)
    assert left[:2] == pytest.approx([0.1813, 0.1813], abs=0.03)
    assert left[2] == 1  # an empty place stays empty


def test_each_empty_place_is_taken_at_the_rate_by_a_newcomer_elsewhere(many: Any) -> None:
    # 1 − exp(−3 · 0.1) = 0.2592; five standard errors are 0.035.
    after = many(swarm([True, False, False]), 0.0, 3.0)
    assert after.present.mean(0) == pytest.approx([1, 0.2592, 0.2592], abs=0.035)
    position, heading = np.asarray(after.agents.position), np.asarray(after.agents.heading)
    new = np.asarray(after.present) & np.array([False, True, True])
    assert (position[new] == 9).all() and (heading[new] == 9).all()
    assert (position[~new] == 1).all() and (heading[~new] == 1).all()


def test_the_last_agent_never_leaves(many: Any) -> None:
    after = many(swarm([True, True, False]), 1e6, 0.0).present
    assert after.tolist() == [[True, True, False]] * len(KEYS)


# One of each kind: the others are settings of these.
@pytest.mark.parametrize("name", ["rendezvous", "pursuit", "multi-pursuit"])
def test_without_rates_and_sizes_nothing_changes(name: str, compiled: Any, quick_jit: Any) -> None:
    plain, rates = swarmbed.make(name, num_agents=4), swarmbed.make(name, num_agents=4, loss_rate=1e-30)
    state = compiled(plain, "initial")(KEYS[0])
    assert plain.come_and_go(state, KEYS[1]) is state
    one, other = (quick_jit(task.advance)(KEYS[2], state, task.sample_action(KEYS[3])) for task in (plain, rates))
    assert all(np.array_equal(a, b) for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True))


@pytest.mark.parametrize("name", TASKS)
def test_every_episode_draws_one_of_the_sizes(name: str, quick_jit: Any) -> None:
    task = swarmbed.make(name, num_agents=6, sizes=(2, 3, 6))
    sizes = quick_jit(jax.vmap(lambda key: task.initial(key).present.sum()))(KEYS[:600])
    found, times = np.unique(np.asarray(sizes), return_counts=True)
    assert found.tolist() == [2, 3, 6]
    assert times == pytest.approx([200, 200, 200], abs=58)  # five standard deviations of a third of 600


def test_a_swarm_of_a_drawn_size_earns_what_one_of_that_size_earns(compiled: Any) -> None:
    mixed = swarmbed.make("rendezvous", num_agents=6, sizes=(3,))
    exact = swarmbed.make("rendezvous", num_agents=3)
    state = compiled(mixed, "initial")(KEYS[0])
    small = state._replace(agents=jax.tree.map(lambda leaf: leaf[:3], state.agents), present=jnp.ones(3, bool))
    action = jnp.full((6, 2), 0.3)
    one = compiled(mixed, "advance")(KEYS[1], state, action)
    other = compiled(exact, "advance")(KEYS[1], small, action[:3])
    assert one.reward == pytest.approx(float(other.reward), rel=1e-5)
    for name, value in mixed.measure(one.state).items():
        assert value == pytest.approx(float(exact.measure(other.state)[name]), rel=1e-5)


def test_another_size_takes_the_place_of_drawn_ones() -> None:
    task = swarmbed.make("pursuit", num_agents=8, sizes=(4, 8)).resized(3)
    assert (task.num_agents, task.sizes) == (3, ())


def test_a_size_beyond_the_number_of_agents_is_refused() -> None:
    with pytest.raises(swarmbed.SwarmbedError, match="sizes must be at most the number of agents, 10, not 12"):
        swarmbed.make("pursuit", sizes=(4, 12))
