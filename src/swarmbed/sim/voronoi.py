"""The boundary that two Voronoi cells share, found by clipping their bisector; and the flight of the evader.

No diagram is built. The boundary between a site e and a rival p lies on the line e + ξ/2 + t·v̂ with ξ = p − e and
v̂ = ξ/|ξ| turned left by 90°. Every other site q leaves of it what is closer to e: 2(x − e)·(q − e) ≤ |q − e|², a
half-line in t. What all of them leave is the shared boundary [t_lo, t_hi]; it is empty where t_lo > t_hi.

On a torus, x lies in the site's own cell, a rectangle no larger than the world and centred at e. Let q be the image
nearest to e. Along each axis the image nearest to x is q itself or the one on the other side of e, so these four images
are all that can cut the cell. In a closed world the walls cut it too.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float

from swarmbed.sim.relations import length
from swarmbed.sim.world import Torus, World

_SAME_SPOT = 1e-6  # of the world's diameter: two that are closer count as one
_FAR = 1e6  # of the world's diameter: stands for "not cut on this side", yet finite so that gradients stay finite


class Boundary(NamedTuple):
    """The piece t_lo … t_hi of the bisector between a site and each of R rivals; offsets are from the site."""

    half_gap: Float[Array, " R"]
    east: Float[Array, " R"]
    north: Float[Array, " R"]
    low: Float[Array, " R"]
    high: Float[Array, " R"]

    @property
    def exists(self) -> Bool[Array, " R"]:
        return (self.low <= self.high) & (self.half_gap > 0)

    @property
    def middle(self) -> tuple[Array, Array]:
        """The middle of the boundary, relative to the site: (|ξ|/2)·ĥ + m·v̂."""
        middle = (self.low + self.high) / 2
        return self.half_gap * self.east - middle * self.north, self.half_gap * self.north + middle * self.east


def shared_boundary(
    world: World,
    site: Float[Array, "2"],
    rival_x: Float[Array, " R"],
    rival_y: Float[Array, " R"],
    is_rival: Bool[Array, "R Q"],
    cutter_x: Float[Array, " Q"],
    cutter_y: Float[Array, " Q"],
    present: Bool[Array, " Q"],
) -> Boundary:
    """The boundary between ``site`` and each rival, cut by all cutters that are present, their images, and the walls.

    Rivals and cutters are displacements of the nearest images from the site. ``is_rival[r, q]`` says that cutter q is
    rival r itself, which does not cut its own boundary (its other images do).
    """
    gap = length(rival_x, rival_y)
    inverse = jnp.where(gap > 0, 1.0 / jnp.where(gap > 0, gap, 1.0), 0.0)
    east, north = rival_x * inverse, rival_y * inverse
    far = _FAR * world.diameter
    low, high = jnp.full_like(gap, -far), jnp.full_like(gap, far)

    def clip(low: Array, high: Array, slope: Array, bound: Array, cuts: Array) -> tuple[Array, Array]:
        """Keep t with slope · t ≤ bound; slope, bound and cuts are (R, Q)."""
        steep = jnp.abs(slope) > 1e-9
        crossing = bound / jnp.where(steep, slope, 1.0)
        upper = jnp.where(cuts & steep & (slope > 0), crossing, far)
        lower = jnp.where(cuts & steep & (slope < 0), crossing, -far)
        # A parallel line either leaves the bisector alone or takes all of it.
        takes_all = jnp.any(cuts & ~steep & (bound < 0), axis=1)
        return (
            jnp.maximum(jnp.where(takes_all, far, low), lower.max(axis=1)),
            jnp.minimum(jnp.where(takes_all, -far, high), upper.min(axis=1)),
        )

    def clip_by_sites(low: Array, high: Array, qx: Array, qy: Array, cuts: Array) -> tuple[Array, Array]:
        # x − e = ξ/2 + t·v̂ in 2(x − e)·q ≤ |q|²
        slope = 2.0 * (qy[None, :] * east[:, None] - qx[None, :] * north[:, None])
        bound = (qx * qx + qy * qy)[None, :] - (rival_x[:, None] * qx[None, :] + rival_y[:, None] * qy[None, :])
        # A cutter on the same spot as the rival has the same bisector; rounding must not make it cut.
        apart = jnp.square(qx[None, :] - rival_x[:, None]) + jnp.square(qy[None, :] - rival_y[:, None])
        return clip(low, high, slope, bound, cuts & (apart > (_SAME_SPOT * world.diameter) ** 2))

    if isinstance(world, Torus):
        other_x = cutter_x + jnp.where(cutter_x > 0, -world.width, world.width)
        other_y = cutter_y + jnp.where(cutter_y > 0, -world.height, world.height)
        low, high = clip_by_sites(low, high, cutter_x, cutter_y, present[None, :] & ~is_rival)
        for image_x, image_y in ((other_x, cutter_y), (cutter_x, other_y), (other_x, other_y)):
            low, high = clip_by_sites(low, high, image_x, image_y, present[None, :])
        own_x = jnp.array([world.width, -world.width, 0.0, 0.0], gap.dtype)
        own_y = jnp.array([0.0, 0.0, world.height, -world.height], gap.dtype)
        low, high = clip_by_sites(low, high, own_x, own_y, jnp.ones((1, 4), bool))
    else:
        low, high = clip_by_sites(low, high, cutter_x, cutter_y, present[None, :] & ~is_rival)
        start_x, start_y = site[0] + rival_x / 2, site[1] + rival_y / 2
        slope = jnp.stack([-north, north, east, -east], axis=1)
        bound = jnp.stack([world.width - start_x, start_x, world.height - start_y, start_y], axis=1)
        low, high = clip(low, high, slope, bound, jnp.ones_like(slope, bool))
    return Boundary(gap / 2, east, north, low, high)


def evader_direction(
    world: World,
    evader: Float[Array, "2"],
    pursuers: Float[Array, "N 2"],
    sight_radius: float | Float[Array, ""] | None,
    present: Bool[Array, " N"],
) -> Float[Array, "2"]:
    """The direction in which an evader flees, after Zhou et al. 2016: −(|ξ|/2)·ĥ + m·v̂, normalised; 0 if it sees none.

    ξ leads to its nearest pursuer, m is the middle of the Voronoi boundary the two share. ``present`` says which
    pursuers exist.
    """
    dx, dy = world.nearest(pursuers[:, 0] - evader[0], pursuers[:, 1] - evader[1])
    distance = length(dx, dy)
    seen = jnp.ones_like(distance, bool) if sight_radius is None else distance <= sight_radius
    seen = seen & present
    nearest = jnp.argmin(jnp.where(seen, distance, jnp.inf))
    is_nearest = seen & (jnp.arange(distance.shape[0]) == nearest)  # none, where it sees none
    rival_x = jnp.where(is_nearest, dx, 0.0).sum(keepdims=True)
    rival_y = jnp.where(is_nearest, dy, 0.0).sum(keepdims=True)
    edge = shared_boundary(world, evader, rival_x, rival_y, is_nearest[None, :], dx, dy, seen)
    middle = (edge.low[0] + edge.high[0]) / 2
    gap, east, north = edge.half_gap[0], edge.east[0], edge.north[0]
    flee_x, flee_y = -gap * east - middle * north, -gap * north + middle * east
    norm = length(flee_x, flee_y)
    moves = jnp.any(seen) & edge.exists[0] & (norm > 0)
    scale = jnp.where(moves, 1.0 / jnp.where(moves, norm, 1.0), 0.0)
    return jnp.stack([flee_x * scale, flee_y * scale])
