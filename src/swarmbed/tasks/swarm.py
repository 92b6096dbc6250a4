"""What the tasks share: unicycles in a rectangular world that sense their neighbours."""

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import pi
from typing import Any, ClassVar, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Bool, Float, Int, PRNGKeyArray

from swarmbed.sim import graph, relations
from swarmbed.sim.cells import Cells
from swarmbed.sim.neighbours import Neighbours, how_many, search
from swarmbed.sim.unicycle import DYNAMICS, Agents, DoubleIntegrator, SingleIntegrator, Unicycle
from swarmbed.sim.world import WORLDS, Closed, World
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.settings import setting
from swarmbed.tasks import nearby, overview, turnover
from swarmbed.tasks.base import ColumnNames, Layout, Observation, ObservedSet, State
from swarmbed.tasks.disturbances import messages, moving, sensing
from swarmbed.tasks.disturbances.settings import Disturbed
from swarmbed.tasks.disturbances.state import Past, begin, term_of
from swarmbed.tasks.nearby import Nearby

Columns = dict[str, Array]
NEAR = 0.02  # share of the largest sensed distance within which the bearing of *displacement* fades
Own = TypeVar("Own", bound="SwarmTask")


class Sensed(NamedTuple):
    """An observation before its columns are put side by side: names and arrays, in order."""

    local: Columns
    sets: tuple[tuple[Columns, Array], ...]


class Perceived(NamedTuple):
    """What M viewers perceive of T others: their positions, which of them are known, and what those transmitted."""

    to_other: relations.Displacement
    mask: Bool[Array, "M T"]
    told: Past


