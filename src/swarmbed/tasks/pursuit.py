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
    """Pursuers catch one evader that is faster than they are; the episode ends when one of them reaches it.

    r = −min(d_min, d_o) / d_o, with d_min the distance of the closest pursuer.
    *comm* adds the length of the shortest path to the evader over the communication graph: each neighbour's to its
    element, the agent's own to the local properties.
    """

    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric("captured", "captured", kind="event", better="higher"),
        Metric("evader_distance", "distance to the evader", unit="units", better="lower"),
    )

    observation: str = setting(
        "extended", "what agents sense", flag="observe", choices=("basic", "extended", "comm", "displacement")
    )

    def reward(self, state: State, action: Float[Array, "N 2"], next_state: State) -> Float[Array, ""]:
        return self._closeness(next_state) - self.cost_of_distance(next_state)

    def credit(self, state: State, action: Float[Array, "N 2"], next_state: State) -> Float[Array, " N"] | None:
        if self.distance_credit == "shared":
            return None
        return self._closeness(next_state) - self.credited_cost(next_state)

    def _closeness(self, state: State) -> Float[Array, ""]:
        return -jnp.minimum(self.nearest_pursuer(state)[0], self.sight_range) / self.sight_range

    def terminated(self, state: State) -> Bool[Array, ""]:
        return self.nearest_pursuer(state)[0] <= self.capture_radius

    def measure(self, state: State) -> dict[str, Float[Array, ""]]:
        nearest = self.nearest_pursuer(state)[0]
        return {"captured": (nearest <= self.capture_radius).astype(nearest.dtype), "evader_distance": nearest}

    def path_to_evader(self, state: State) -> Float[Array, " N"]:
        """d_min^{ie}: the shortest path over the communication graph, ending with an agent that sees the evader."""
        everybody = jnp.arange(self.num_agents)
        near = self.nearby(state, everybody)
        to_other, adjacent, _ = self._having_found(near).perceive(state, everybody)
        to_evader, seen = self.perceive_evaders(state, everybody)
        last_hop = jnp.where(seen & state.present[:, None], to_evader.distance, jnp.inf)[:, 0]
        if near is not None and near.mask is not None:
            # Longer paths than this cannot be told from no path, so they need not be known.
            far = PATH_SCALE * self.comm_range
            return graph.shortest_path_in_lists(to_other.distance, near.agent, adjacent, last_hop, far)
        return graph.shortest_path(to_other.distance, adjacent, last_hop)

    def transmit(self, state: State) -> Float[Array, " N"] | None:
        if self.observation != "comm":
            return None
        return jnp.minimum(self.path_to_evader(state) / (PATH_SCALE * self.comm_range), 1.0)

    def sense(self, state: State, viewers: Int[Array, " M"], transmitted: Float[Array, " N"] | None) -> Sensed:
        columns, seen = self.sense_evaders(state, viewers)
        local = self.sense_self(state, viewers)
        # An unseen evader is as far away as can be, in no direction.
        local |= {"evader distance": jnp.where(seen, columns["distance"], 1.0)[:, 0]}
        local |= {f"evader {name}": jnp.where(seen, c, 0.0)[:, 0] for name, c in columns.items() if name != "distance"}
        if transmitted is not None:
            local |= {"own path to evader": transmitted[viewers]}
        return Sensed(local, (self.sense_neighbours(state, viewers, transmitted),))
