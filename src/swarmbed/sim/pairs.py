"""Sums over all pairs of agents, computed in pieces and never stored."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Bool, Float

from swarmbed.sim import relations
from swarmbed.sim.world import World

ROWS = 64  # agents of a piece


def sum_over_pairs(
    world: World,
    position: Float[Array, "N 2"],
    present: Bool[Array, " N"],
    function: Callable[[Float[Array, "M N"]], Float[Array, "M N"]],
) -> Float[Array, ""]:
    """Σ_{i<j} function(d^{ij}) over pairs of present agents; the function is 0 at 0.

    A piece is some agents against all others. Derivatives recompute it instead of storing it.
    """
    count = position.shape[0]

    @jax.checkpoint
    def piece(begin: Array) -> Array:
        index = begin + jnp.arange(ROWS)
        row = jnp.minimum(index, count - 1)
        distance = relations.displacement(world, position[row], position).distance
        counts = ((index < count) & present[row])[:, None] & present[None, :]
        return jnp.where(counts, function(distance), 0.0).sum()

    return lax.map(piece, jnp.arange(0, count, ROWS)).sum() / 2
