"""What one agent can sense of another point or agent: distance, bearing, orientation, velocity, walls.

Angles are never computed. The cosine and sine of a bearing are the dot and cross product of the unit displacement
with the heading, which costs a few multiplications per pair instead of an arctangent and two more calls.
Two agents on the same spot have no direction between them: cosine and sine are both 0 there.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Bool, Float

from swarmbed.sim.world import World

FEW = 32  # agents for whom a loop costs more than it saves


class Displacement(NamedTuple):
    """From each of M origins to each of T targets: distance d, and the unit vector that points there."""

    distance: Float[Array, "M T"]
    east: Float[Array, "M T"]
    north: Float[Array, "M T"]


class Direction(NamedTuple):
    """An angle as its cosine and sine."""

    cos: Float[Array, "..."]
    sin: Float[Array, "..."]


class Wall(NamedTuple):
    """Distance d_wall and relative direction φ_wall of the nearest wall, per agent."""

    distance: Float[Array, " M"]
    direction: Direction


def length(x: Array, y: Array) -> Array:
    """√(x² + y²), with gradient 0 instead of NaN at the origin."""
    square = x * x + y * y
    positive = square != 0  # not "> 0": NaN must stay NaN, or a broken state would look like a swarm that has met
    return jnp.where(positive, jnp.sqrt(jnp.where(positive, square, 1.0)), 0.0)


def displacement(world: World, origin: Float[Array, "M 2"], target: Float[Array, "*own T 2"]) -> Displacement:
    """The nearest-image displacement of every target from every origin. Here and below, targets are the same for all
    origins, (T, …), or every origin has its own, (M, T, …)."""
    dx, dy = world.nearest(
        target[..., 0] - origin[:, None, 0],
        target[..., 1] - origin[:, None, 1],
    )
    square = dx * dx + dy * dy
    apart = square != 0
    distance = jnp.sqrt(jnp.where(apart, square, 1.0))
    inverse = jnp.where(apart, 1.0 / distance, 0.0)
    return Displacement(jnp.where(apart, distance, 0.0), dx * inverse, dy * inverse)


def heading_vector(heading: Float[Array, " N"]) -> Direction:
    """[cos φ, sin φ] of every agent."""
    count = heading.shape[0]
    if count < FEW:
        return Direction(jnp.cos(heading), jnp.sin(heading))
    # Two rounds of a loop, because the compiler would otherwise recompute them for every pair that reads them: it does
    # not fuse across a loop.
    halves = jnp.pad(heading, (0, count % 2)).reshape(2, -1)
    cos, sin = lax.map(lambda half: (jnp.cos(half), jnp.sin(half)), halves)
    return Direction(cos.reshape(-1)[:count], sin.reshape(-1)[:count])


def bearing(to_target: Displacement, facing: Direction) -> Direction:
    """φ^{ij} = atan2(y^j − y^i, x^j − x^i) − φ^i: where target j is, seen from origin i that faces φ^i."""
    cos, sin = facing.cos[:, None], facing.sin[:, None]
    return Direction(
        to_target.east * cos + to_target.north * sin,
        to_target.north * cos - to_target.east * sin,
    )


def relative_orientation(to_target: Displacement, target_facing: Direction) -> Direction:
    """θ^{ij} = atan2(y^i − y^j, x^i − x^j) − φ^j: where origin i is, seen from target j that faces φ^j."""
    cos, sin = target_facing
    return Direction(
        -to_target.east * cos - to_target.north * sin,
        to_target.east * sin - to_target.north * cos,
    )


def relative_heading(facing: Direction, target_facing: Direction) -> Direction:
    """φ^j − φ^i: where target j faces, seen from origin i."""
    return Direction(*to_own_frame(target_facing.cos, target_facing.sin, facing))


def relative_velocity(
    velocity: Float[Array, "M 2"], target_velocity: Float[Array, "*own T 2"]
) -> tuple[Float[Array, "M T"], Float[Array, "M T"]]:
    """Δv^{ij} = v^i − v^j in the world frame, as x and y."""
    return (
        velocity[:, None, 0] - target_velocity[..., 0],
        velocity[:, None, 1] - target_velocity[..., 1],
    )


def to_own_frame(x: Float[Array, "*own T"], y: Float[Array, "*own T"], facing: Direction) -> tuple[Array, Array]:
    """World-frame vectors in the frame of origin i, whose first axis is its heading."""
    cos, sin = facing.cos[:, None], facing.sin[:, None]
    return x * cos + y * sin, y * cos - x * sin


def nearest_wall(world: World, position: Float[Array, "M 2"], facing: Direction) -> Wall:
    """d_wall = min(x, y, width − x, height − y), and that wall's direction relative to the heading."""
    x, y = position[:, 0], position[:, 1]
    horizontal, vertical = jnp.minimum(x, world.width - x), jnp.minimum(y, world.height - y)
    east = jnp.where(x < world.width - x, -1.0, 1.0)
    north = jnp.where(y < world.height - y, -1.0, 1.0)
    side = horizontal <= vertical
    direction = Direction(
        jnp.where(side, east * facing.cos, north * facing.sin),
        jnp.where(side, -east * facing.sin, north * facing.cos),
    )
    return Wall(jnp.minimum(horizontal, vertical), direction)


def others(viewers: Array, num_agents: int) -> Bool[Array, "M N"]:
    """True where column j is not the viewer itself."""
    return viewers[:, None] != jnp.arange(num_agents)[None, :]