@dataclass(frozen=True)
class SwarmTask(Disturbed):
    """Settings, moves and senses of a swarm of unicycles.

    A task adds its reward and optionally other objects, what agents sense of them, and when an episode ends.
    """

    _found: ClassVar[Nearby | None] = None
    _facing: ClassVar[relations.Direction | None] = None

    observation: str = setting(
        "extended", "what agents sense", flag="observe", choices=("basic", "extended", "displacement")
    )
    world: str = setting("closed", "closed (walls) or torus (periodic)", choices=tuple(WORLDS))
    width: float = setting(100.0, "width of the world, in units", above=0)
    height: float = setting(100.0, "height of the world, in units", above=0)
    dynamics: str = setting(
        "double", "actions are velocities (single) or accelerations (double)", choices=tuple(DYNAMICS)
    )
    comm_radius: float | None = setting(
        None, "radius d_c within which agents are neighbours; left out: all are", above=0
    )
    max_speed: float = setting(10.0, "top speed of an agent, units/s", above=0)
    max_turn_rate: float = setting(pi, "fastest turn of an agent, rad/s", above=0)
    max_acceleration: float = setting(10.0, "largest acceleration (double integrator), units/s²", above=0)
    max_turn_acceleration: float = setting(pi, "largest turning acceleration (double integrator), rad/s²", above=0)
    velocity_kept: float = setting(
        0.99, "share of the velocities that friction leaves per sub-step (double integrator)", at_least=0, at_most=1
    )
    substeps: int = setting(10, "Euler sub-steps per control step", at_least=1)
    substep_seconds: float = setting(0.01, "length of a sub-step, s", above=0)
    velocity_frame: str = setting(
        "world", "frame of relative velocities (own: the heading is ahead)", choices=("world", "own")
    )
    start_margin: float = setting(
        0.05, "share of the world left empty along each border when starts are drawn", at_least=0, below=0.5
    )
    sizes: tuple[int, ...] = setting(
        (), "sizes of the swarm, from which every episode draws one; left out: always the number of agents", at_least=1
    )
    search: str = setting(
        "auto",
        "how neighbours within d_c are found: by comparing all pairs, by cells, or by the faster of the two (auto)",
        choices=("auto", "pairs", "cells"),
    )
    neighbour_slots: int | None = setting(
        None,
        "most neighbours that an agent can sense when they are found by cells; left out: four times those of a "
        "uniform swarm, and at least 128",
        at_least=1,
    )
    loss_rate: float = setting(0.0, "how often an agent leaves during an episode, per agent and second", at_least=0)
    join_rate: float = setting(0.0, "how often an empty slot is filled again, per slot and second", at_least=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sizes and max(self.sizes) > self.num_agents:
            raise SwarmbedError(f"sizes must be at most the number of agents, {self.num_agents}, not {max(self.sizes)}")
        if self.search == "cells" and self.comm_radius is None:
            raise SwarmbedError("search by cells needs a comm_radius; without one every agent is a neighbour")
        if self.search == "cells" and self.ranges:
            raise SwarmbedError(f"search by cells does not support disturbances, but {next(iter(self.ranges))} is on")

    @cached_property
    def space(self) -> World:
        return WORLDS[self.world](self.width, self.height)

    @cached_property
    def body(self) -> Unicycle:
        common = (self.max_speed, self.max_turn_rate, self.substeps, self.substep_seconds)
        if self.dynamics == "single":
            return SingleIntegrator(*common)
        return DoubleIntegrator(*common, self.max_acceleration, self.max_turn_acceleration, self.velocity_kept)

    @cached_property
    def slots(self) -> int:
        """How many neighbours an agent can sense at most."""
        if self.comm_radius is None:
            return self.num_agents
        most = nearby.default_slots(self.space, self.comm_radius, self.num_agents)
        return most if self.neighbour_slots is None else max(min(self.neighbour_slots, self.num_agents - 1), 1)

    @cached_property
    def cells(self) -> Cells | None:
        """The grid on which neighbours are searched; None where all pairs are compared."""
        if self.comm_radius is None or self.ranges:
            return None
        return nearby.cells_for(self.space, self.comm_radius, self.num_agents, self.search, self.slots)

    @property
    def is_large(self) -> bool:
        return self.num_agents >= nearby.LARGE

    @property
    def comm_range(self) -> float:
        """The largest distance at which a neighbour is sensed."""
        return self.space.diameter if self.comm_radius is None else self.comm_radius

    @property
    def control_seconds(self) -> float:
        return self.substeps * self.substep_seconds

    def random_positions(self, key: PRNGKeyArray, count: int) -> Float[Array, "count 2"]:
        """Uniform in the inner part of the world."""
        size = jnp.array([self.width, self.height])
        low, high = self.start_margin, 1 - self.start_margin
        return size * jax.random.uniform(key, (count, 2), minval=low, maxval=high)

    def initial(self, key: PRNGKeyArray) -> State:
        position_key, heading_key, rest_key = jax.random.split(key, 3)
        state = State(self.random_agents(position_key, heading_key))
        if self.sizes:
            size_key, rest_key = jax.random.split(rest_key)
            state = state._replace(present=turnover.draw_present(size_key, self.num_agents, self.sizes))
        return begin(self, self.populate(state, rest_key), key)

    def random_agents(self, position_key: PRNGKeyArray, heading_key: PRNGKeyArray) -> Agents:
        """All agents at rest at random positions."""
        position = self.random_positions(position_key, self.num_agents)
        return self.body.at_rest(position, jax.random.uniform(heading_key, (self.num_agents,), maxval=2 * pi))

    def come_and_go(self, state: State, key: PRNGKeyArray) -> State:
        if not (self.loss_rate or self.join_rate):
            return state
        turnover_key, position_key, heading_key = jax.random.split(key, 3)
        newcomers = self.random_agents(position_key, heading_key)
        rates = self.loss_rate, self.join_rate, self.control_seconds
        return turnover.come_and_go(turnover_key, state, newcomers, *rates)

    def resized(self: Own, num_agents: int) -> Own:
        return replace(self, num_agents=num_agents, sizes=())

    def transition(self, state: State, action: Float[Array, "N 2"], key: PRNGKeyArray) -> State:
        """All agents move according to their actions."""
        self.check_action(action)
        return self.move_agents(state, action)

    def move_agents(self, state: State, action: Float[Array, "N 2"]) -> State:
        """Agents one step further, as far as their disturbances let them."""
        if state.disturbance is None:
            return state._replace(agents=self.body.move(state.agents, action, self.space))
        fastest, still = moving.top_speed(state, self.max_speed), moving.stands_still(self, state)
        agents = self.body.move(state.agents, moving.disturbed_action(state, action), self.space, fastest)
        agents = agents if still is None else moving.held(still, state.agents, agents)
        return state._replace(agents=agents, disturbance=messages.remember(self, state))

    def terminated(self, state: State) -> Bool[Array, ""]:
        """Only time ends the episode."""
        return jnp.array(False)

    def populate(self, state: State, key: PRNGKeyArray) -> State:
        """Add what a task has besides agents."""
        return state

    # Sensing.

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

    def neighbourhood_sizes(self, state: State) -> Float[Array, " N"]:
        """|N(i)| of all agents."""
        everybody, position = jnp.arange(self.num_agents), state.agents.position
        if self.cells is None:
            return graph.neighbourhood_size(self.perceive(state, everybody).mask)
        swarm = self.cells.sort(position, state.present)
        return how_many(self.cells, swarm, position, everybody, self.cells.radius).astype(position.dtype)

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
        columns |= direction_columns("bearing", bearing)
        if self.observation == "displacement":
            columns |= displacement_columns(columns["distance"], bearing)
        if self.observation != "basic":
            columns |= direction_columns("orientation", relations.relative_orientation(to_other, facing))
            if agents.speed is not None and state.agents.speed is not None:
                velocity = agents.speed[..., None] * jnp.stack(facing, -1)
                own_velocity = state.agents.speed[:, None] * jnp.stack(believed, -1)
                dx, dy = relations.relative_velocity(own_velocity[viewers], velocity)
                if self.velocity_frame == "own" or self.observation == "displacement":
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

    def believed_heading(self, state: State) -> Float[Array, " N"]:
        """The heading that every agent believes to have."""
        return sensing.believed(state, state.agents.heading)

    def believed_facing(self, state: State) -> relations.Direction:
        """That heading as a vector."""
        return self._facing or relations.heading_vector(self.believed_heading(state))

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
            columns |= direction_columns("wall", wall.direction)
        if own.speed is not None and own.turn_rate is not None:
            columns |= {"speed": own.speed / self.max_speed, "turn rate": own.turn_rate / self.max_turn_rate}
        return columns

    @property
    def layout(self) -> Layout:
        layout = super().layout
        if self.cells is None or not layout.sets:
            return layout
        neighbours, *rest = layout.sets
        return layout._replace(sets=(neighbours._replace(includes_self=False, is_ordered=False), *rest))

    @property
    def column_names(self) -> ColumnNames:
        return _column_names(self)

    def pair_distances(self, state: State) -> Float[Array, "N N"]:
        """d^{ij}; 0 for pairs of which one is absent."""
        position = state.agents.position
        distance = relations.displacement(self.space, position, position).distance
        return jnp.where(state.present[:, None] & state.present[None, :], distance, 0.0)

    # Presence.

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


def displacement_columns(distance: Array, bearing: relations.Direction) -> Columns:
    """Where something is, ahead and to the left of the agent: d [cos φ, sin φ], and the same with d / (d + ε) for d.

    The bearing jumps when two agents pass each other and the displacement is tiny where it matters most; the second
    pair is a bearing that fades to 0 within ε, which lets a network steer smoothly onto a point. d and ε are in units
    of the largest sensed distance.
    """
    fading = 1.0 / (distance + NEAR)
    ahead, left = distance * bearing.cos, distance * bearing.sin
    return {"ahead": ahead, "left": left, "near ahead": ahead * fading, "near left": left * fading}


def direction_columns(name: str, direction: relations.Direction) -> Columns:
    return {f"{name} cos": direction.cos, f"{name} sin": direction.sin}


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
