"""What both pursuit tasks share: evaders that flee by a fixed rule, and pursuers that sense them."""

from dataclasses import dataclass
from math import pi

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int, PRNGKeyArray

from swarmbed.sim import relations
from swarmbed.sim.unicycle import DYNAMICS
from swarmbed.sim.voronoi import evader_direction
from swarmbed.sim.world import WORLDS
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.settings import setting
from swarmbed.tasks import overview
from swarmbed.tasks.base import ObservedSet, State
from swarmbed.tasks.disturbances import sensing
from swarmbed.tasks.swarm import Columns, SwarmTask, located_columns


@dataclass(frozen=True)
class EvasionTask(SwarmTask):
    """Pursuers on a torus, and evaders that are faster than they are and never learn."""

    num_agents: int = setting(10, "number of pursuers N", flag="agents", at_least=1)
    world: str = setting("torus", "closed (walls) or torus (periodic)", choices=tuple(WORLDS))
    dynamics: str = setting(
        "single", "actions are velocities (single) or accelerations (double)", choices=tuple(DYNAMICS)
    )
    max_turn_rate: float = setting(2 * pi, "fastest turn of a pursuer, rad/s", above=0)
    sight_radius: float | None = setting(
        None, "radius d_o within which pursuer and evader see each other; left out: any", above=0
    )
    capture_radius: float = setting(1.0, "distance of a pursuer at which an evader is caught, units", above=0)
    evader_speed_ratio: float = setting(2.0, "the evader's speed over the pursuers' top speed", at_least=0)
    approach_cost: float = setting(
        0.0,
        "weight of the pursuers' mean distance to their nearest evader, as a cost in the reward: an aid to train with",
        at_least=0,
    )
    distance_credit: str = setting(
        "shared",
        "whose distance approach_cost counts in what a pursuer learns from: the mean of all (shared) or its own",
        choices=("shared", "own"),
    )

    @property
    def evader_count(self) -> int:
        return 1

    @property
    def sight_range(self) -> float | Float[Array, ""]:
        """The largest distance at which an evader is sensed."""
        return self.space.diameter if self.sight_radius is None else self.sight_radius

    def populate(self, state: State, key: PRNGKeyArray) -> State:
        return state._replace(evaders=self.random_positions(key, self.evader_count))

    def transition(self, state: State, action: Float[Array, "N 2"], key: PRNGKeyArray) -> State:
        return self.move(state, action)

    def move(self, state: State, action: Float[Array, "N 2"]) -> State:
        """Pursuers and evaders choose from the same state, then all move. This is deterministic."""
        self.check_action(action)
        return self.move_agents(state, action)._replace(evaders=self.flee(state))

    def flee(self, state: State) -> Float[Array, "E 2"]:
        """Every evader one step further along its rule."""
        pursuers, evaders, radius = state.agents.position, evaders_of(state), self.sight_radius
        flight = jax.vmap(lambda evader: evader_direction(self.space, evader, pursuers, radius, state.present))
        step = self.evader_speed_ratio * self.max_speed * self.control_seconds
        moved = evaders + step * flight(evaders)
        return jnp.stack(self.space.confine(moved[:, 0], moved[:, 1]), -1)

    def nearest_pursuer(self, state: State) -> Float[Array, " E"]:
        """d_min of every evader."""
        return self.evader_distances(state).min(axis=0)

    def cost_of_distance(self, state: State) -> Float[Array, ""]:
        """What ``approach_cost`` takes off the reward: every pursuer counts, wherever it is.

        The reward of the task depends on the nearest pursuer alone, so those far away learn nothing from it; yet an
        evader is caught only when all of them are around it.
        """
        if isinstance(self.approach_cost, float) and self.approach_cost == 0:
            return jnp.zeros(())
        return self.cost_of_own_distance(state).sum() / jnp.maximum(self.population(state), 1.0)

    def cost_of_own_distance(self, state: State) -> Float[Array, " N"]:
        """The part of each pursuer in the cost of distance; 0 for one that is absent."""
        nearest = jnp.where(state.present, self.evader_distances(state).min(axis=1), 0.0)
        return self.approach_cost * nearest / self.space.diameter

    def credited_cost(self, state: State) -> Float[Array, "..."]:
        """The cost of distance that a pursuer learns from. In the mean of all, its own part drowns in the others'."""
        return self.cost_of_own_distance(state) if self.distance_credit == "own" else self.cost_of_distance(state)

    def evader_distances(self, state: State) -> Float[Array, "N E"]:
        """Of every pursuer from every evader; a pursuer that is absent is infinitely far away."""
        distance = relations.displacement(self.space, state.agents.position, evaders_of(state)).distance
        return jnp.where(state.present[:, None], distance, jnp.inf)

    def overview(self, state: State, viewers: Int[Array, " M"]) -> ObservedSet | None:
        return overview.around_evaders(self.space, state, evaders_of(state), viewers, self.max_speed)

    def sense_evaders(self, state: State, viewers: Int[Array, " M"]) -> tuple[Columns, Array]:
        """Distance and bearing of every evader, and which of them are in sight; arrays are (viewers, evaders)."""
        to_evader, seen = self.perceive_evaders(state, viewers)
        bearing = relations.bearing(to_evader, relations.heading_vector(self.believed_heading(state)[viewers]))
        distance = to_evader.distance / self.sight_range
        return {"distance": distance} | located_columns(distance, bearing, self.observation == "displacement"), seen

    def perceive_evaders(self, state: State, viewers: Int[Array, " M"]) -> tuple[relations.Displacement, Array]:
        """Where the viewers believe the evaders are, and which of them they see."""
        to_evader = relations.displacement(self.space, state.agents.position[viewers], evaders_of(state))
        in_sight = to_evader.distance <= (jnp.inf if self.sight_radius is None else self.sight_radius)
        if state.disturbance is None:
            return to_evader, in_sight
        seen = sensing.seen(state, to_evader, viewers)
        evaders = jnp.arange(to_evader.distance.shape[1])
        in_sight = in_sight if seen is None else in_sight & seen
        return sensing.measured(state, to_evader, viewers, evaders, evaders=True), in_sight


def evaders_of(state: State) -> Float[Array, "E 2"]:
    """The evaders of a state that has some."""
    if state.evaders is None:
        raise SwarmbedError("the state has no evaders; a pursuit task needs state.evaders of shape (E, 2)")
    return state.evaders
