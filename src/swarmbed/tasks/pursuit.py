"""Pursuit of a single evader: the episode ends when a pursuer reaches it."""

from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int

from swarmbed.sim import graph
from swarmbed.spec.settings import setting
from swarmbed.tasks.base import Metric, State
from swarmbed.tasks.evasion import EvasionTask
from swarmbed.tasks.swarm import Sensed

PATH_SCALE = 5.0  # a path of five communication radii or more looks like no path at all


@dataclass(frozen=True)
class Pursuit(EvasionTask):
    """r = −min(d_min, d_o) / d_o, with d_min the distance of the closest pursuer.

    *comm* adds the length of the shortest path to the evader over the communication graph: each neighbour's to its
    element, the agent's own to the local properties.
    """

    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric("captured", "captured", kind="event", better="higher"),
        Metric("evader_distance", "distance to the evader", unit="units", better="lower"),
    )

    observation: str = setting("extended", "what agents sense", flag="observe", choices=("basic", "extended", "comm"))

    def reward(self, state: State, action: Float[Array, "N 2"], next_state: State) -> Float[Array, ""]:
        return -jnp.minimum(self.nearest_pursuer(next_state)[0], self.sight_range) / self.sight_range

    def terminated(self, state: State) -> Bool[Array, ""]:
        return self.nearest_pursuer(state)[0] <= self.capture_radius

    def measure(self, state: State) -> dict[str, Float[Array, ""]]:
        nearest = self.nearest_pursuer(state)[0]
        return {"captured": (nearest <= self.capture_radius).astype(nearest.dtype), "evader_distance": nearest}

    def path_to_evader(self, state: State) -> Float[Array, " N"]:
        """d_min^{ie}: the shortest path over agents that hear each other, ending with one that sees the evader."""
        distance = self.pair_distances(state)
        adjacent = graph.neighbours(distance, self.others(state, jnp.arange(self.num_agents)), self.comm_radius)
        to_evader = self.evader_distances(state)[:, 0]
        sight = jnp.inf if self.sight_radius is None else self.sight_radius
        return graph.shortest_path(distance, adjacent, jnp.where(to_evader <= sight, to_evader, jnp.inf))

    def transmit(self, state: State) -> Float[Array, " N"] | None:
        if self.observation != "comm":
            return None
        return jnp.minimum(self.path_to_evader(state) / (PATH_SCALE * self.comm_range), 1.0)

    def sense(self, state: State, viewers: Int[Array, " M"], transmitted: Float[Array, " N"] | None) -> Sensed:
        columns, seen = self.sense_evaders(state, viewers)
        local = self.sense_self(state, viewers)
        # An unseen evader is as far away as can be, in no direction.
        local |= {"evader distance": jnp.where(seen, columns["distance"], 1.0)[:, 0]}
        local |= {
            f"evader {name}": jnp.where(seen, columns[name], 0.0)[:, 0] for name in ("bearing cos", "bearing sin")
        }
        if transmitted is not None:
            local |= {"own path to evader": transmitted[viewers]}
        return Sensed(local, (self.sense_neighbours(state, viewers, transmitted),))
