"""The state of a swarm: what its constructor fills in, and that jax can take it apart and put it together."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from swarmbed.sim.unicycle import Agents
from swarmbed.tasks.base import State

AGENTS = Agents(jnp.arange(6.0).reshape(3, 2), jnp.zeros(3))


def test_a_new_state_is_the_start_of_an_episode_with_everybody_there() -> None:
    state = State(AGENTS)
    np.testing.assert_array_equal(state.present, [True, True, True])
    assert state.present.dtype == bool
    assert (int(state.age), state.age.dtype, state.age.shape) == (0, jnp.int32, ())
    assert state.evaders is None
    assert state.extra is None


def test_what_is_given_stays() -> None:
    state = State(AGENTS, present=jnp.array([True, False, True]), age=jnp.int32(7), extra={"fuel": jnp.ones(3)})
    np.testing.assert_array_equal(state.present, [True, False, True])
    assert int(state.age) == 7
    assert state.extra["fuel"].shape == (3,)


def test_replacing_a_part_leaves_the_rest() -> None:
    state = State(AGENTS, present=jnp.array([True, False, True]), age=jnp.int32(7))
    changed = state._replace(evaders=jnp.ones((2, 2)))
    assert isinstance(changed, State)
    assert int(changed.age) == 7
    np.testing.assert_array_equal(changed.present, [True, False, True])
    assert changed.evaders is not None
    assert state.evaders is None


def test_jax_takes_a_state_apart_and_puts_it_together() -> None:
    state = State(AGENTS, extra=(jnp.zeros(2), {"x": jnp.ones(())}))
    leaves, structure = jax.tree.flatten(state)
    assert len(leaves) == 6  # position, heading, present, age, and two of the task's own
    again = jax.tree.unflatten(structure, leaves)
    assert isinstance(again, State)
    assert jax.tree.structure(again) == structure
    # Other things than arrays may stand in a tree of states: shapes, or what a function makes of leaves.
    assert jax.tree.map(lambda leaf: None, state).present is None
    assert jax.tree.map(jnp.shape, state).age == ()


def test_a_state_goes_through_jit_vmap_and_scan() -> None:
    def older(state: State, _: Any = None) -> tuple[State, Any]:
        return state._replace(age=state.age + 1), state.present.sum()

    batch = jax.vmap(lambda heading: State(Agents(AGENTS.position, heading)))(jnp.zeros((5, 3)))
    assert batch.present.shape == (5, 3)
    assert batch.age.shape == (5,)
    last, counts = jax.jit(lambda state: jax.lax.scan(older, state, None, length=4))(State(AGENTS))
    assert int(last.age) == 4
    assert counts.tolist() == [3, 3, 3, 3]


def test_states_made_for_many_swarms_at_once_have_one_age_each() -> None:
    # (swarms, agents) in front: without vmap, as a batch of states is stored.
    batch = State(Agents(jnp.zeros((5, 3, 2)), jnp.zeros((5, 3))))
    assert batch.present.shape == (5, 3)
    assert batch.age.shape == (5,)
