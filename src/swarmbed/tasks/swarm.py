"""What the tasks share: unicycles in a rectangular world that sense their neighbours."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import pi
from typing import NamedTuple, TypeVar

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int, PRNGKeyArray

from swarmbed.sim import graph, relations
from swarmbed.sim.unicycle import DYNAMICS, Agents, DoubleIntegrator, SingleIntegrator, Unicycle
from swarmbed.sim.world import WORLDS, Closed, World
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.settings import setting
from swarmbed.tasks import turnover
from swarmbed.tasks.base import ColumnNames, Observation, ObservedSet, State, Task

Columns = dict[str, Array]
Own = TypeVar("Own", bound="SwarmTask")


class Sensed(NamedTuple):
    """An observation before its columns are put side by side: names and arrays, in order."""

    local: Columns
    sets: tuple[tuple[Columns, Array], ...]


@dataclass(frozen=True)
class SwarmTask(Task):
    """Settings, moves and senses of a swarm of unicycles.

    A task adds its reward and, where it wants, what else there is, what agents sense of it, and when it ends.
    """

    observation: str = setting("extended", "what agents sense", flag="observe", choices=("basic", "extended"))
    world: str = setting("closed", "closed (walls) or torus (periodic)", choices=tuple(WORLDS))
    width: float = setting(100.0, "width of the world, in units", above=0)
    height: float = setting(100.0, "height of the world, in units", above=0)
    dynamics: str = setting(
        "double", "actions are velocities (single) or accelerations (double)", choices=tuple(DYNAMICS)
    )
    comm_radius: float | None = setting(
        None, "radius d_c within which agents are neighbours; left out: everybody is", above=0
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
        (), "sizes of the swarm, of which every episode draws one; left out: always the number of agents", at_least=1
    )
    loss_rate: float = setting(0.0, "how often an agent leaves during an episode, per agent and second", at_least=0)
    join_rate: float = setting(0.0, "how often an empty place is taken again, per place and second", at_least=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sizes and max(self.sizes) > self.num_agents:
            raise SwarmbedError(f"sizes must be at most the number of agents, {self.num_agents}, not {max(self.sizes)}")

    @cached_property
    def space(self) -> World:
        return WORLDS[self.world](self.width, self.height)

    @cached_property
    def body(self) -> Unicycle:
        common = (self.max_speed, self.max_turn_rate, self.substeps, self.substep_seconds)
        if self.dynamics == "single":
            return SingleIntegrator(*common)
        return DoubleIntegrator(*common, self.max_acceleration, self.max_turn_acceleration, self.velocity_kept)

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
        return self.populate(state, rest_key)

    def random_agents(self, position_key: PRNGKeyArray, heading_key: PRNGKeyArray) -> Agents:
        """Everybody at rest at a random place."""
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
        """Everybody moves as its action says."""
        self.check_action(action)
        return state._replace(agents=self.body.move(state.agents, action, self.space))

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
            # Absent elements are zero, so that nothing can leak through a mask that somebody forgets.
            ObservedSet(jnp.stack([jnp.where(mask, c, 0.0) for c in columns.values()], -1), mask)
            for columns, mask in sensed.sets
        ]
        return Observation(jnp.stack(local, -1) if local else jnp.zeros((viewers.shape[0], 0)), tuple(sets))

    def sense(self, state: State, viewers: Int[Array, " M"], transmitted: Float[Array, " N"] | None) -> Sensed:
        """The columns of the observation, each already divided by its scale: oneself and one's neighbours."""
        return Sensed(self.sense_self(state, viewers), (self.sense_neighbours(state, viewers, transmitted),))

    def sense_neighbours(
        self, state: State, viewers: Int[Array, " M"], transmitted: Float[Array, " N"] | None
    ) -> tuple[Columns, Array]:
        """The set of neighbours: d, φ; with *extended* θ and Δv; with *comm* what they transmit."""
        agents, facing = state.agents, relations.heading_vector(state.agents.heading)
        own = jax.tree.map(lambda value: value[viewers], agents)
        own_facing = jax.tree.map(lambda value: value[viewers], facing)
        to_other = relations.displacement(self.space, own.position, agents.position)
        mask = graph.neighbours(to_other.distance, self.others(state, viewers), self.comm_radius)
        columns = {"distance": to_other.distance / self.comm_range}
        columns |= direction_columns("bearing", relations.bearing(to_other, own_facing))
        if self.observation != "basic":
            columns |= direction_columns("orientation", relations.relative_orientation(to_other, facing))
            if agents.speed is not None:
                velocity = agents.speed[:, None] * jnp.stack(facing, -1)
                dx, dy = relations.relative_velocity(velocity[viewers], velocity)
                if self.velocity_frame == "own":
                    dx, dy = relations.to_own_frame(dx, dy, own_facing)
                columns |= {"velocity x": dx / (2 * self.max_speed), "velocity y": dy / (2 * self.max_speed)}
        if transmitted is not None:
            columns |= {"transmitted": jnp.broadcast_to(transmitted[None, :], mask.shape)}
        return columns, mask

    def sense_self(self, state: State, viewers: Int[Array, " M"]) -> Columns:
        """Walls (closed world) and own velocities (double integrator)."""
        own = jax.tree.map(lambda value: value[viewers], state.agents)
        columns: Columns = {}
        if isinstance(self.space, Closed):
            wall = relations.nearest_wall(self.space, own.position, relations.heading_vector(own.heading))
            columns |= {"wall distance": wall.distance / (min(self.width, self.height) / 2)}
            columns |= direction_columns("wall", wall.direction)
        if own.speed is not None and own.turn_rate is not None:
            columns |= {"speed": own.speed / self.max_speed, "turn rate": own.turn_rate / self.max_turn_rate}
        return columns

    @property
    def column_names(self) -> ColumnNames:
        names: list[ColumnNames] = []

        def trace(key: PRNGKeyArray) -> Array:
            state = self.initial(key)
            sensed = self.sense(state, jnp.arange(self.num_agents), self.transmit(state))
            names.append(ColumnNames(tuple(sensed.local), tuple(tuple(columns) for columns, _ in sensed.sets)))
            return state.agents.heading

        jax.eval_shape(trace, jax.random.key(0))
        return names[0]

    def pair_distances(self, state: State) -> Float[Array, "N N"]:
        """d^{ij}; 0 for pairs of which one is absent."""
        position = state.agents.position
        distance = relations.displacement(self.space, position, position).distance
        return jnp.where(state.present[:, None] & state.present[None, :], distance, 0.0)

    # Who is there.

    def others(self, state: State, viewers: Int[Array, " M"]) -> Bool[Array, "M N"]:
        """True where column j is somebody who is there, and not the viewer itself."""
        return relations.others(viewers, self.num_agents) & state.present[None, :]

    def population(self, state: State) -> Float[Array, ""]:
        """How many agents there are."""
        return state.present.sum(dtype=jnp.result_type(float))


def direction_columns(name: str, direction: relations.Direction) -> Columns:
    return {f"{name} cos": direction.cos, f"{name} sin": direction.sin}
