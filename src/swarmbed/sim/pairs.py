"""Sums over all pairs of agents, computed in pieces and never stored."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Bool, Float

from swarmbed.sim import relations
from swarmbed.sim.world import World

STEPS = 8  # of a piece; its arrays have a row for each


def sum_over_pairs(
    world: World,
    position: Float[Array, "N 2"],
    present: Bool[Array, " N"],
    function: Callable[[Float[Array, "N"]], Float[Array, "N"]],
) -> Float[Array, ""]:
    """Σ_{i<j} function(d^{ij}) over pairs of present agents; the function is 0 at 0.

    With the agents in a circle, every agent meets the one k places further, for k = 1 … N/2: this is every pair once,
    except that with an even N those opposite each other meet twice. Derivatives recompute a piece; none is stored.
    """
    count = position.shape[0]
    half = count // 2
    twice = lambda values: jnp.concatenate([values, values])  # noqa: E731  the circle, cut open
    x, y, there = twice(position[:, 0]), twice(position[:, 1]), twice(present)

    @jax.checkpoint
    def piece(begin: Array) -> Array:
        total = jnp.zeros(count, position.dtype)
        for step in range(STEPS):
            k = begin + step
            # Beyond N/2 the slice would be another pair's; it is taken from within the circle and counts 0.
            further = lambda values: lax.dynamic_slice_in_dim(values, jnp.minimum(k, half), count)  # noqa: B023, E731
            dx, dy = world.nearest(further(x) - x[:count], further(y) - y[:count])
            met = jnp.where(there[:count] & further(there), function(relations.length(dx, dy)), 0.0)
            weight = jnp.where(k > half, 0.0, jnp.where(2 * k == count, 0.5, 1.0))
            total = total + weight * met
        return total

    # One sum per agent, and their sum at the end: a sum into a single number would not be vectorised.
    begin = jnp.zeros(count, position.dtype)
    return lax.scan(lambda total, k: (total + piece(k), None), begin, jnp.arange(1, half + 1, STEPS))[0].sum()
