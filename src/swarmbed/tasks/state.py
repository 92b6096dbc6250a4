"""The state of a swarm: everything that the next step depends on."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int

from swarmbed.sim.unicycle import Agents


class _Fields(NamedTuple):
    agents: Agents
    evaders: Float[Array, "E 2"] | None
    present: Bool[Array, " N"]
    age: Int[Array, ""]
    extra: Any
    disturbance: Any


class State(_Fields):
    """Agents, evaders if any, which agents are present, the age of the episode, and what else a task keeps.

    ``State(agents)`` is a swarm at the start of an episode with all agents present. ``present`` says which of the N
    agents exist: an absent agent is not sensed, fled from or counted, and its row has no meaning, so swarms of
    different sizes fit into one shape. ``age`` counts steps. ``extra`` is any pytree of arrays.
    ``disturbance`` is what the episode has drawn of its disturbances; None where none is on.
    """

    __slots__ = ()

    def __new__(
        cls,
        agents: Agents,
        evaders: Any = None,
        present: Any = None,
        age: Any = None,
        extra: Any = None,
        disturbance: Any = None,
    ) -> "State":
        # A tree of states may hold anything in place of arrays (jax rebuilds it through here): only arrays have shapes.
        if present is None and hasattr(getattr(agents, "heading", None), "shape"):
            present = jnp.ones(agents.heading.shape, bool)
        if age is None and hasattr(getattr(agents, "heading", None), "shape"):
            age = jnp.zeros(agents.heading.shape[:-1], jnp.int32)
        return super().__new__(cls, agents, evaders, present, age, extra, disturbance)


def present_agents(state: State) -> Agents:
    """The agents of a state, or of a batch of states, with zeros in the rows of absent ones, whatever those hold."""
    there = state.present

    def clear(leaf: Array) -> Array:
        return jnp.where(there.reshape(there.shape + (1,) * (leaf.ndim - there.ndim)), leaf, jnp.zeros((), leaf.dtype))

    return jax.tree.map(clear, state.agents)
