"""Rendezvous: all agents meet at one point that is not agreed on in advance."""

import math
from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int

from swarmbed.sim.neighbours import closeness
from swarmbed.sim.pairs import sum_over_pairs
from swarmbed.spec.settings import setting
from swarmbed.tasks.base import Goal, Metric, State
from swarmbed.tasks.swarm import Sensed, SwarmTask

FINE = 5e-4  # ε of the precision cost, as a share of d_c


@dataclass(frozen=True)
class Rendezvous(SwarmTask):
    """All agents meet at one point that is not agreed on in advance.

    r = α Σ_{i<j} min(d^{ij}, d_c) + β‖a‖ with α = −1 / (N(N−1)/2 · d_c), β = −10⁻³.
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

    observation: str = setting(
        "extended", "what agents sense", flag="observe", choices=("basic", "extended", "comm", "displacement")
    )
    action_cost: float = setting(1e-3, "weight −β of the joint action's norm in the reward", at_least=0)
    precision_cost: float = setting(
        0.0, "weight of the logarithm of all distances, as a cost in the reward: an aid to train with", at_least=0
    )

    def reward(self, state: State, action: Float[Array, "N 2"], next_state: State) -> Float[Array, ""]:
        spread = self._shortened(next_state) / (self._pairs(next_state) * self.comm_range)
        effort = self.action_cost * _norm(jnp.where(state.present[:, None], action, 0.0))
        return -spread - effort - self._cost_of_imprecision(next_state)

    def measure(self, state: State) -> dict[str, Float[Array, ""]]:
        if self.is_large:
            total = sum_over_pairs(self.space, state.agents.position, state.present, lambda distance: distance)
            return {"mean_distance": total / self._pairs(state)}
        return {"mean_distance": self.pair_distances(state).sum() / (2 * self._pairs(state))}

    def transmit(self, state: State) -> Float[Array, " N"] | None:
        if self.observation != "comm":
            return None
        return self.neighbourhood_sizes(state) / jnp.maximum(self.population(state) - 1, 1.0)

    def sense(self, state: State, viewers: Int[Array, " M"], transmitted: Float[Array, " N"] | None) -> Sensed:
        local = self.sense_self(state, viewers)
        if transmitted is not None:
            local |= {"own neighbourhood size": transmitted[viewers]}
        return Sensed(local, (self.sense_neighbours(state, viewers, transmitted),))

    def _shortened(self, state: State) -> Float[Array, ""]:
        """Σ_{i<j} min(d^{ij}, d_c)."""
        position, present = state.agents.position, state.present
        if self.cells is not None:
            # An agent out of reach counts d_c, so only neighbours make a difference: d_c − Σ (d_c − d^{ij}).
            count = self.population(state)
            return self.comm_range * (count * (count - 1) - closeness(self.cells, position, present)) / 2
        if self.is_large:
            return sum_over_pairs(self.space, position, present, lambda d: jnp.minimum(d, self.comm_range))
        # The matrix holds every pair twice and a zero diagonal; a lone agent has no pair and no distance term.
        return jnp.minimum(self.pair_distances(state), self.comm_range).sum() / 2

    def _cost_of_imprecision(self, state: State) -> Float[Array, ""]:
        """What ``precision_cost`` takes off the reward: the mean over pairs of log(1 + d/ε), which is 1 at d_c.

        A swarm that has gathered to a tenth of a unit has all but nothing left to gain in the task's own reward, which
        is linear in the distance, so the last part is learned from noise. With the logarithm every halving counts.
        """
        if isinstance(self.precision_cost, float) and self.precision_cost == 0:
            return jnp.zeros(())
        fine = FINE * self.comm_range
        cost = lambda distance: jnp.log1p(jnp.minimum(distance, self.comm_range) / fine)  # noqa: E731
        if self.is_large:
            total = sum_over_pairs(self.space, state.agents.position, state.present, cost)
        else:
            total = cost(self.pair_distances(state)).sum() / 2
        return self.precision_cost * total / (self._pairs(state) * math.log1p(1 / FINE))

    def _pairs(self, state: State) -> Float[Array, ""]:
        """N(N−1)/2, or 1 for a lone agent."""
        count = self.population(state)
        return jnp.maximum(count * (count - 1) / 2, 1.0)


def _norm(action: Array) -> Array:
    """‖a‖ of all agents' actions together, with gradient 0 at 0."""
    square = jnp.sum(action * action)
    return jnp.where(square != 0, jnp.sqrt(jnp.where(square != 0, square, 1.0)), 0.0)
