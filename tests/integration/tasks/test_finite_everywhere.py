"""No NaN, neither in values nor in gradients, however agents and evaders lie on top of each other."""

from typing import Any

import hypothesis.strategies as st
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import arrays
from jax.flatten_util import ravel_pytree

from swarmbed.sim.unicycle import Agents
from swarmbed.tasks import make
from swarmbed.tasks.base import State

# Borders, the middle, exactly half the world apart, nearly on the same spot, exactly one radius away.
X = (0.0, 20.0, 20.000002, 37.5, 40.0, 75.0)
Y = (0.0, 22.5, 22.500002, 42.5, 45.0)
HEADINGS = (0.0, 1.5707964, 1.0)
ACTIONS = (0.0, 1.0, -1.0, 3.0, 0.3)

SIZE = {"width": 75, "height": 45}
NEAR = {"comm_radius": 20, "sight_radius": 20, "observation": "comm"}
TASKS = {
    "rendezvous of one": make("rendezvous", num_agents=1, observation="comm", **SIZE),
    "rendezvous of two on a torus": make("rendezvous", num_agents=2, world="torus", dynamics="single", **SIZE),
    "rendezvous of four nearby": make(
        "rendezvous", num_agents=4, comm_radius=20, observation="comm", velocity_frame="own", **SIZE
    ),
    "pursuit by one between walls": make("pursuit", num_agents=1, world="closed", **NEAR, **SIZE),
    "pursuit by three nearby": make("pursuit", num_agents=3, **NEAR, **SIZE),
    "pursuit of two evaders between walls": make(
        "multi_pursuit", num_agents=2, num_evaders=2, world="closed", sight_radius=20, **SIZE
    ),
}


def some(values: tuple[float, ...], *shape: int) -> Any:
    return arrays(np.float32, shape, elements=st.sampled_from(np.array(values, np.float32).tolist()))


@st.composite
def moments(draw: Any, task: Any) -> tuple[Agents, Any, Any]:
    """Agents, evaders and an action, all from the few values above."""
    count = task.num_agents

    def points(number: int) -> Any:
        return np.stack([draw(some(X, number)), draw(some(Y, number))], -1)

    still = np.zeros(count, np.float32)
    velocities = (still, still) if task.dynamics == "double" else ()
    agents = Agents(points(count), draw(some(HEADINGS, count)), *velocities)
    evaders = points(task.evader_count) if hasattr(task, "evader_count") else None
    return agents, evaders, draw(some(ACTIONS, count, 2))


def outlook(task: Any, agents: Agents, evaders: Any, action: Any) -> Any:
    """One number that depends on all that a task computes: the reward after a step, and the observation before it."""
    state = State(agents, evaders)
    moved = task.advance(jax.random.key(0), state, action)
    seen = task.observe(state)
    where = sum(jnp.sum(jnp.sin(leaf)) for leaf in jax.tree.leaves((moved.state.agents, moved.state.evaders)))
    return moved.reward + where + sum(jnp.sum(leaf) for leaf in (seen.local, *(one.elements for one in seen.sets)))


@pytest.fixture(scope="session")
def value_and_slopes(quick_jit: Any) -> Any:
    found: dict[str, Any] = {}

    def of(name: str) -> Any:
        if name not in found:
            task = TASKS[name]
            found[name] = quick_jit(jax.value_and_grad(lambda *parts: outlook(task, *parts), argnums=(0, 1, 2)))
        return found[name]

    return of


@pytest.mark.parametrize("name", TASKS)
@given(data=st.data())
def test_values_and_gradients_are_finite(name: str, data: Any, value_and_slopes: Any) -> None:
    value, slopes = value_and_slopes(name)(*data.draw(moments(TASKS[name])))
    assert np.isfinite(value)
    assert all(np.isfinite(slope).all() for slope in jax.tree.leaves(slopes))


@pytest.mark.parametrize("name", TASKS)
def test_gradients_are_finite_with_everybody_on_one_spot(name: str, value_and_slopes: Any) -> None:
    task = TASKS[name]
    shapes = jax.eval_shape(task.initial, jax.random.key(0))
    full = lambda leaf: np.full(leaf.shape, 20.0 if len(leaf.shape) == 2 else 0.0, np.float32)  # noqa: E731
    agents, evaders = jax.tree.map(full, (shapes.agents, shapes.evaders))
    value, slopes = value_and_slopes(name)(agents, evaders, np.zeros((task.num_agents, 2), np.float32))
    assert np.isfinite(value)
    assert all(np.isfinite(slope).all() for slope in jax.tree.leaves(slopes))


def test_the_gradient_of_a_step_is_that_of_finite_differences(float64: None, quick_jit: Any) -> None:
    # Away from ties the gradient is not only finite but right.
    task = make("pursuit", num_agents=3, world="closed", **NEAR, **SIZE)
    table = jnp.array([[10.3, 12.1], [21.7, 20.4], [33.9, 15.2]])
    agents, evaders = Agents(table, jnp.array([0.3, 1.9, 4.4])), jnp.array([[40.2, 24.6]])
    action = jnp.array([[0.5, -0.2], [0.9, 0.4], [-0.3, 0.7]])
    flat, unflatten = ravel_pytree((agents, evaders, action))
    step = 1e-6

    def function(flat: Any) -> Any:
        return outlook(task, *unflatten(flat))

    nudges = step * np.eye(flat.size)
    ahead, behind = quick_jit(jax.vmap(function))(np.concatenate([flat + nudges, flat - nudges])).reshape(2, -1)
    slope, wanted = quick_jit(jax.grad(function))(flat), (ahead - behind) / (2 * step)
    assert np.count_nonzero(wanted) == flat.size
    np.testing.assert_allclose(slope, wanted, atol=1e-6)
