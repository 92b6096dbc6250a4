"""Pursuit of several evaders: caught ones come back elsewhere, and only time ends the episode."""

from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int, PRNGKeyArray

from swarmbed.spec.settings import setting
from swarmbed.tasks.base import Metric, State
from swarmbed.tasks.evasion import EvasionTask, evaders_of
from swarmbed.tasks.swarm import Sensed


@dataclass(frozen=True)
class MultiPursuit(EvasionTask):
    """Pursuers catch several evaders; a caught one reappears elsewhere until the time is up.

    r = number of evaders with a pursuer within d_t in the new state. The next transition first puts those evaders
    somewhere else, then all agents move. Evaders form a second set.
    """

    metrics: ClassVar[tuple[Metric, ...]] = (Metric("captures", "evaders caught", kind="count", better="higher"),)

    num_agents: int = setting(50, "number of pursuers N", flag="agents", at_least=1)
    num_evaders: int = setting(5, "number of evaders E", flag="evaders", at_least=1)
    capture_radius: float = setting(3.0, "distance d_t of a pursuer at which an evader is caught, units", above=0)
    credit_radius: float | None = setting(
        None, "pursuers learn only from captures within this radius of them; left out: from all", above=0
    )

    @property
    def evader_count(self) -> int:
        return self.num_evaders

    def caught(self, state: State) -> Bool[Array, " E"]:
        return self.nearest_pursuer(state) <= self.capture_radius

    def transition(self, state: State, action: Float[Array, "N 2"], key: PRNGKeyArray) -> State:
        elsewhere = self.random_positions(key, self.num_evaders)
        evaders = jnp.where(self.caught(state)[:, None], elsewhere, evaders_of(state))
        return self.move(state._replace(evaders=evaders), action)

    def reward(self, state: State, action: Float[Array, "N 2"], next_state: State) -> Float[Array, ""]:
        return self.caught(next_state).sum(dtype=jnp.result_type(float)) - self.cost_of_distance(next_state)

    def credit(self, state: State, action: Float[Array, "N 2"], next_state: State) -> Float[Array, " N"] | None:
        """The captures near each pursuer, less the cost of distance.

        Of the captures that all share, a pursuer takes part in few: the others are noise in its advantage.
        """
        if self.credit_radius is None and self.distance_credit == "shared":
            return None
        distance = self.evader_distances(next_state)
        near = distance <= (jnp.inf if self.credit_radius is None else self.credit_radius)
        captures = (near & self.caught(next_state)).sum(axis=1, dtype=jnp.result_type(float))
        return captures - self.credited_cost(next_state)

    def measure(self, state: State) -> dict[str, Float[Array, ""]]:
        return {"captures": self.caught(state).sum(dtype=jnp.result_type(float))}

    def sense(self, state: State, viewers: Int[Array, " M"], transmitted: Float[Array, " N"] | None) -> Sensed:
        neighbours = self.sense_neighbours(state, viewers, transmitted)
        return Sensed(self.sense_self(state, viewers), (neighbours, self.sense_evaders(state, viewers)))
