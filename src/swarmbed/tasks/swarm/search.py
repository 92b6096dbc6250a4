"""Who is near: neighbours found by comparing all pairs or by cells, piece by piece where a swarm is large."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Float, Int

from swarmbed.sim import relations
from swarmbed.sim.neighbours import Neighbours, how_many, search
from swarmbed.tasks import nearby
from swarmbed.tasks.base import Observation, State
from swarmbed.tasks.disturbances import sensing
from swarmbed.tasks.nearby import Nearby
from swarmbed.tasks.swarm.motion import MovingSwarm

Own = TypeVar("Own", bound="SearchingSwarm")


@dataclass(frozen=True)
class SearchingSwarm(MovingSwarm):
    """Agents have neighbours: all others, or those within d_c."""

    _found: ClassVar[Nearby | None] = None
    _facing: ClassVar[relations.Direction | None] = None

    def across_agents(
        self, state: State, transmitted: Float[Array, " N"] | None, function: Callable[[Observation], Any]
    ) -> Any:
        if not self.is_large or self.ranges:
            return super().across_agents(state, transmitted, function)
        position, present = state.agents.position, state.present
        facing = self.believed_facing(state)

        def see(viewers: Int[Array, " M"], near: Nearby) -> Any:
            return function(self._having_found(near, facing).observe_from(state, viewers, transmitted))

        if self.cells is None:
            return nearby.in_pieces(self.space, self.comm_radius, position, present, see)
        return nearby.in_lists(self.cells, self.cells.sort(position, present), position, self.slots, see)

    def nearby(self, state: State, viewers: Int[Array, " M"]) -> Nearby | None:
        """The agents in the viewers' slots; None where these are all agents, in order."""
        if self._found is not None or self.cells is None:
            return self._found
        found = self.neighbours(state, viewers)
        return Nearby(found.agent.T, found.mask.T)

    def neighbours(self, state: State, viewers: Int[Array, " M"]) -> Neighbours:
        """The lists of neighbours within d_c, found by cells."""
        assert self.cells is not None
        swarm, position = self.cells.sort(state.agents.position, state.present), state.agents.position[viewers]
        return search(self.cells, swarm, position, viewers, self.slots, self.cells.radius)

    @property
    def may_overlook(self) -> bool:
        return self.cells is not None and self.slots < self.num_agents - 1

    def overlooked(self, state: State) -> Int[Array, ""] | None:
        if self.cells is None or not self.may_overlook:
            return None
        cells, slots = self.cells, self.slots
        swarm = cells.sort(state.agents.position, state.present)

        def exactly() -> Array:
            everybody = jnp.arange(self.num_agents)
            count = how_many(cells, swarm, state.agents.position, everybody, cells.radius)
            return jnp.where(state.present, jnp.maximum(count - slots, 0), 0).sum()

        # Most of the time adjacent cells hold so few agents that none can have too many neighbours.
        return lax.cond(cells.largest_crowd(swarm) - 1 > slots, exactly, lambda: jnp.zeros((), jnp.int32))

    def _having_found(self: Own, near: Nearby | None, facing: relations.Direction | None = None) -> Own:
        """This task with the search for neighbours done, for one look at the viewers it was done for; with ``facing``,
        all headings of that state have been turned into vectors as well."""
        if near is None:
            return self
        twin = copy.copy(self)
        object.__setattr__(twin, "_found", near)
        if facing is not None:
            object.__setattr__(twin, "_facing", facing)
        return twin

    def believed_heading(self, state: State) -> Float[Array, " N"]:
        """The heading that every agent believes to have."""
        return sensing.believed(state, state.agents.heading)

    def believed_facing(self, state: State) -> relations.Direction:
        """That heading as a vector."""
        return self._facing or relations.heading_vector(self.believed_heading(state))
