"""Rendezvous: all agents meet in one point that nobody chose beforehand."""

from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int

from swarmbed.sim import graph
from swarmbed.spec.settings import setting
from swarmbed.tasks.base import Goal, Metric, State
from swarmbed.tasks.swarm import Sensed, SwarmTask


@dataclass(frozen=True)
class Rendezvous(SwarmTask):
    """r = α Σ_{i<j} min(d^{ij}, d_c) + β‖a‖ with α = −1 / (N(N−1)/2 · d_c), β = −10⁻³.

    *comm* adds the neighbourhood size: |N(j)| of each neighbour to its element, |N(i)| to the local properties.
    """

    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric(
            "mean_distance",
            "mean distance",
            unit="units",
            better="lower",
            log=True,
            goal=Goal("gathered", "met (mean distance ends below 0.1)", 0.1),
        ),
    )

    observation: str = setting("extended", "what agents sense", flag="observe", choices=("basic", "extended", "comm"))
    action_cost: float = setting(1e-3, "weight −β of the joint action's norm in the reward", at_least=0)

    def reward(self, state: State, action: Float[Array, "N 2"], next_state: State) -> Float[Array, ""]:
        distance = jnp.minimum(self.pair_distances(next_state), self.comm_range)
        # The matrix holds every pair twice and a zero diagonal; a lone agent has no pair and no distance term.
        spread = distance.sum() / 2 / (self._pairs(next_state) * self.comm_range)
        return -spread - self.action_cost * _norm(jnp.where(state.present[:, None], action, 0.0))

    def measure(self, state: State) -> dict[str, Float[Array, ""]]:
        return {"mean_distance": self.pair_distances(state).sum() / (2 * self._pairs(state))}

    def transmit(self, state: State) -> Float[Array, " N"] | None:
        if self.observation != "comm":
            return None
        others = self.others(state, jnp.arange(self.num_agents))
        adjacent = graph.neighbours(self.pair_distances(state), others, self.comm_radius)
        return graph.neighbourhood_size(adjacent) / jnp.maximum(self.population(state) - 1, 1.0)

    def sense(self, state: State, viewers: Int[Array, " M"], transmitted: Float[Array, " N"] | None) -> Sensed:
        local = self.sense_self(state, viewers)
        if transmitted is not None:
            local |= {"own neighbourhood size": transmitted[viewers]}
        return Sensed(local, (self.sense_neighbours(state, viewers, transmitted),))

    def _pairs(self, state: State) -> Float[Array, ""]:
        """N(N−1)/2, or 1 for a lone agent."""
        count = self.population(state)
        return jnp.maximum(count * (count - 1) / 2, 1.0)


def _norm(action: Array) -> Array:
    """‖a‖ of all agents' actions together, with gradient 0 at 0."""
    square = jnp.sum(action * action)
    return jnp.where(square != 0, jnp.sqrt(jnp.where(square != 0, square, 1.0)), 0.0)
