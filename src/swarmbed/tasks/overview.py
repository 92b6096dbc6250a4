"""The whole swarm as only a central critic may see it: one element per present agent, in a viewer's frame.

Elements begin with distance and direction, so every embedding can read them. The index of an agent does not matter, and
an absent agent is masked.
"""

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int

from swarmbed.sim import relations
from swarmbed.sim.relations import Displacement
from swarmbed.sim.world import World
from swarmbed.spec.observation import ObservedSet
from swarmbed.tasks.state import State

NEAR = 0.07  # share of the largest distance at which d / (d + ε) is a half: the size of a ring that closes


def around_viewers(world: World, state: State, viewers: Int[Array, " M"], top_speed: float) -> ObservedSet:
    """All agents, including the viewer, relative to the viewer, however far away."""
    agents = state.agents
    from_viewer = relations.displacement(world, agents.position[viewers], agents.position)
    return _stacked(state, viewers, [*_place(world, from_viewer, _facing(state, viewers))], top_speed)


def around_evaders(
    world: World, state: State, evaders: Float[Array, "E 2"], viewers: Int[Array, " M"], top_speed: float
) -> ObservedSet:
    """All agents relative to their nearest evader, and the position of that evader, both in the viewer's frame."""
    agents, facing = state.agents, _facing(state, viewers)
    to_evaders = relations.displacement(world, agents.position, evaders)
    nearest = to_evaders.distance.argmin(axis=1)
    mine = jax.tree.map(lambda leaf: jnp.take_along_axis(leaf, nearest[:, None], axis=1)[:, 0], to_evaders)
    count = (viewers.shape[0], agents.heading.shape[0])
    # From the evader to the pursuer: pursuers on a ring then surround the origin.
    from_evader = Displacement(*(jnp.broadcast_to(leaf, count) for leaf in (mine.distance, -mine.east, -mine.north)))
    to_mine = jax.tree.map(
        lambda leaf: leaf[:, nearest], relations.displacement(world, agents.position[viewers], evaders)
    )
    columns = [*_place(world, from_evader, facing), *_place(world, to_mine, facing)[3:5]]
    return _stacked(state, viewers, columns, top_speed)


def _place(world: World, displacement: Displacement, facing: relations.Direction) -> list[Array]:
    """Distance, direction, both as a displacement, and d / (d + ε); lengths in units of half the largest distance."""
    distance = displacement.distance / world.diameter
    cos, sin = relations.bearing(displacement, facing)
    return [distance, cos, sin, 2 * distance * cos, 2 * distance * sin, distance / (distance + NEAR)]


def _facing(state: State, viewers: Int[Array, " M"]) -> relations.Direction:
    return relations.heading_vector(state.agents.heading[viewers])


def _stacked(state: State, viewers: Int[Array, " M"], columns: list[Array], top_speed: float) -> ObservedSet:
    """The columns, with the heading and speed of all agents in the viewer's frame."""
    agents = state.agents
    turned = agents.heading[None, :] - agents.heading[viewers][:, None]
    columns = [*columns, jnp.cos(turned), jnp.sin(turned)]
    if agents.speed is not None:
        columns = [*columns, jnp.broadcast_to(agents.speed[None, :] / top_speed, turned.shape)]
    mask = jnp.broadcast_to(state.present[None, :], turned.shape)
    return ObservedSet(jnp.stack([jnp.where(mask, column, 0.0) for column in columns], -1), mask)
