"""Agents that come and go during an episode, and episodes that begin with different numbers of them.

A swarm has ``num_agents`` slots. ``state.present`` says which of them hold an agent, so swarms of all sizes have one
shape and run in one compiled batch.
"""

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Int, PRNGKeyArray

from swarmbed.sim.unicycle import Agents
from swarmbed.tasks.state import State


def draw_present(key: PRNGKeyArray, places: int, sizes: tuple[int, ...] | Int[Array, " sizes"]) -> Bool[Array, " N"]:
    """The first slots, as many as a randomly drawn size."""
    return jnp.arange(places) < jax.random.choice(key, jnp.array(sizes))


def come_and_go(
    key: PRNGKeyArray, state: State, newcomers: Agents, loss_rate: float, join_rate: float, seconds: float
) -> State:
    """The state after some agents have left and some have joined; newcomers take the slots they have in the array.

    Rates are per agent (or empty slot) and second: within ``seconds`` an agent leaves with probability 1 − exp(−rate ·
    seconds). An agent that joins in a step does not leave in it, and a step that would remove all agents removes none.
    """
    loss_key, join_key = jax.random.split(key)
    places = state.present.shape
    leaves = state.present & jax.random.bernoulli(loss_key, 1 - jnp.exp(-loss_rate * seconds), places)
    joins = ~state.present & jax.random.bernoulli(join_key, 1 - jnp.exp(-join_rate * seconds), places)
    stays = state.present & ~leaves
    stays = jnp.where(jnp.any(stays | joins), stays, state.present)

    def place(new: Array, old: Array) -> Array:
        return jnp.where(joins.reshape(joins.shape + (1,) * (old.ndim - 1)), new, old)

    return state._replace(agents=jax.tree.map(place, newcomers, state.agents), present=stays | joins)
