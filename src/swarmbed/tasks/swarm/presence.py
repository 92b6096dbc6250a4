"""Who is there: which agents can be sensed, and what a task counts."""

from dataclasses import dataclass

import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int

from swarmbed.sim import relations
from swarmbed.tasks.base import State
from swarmbed.tasks.disturbances import moving
from swarmbed.tasks.disturbances.state import term_of
from swarmbed.tasks.swarm.settings import SwarmSettings


@dataclass(frozen=True)
class PresentSwarm(SwarmSettings):
    """Only present agents are sensed and counted."""

    def others(self, state: State, viewers: Int[Array, " M"]) -> Bool[Array, "M N"]:
        """True where column j is a present agent other than the viewer."""
        others = relations.others(viewers, self.num_agents) & state.present[None, :]
        are_seen = term_of(self, state, "stopped_seen")
        if state.disturbance is None or are_seen is True:
            return others
        still = moving.stands_still(self, state)
        return others if still is None else others & (are_seen | ~still[None, :])

    def population(self, state: State) -> Float[Array, ""]:
        """The number of present agents."""
        return state.present.sum(dtype=jnp.result_type(float))

    def pair_distances(self, state: State) -> Float[Array, "N N"]:
        """d^{ij}; 0 for pairs of which one is absent."""
        position = state.agents.position
        distance = relations.displacement(self.space, position, position).distance
        return jnp.where(state.present[:, None] & state.present[None, :], distance, 0.0)
