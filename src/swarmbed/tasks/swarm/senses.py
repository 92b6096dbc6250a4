"""What agents sense: themselves, the walls, and their neighbours."""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int, PRNGKeyArray

from swarmbed.sim import graph, relations
from swarmbed.sim.neighbours import how_many
from swarmbed.sim.world import Closed
from swarmbed.tasks import overview
from swarmbed.tasks.base import ColumnNames, Layout, Observation, ObservedSet, State
from swarmbed.tasks.disturbances import messages, sensing
from swarmbed.tasks.disturbances.state import Past
from swarmbed.tasks.swarm.columns import Columns, Sensed, direction_columns, located_columns
from swarmbed.tasks.swarm.search import SearchingSwarm


class Perceived(NamedTuple):
    """What M viewers perceive of T others: their positions, which of them are known, and what those transmitted."""

    to_other: relations.Displacement
    mask: Bool[Array, "M T"]
    told: Past


@dataclass(frozen=True)
class SwarmTask(SearchingSwarm):
    """Settings, moves and senses of a swarm of unicycles.

    A task adds its reward and optionally other objects, what agents sense of them, and when an episode ends.
    """

    def observe(self, state: State) -> Observation:
        return self.observe_from(state, jnp.arange(self.num_agents), self.transmit(state))

    def observe_from(
        self, state: State, viewers: Int[Array, " M"], transmitted: Float[Array, " N"] | None
    ) -> Observation:
        sensed = self.sense(state, viewers, transmitted)
        local = list(sensed.local.values())
        sets = [
            # Absent elements are zero, so nothing leaks through a forgotten mask.
            ObservedSet(jnp.stack([jnp.where(mask, c, 0.0) for c in columns.values()], -1), mask)
            for columns, mask in sensed.sets
        ]
        return Observation(jnp.stack(local, -1) if local else jnp.zeros((viewers.shape[0], 0)), tuple(sets))

    def sense(self, state: State, viewers: Int[Array, " M"], transmitted: Float[Array, " N"] | None) -> Sensed:
        """The columns of the observation, each already divided by its scale: the agent itself and its neighbours."""
        return Sensed(self.sense_self(state, viewers), (self.sense_neighbours(state, viewers, transmitted),))

    def sense_neighbours(
        self, state: State, viewers: Int[Array, " M"], transmitted: Float[Array, " N"] | None
    ) -> tuple[Columns, Array]:
        """The set of neighbours: d, φ; with *extended* θ and Δv; with *displacement* also their position in the agent's
        frame, and Δv in that frame; with *comm* what they transmit."""
        near = self.nearby(state, viewers)
        to_other, mask, told = self._having_found(near).perceive(state, viewers, transmitted)
        believed = self.believed_facing(state)
        own_facing = jax.tree.map(lambda value: value[viewers], believed)
        agents = told.agents
        if near is None:
            facing = relations.heading_vector(agents.heading)
        else:  # cosine and sine of every agent, not of every pair
            facing = jax.tree.map(lambda value: value[near.agent], believed)
        columns = {"distance": to_other.distance / self.comm_range}
        bearing = relations.bearing(to_other, own_facing)
        is_smooth = self.observation == "displacement"
        columns |= located_columns(columns["distance"], bearing, is_smooth)
        if is_smooth:
            columns |= direction_columns("heading", relations.relative_heading(own_facing, facing))
        elif self.observation != "basic":
            columns |= direction_columns("orientation", relations.relative_orientation(to_other, facing))
        if self.observation != "basic" and agents.speed is not None and state.agents.speed is not None:
            velocity = agents.speed[..., None] * jnp.stack(facing, -1)
            own_velocity = state.agents.speed[:, None] * jnp.stack(believed, -1)
            dx, dy = relations.relative_velocity(own_velocity[viewers], velocity)
            if self.velocity_frame == "own" or is_smooth:
                dx, dy = relations.to_own_frame(dx, dy, own_facing)
            columns |= {"velocity x": dx / (2 * self.max_speed), "velocity y": dy / (2 * self.max_speed)}
        if told.transmitted is not None:
            columns |= {"transmitted": jnp.broadcast_to(told.transmitted, mask.shape)}
        return columns, mask

    def perceive(
        self, state: State, viewers: Int[Array, " M"], transmitted: Float[Array, " N"] | None = None
    ) -> Perceived:
        """Which agents the viewers know of, where they believe them to be, and what those transmitted, disturbances
        included."""
        told = messages.told(state, transmitted)
        position = state.agents.position[viewers]
        if (near := self.nearby(state, viewers)) is not None:  # there are no disturbances then
            told = jax.tree.map(lambda values: values[near.agent], told)
            to_other = relations.displacement(self.space, position, told.agents.position)
            others = (viewers[:, None] != near.agent) & told.present
            within = graph.neighbours(to_other.distance, others, self.comm_radius) if near.mask is None else near.mask
            return Perceived(to_other, within, told)
        to_other = relations.displacement(self.space, position, told.agents.position)
        mask = graph.neighbours(to_other.distance, self.others(state, viewers), self.comm_radius)
        if state.disturbance is None:
            return Perceived(to_other, mask, told)
        told = told._replace(agents=told.agents._replace(heading=sensing.believed(state, told.agents.heading)))
        everybody = jnp.arange(self.num_agents)
        for known in (messages.arrived(state, viewers, everybody), sensing.seen(state, to_other, viewers)):
            mask = mask if known is None else mask & known
        return Perceived(sensing.measured(state, to_other, viewers, everybody), mask & told.present[None, :], told)

    def overview(self, state: State, viewers: Int[Array, " M"]) -> ObservedSet | None:
        return overview.around_viewers(self.space, state, viewers, self.max_speed)

    def sense_self(self, state: State, viewers: Int[Array, " M"]) -> Columns:
        """Walls (closed world) and own velocities (double integrator)."""
        own = jax.tree.map(lambda value: value[viewers], state.agents)
        columns: Columns = {}
        if isinstance(self.space, Closed):
            facing = relations.heading_vector(self.believed_heading(state)[viewers])
            wall = relations.nearest_wall(self.space, own.position, facing)
            columns |= {"wall distance": wall.distance / (min(self.width, self.height) / 2)}
            # The nearest wall is another one on either side of the middle, where a swarm likes to meet.
            nearness = 1 - columns["wall distance"] if self.observation == "displacement" else 1.0
            columns |= direction_columns("wall", relations.Direction(*(nearness * part for part in wall.direction)))
        if own.speed is not None and own.turn_rate is not None:
            columns |= {"speed": own.speed / self.max_speed, "turn rate": own.turn_rate / self.max_turn_rate}
        return columns

    @property
    def layout(self) -> Layout:
        layout = super().layout
        if not layout.sets:
            return layout
        neighbours, *rest = layout.sets
        if self.cells is None:
            neighbours = neighbours._replace(is_ragged=len(self.sizes) > 0)
        else:
            neighbours = neighbours._replace(includes_self=False, is_ordered=False)
        return layout._replace(sets=(neighbours, *rest))

    @property
    def column_names(self) -> ColumnNames:
        return _column_names(self)

    def neighbourhood_sizes(self, state: State) -> Float[Array, " N"]:
        """|N(i)| of all agents."""
        everybody, position = jnp.arange(self.num_agents), state.agents.position
        if self.cells is None:
            return graph.neighbourhood_size(self.perceive(state, everybody).mask)
        swarm = self.cells.sort(position, state.present)
        return how_many(self.cells, swarm, position, everybody, self.cells.radius).astype(position.dtype)


@lru_cache(maxsize=256)
def _column_names(task: SwarmTask) -> ColumnNames:
    names: list[ColumnNames] = []

    def trace(key: PRNGKeyArray) -> Array:
        state = task.initial(key)
        sensed = task.sense(state, jnp.arange(task.num_agents), task.transmit(state))
        names.append(ColumnNames(tuple(sensed.local), tuple(tuple(columns) for columns, _ in sensed.sets)))
        return state.agents.heading

    jax.eval_shape(trace, jax.random.key(0))
    return names[0]
