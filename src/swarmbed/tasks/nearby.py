"""How a swarm task finds neighbours: by comparing all pairs, or only the agents in adjacent cells.

A small swarm compares all pairs; its sets have a slot for every agent, in order. A large one with a communication
radius is sorted into cells, and its sets are lists of neighbours with a limited number of slots, in no order. A large
one in a world of few cells compares all pairs as well, but sorted along a curve through the world, so agents out of
reach are adjacent and embeddings can skip them together.

Large swarms are processed piece by piece, so their observation is never in memory as a whole.
"""

from collections.abc import Callable
from math import ceil, pi
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Bool, Int

from swarmbed.sim import neighbours
from swarmbed.sim.cells import Cells, Sorted, order_along_curve, order_of
from swarmbed.sim.world import World

LARGE = 256  # agents from which a swarm is processed piece by piece; measured: below, all pairs at once are faster
LEAST_SLOTS = 128
CROWD = 4  # the slots of a set hold this many times the neighbours of an agent in a uniform swarm
SHARE = 1 / 3  # of the world that the cells around an agent may cover at most; beyond, searching cells does not pay
PIECE = 2**14  # slots of a piece, about: their columns fit into a core's cache
# Shares of the slots among which a piece chooses: closest together where most pieces of a uniform swarm fall.
SHARES = (1 / 16, 3 / 32, 1 / 8, 3 / 16, 1 / 4, 1 / 2, 1)
LEAST_SIZE = 8  # slots of a piece


class Nearby(NamedTuple):
    """The agents in the slots of M viewers: (M, S), or (S,) where all have the same. ``mask``: which slots are taken;
    None where the distance has yet to decide."""

    agent: Int[Array, "*M S"]
    mask: Bool[Array, "M S"] | None


def cells_for(world: World, radius: float, agents: int, search: str, slots: int) -> Cells | None:
    """The cells in which to search for neighbours; None where comparing all pairs is faster, or requested."""
    cells = Cells(world, radius)
    share = min(3 / cells.columns, 1) * min(3 / cells.rows, 1)
    worthwhile = agents >= LARGE and share <= SHARE and slots < agents - 1
    return cells if search == "cells" or (search == "auto" and worthwhile) else None


def default_slots(world: World, radius: float, agents: int) -> int:
    """Several times what an agent of a uniform swarm has, and never more than there are others."""
    uniform = agents * pi * radius**2 / (world.width * world.height)
    return max(min(agents - 1, max(LEAST_SLOTS, round(CROWD * uniform))), 1)


def in_lists(
    cells: Cells, swarm: Sorted, position: Array, slots: int, see: Callable[[Int[Array, " M"], Nearby], Any]
) -> Any:
    """see(viewers, their neighbours) for all agents, a piece at a time; rows of the result in the agents' order.

    Viewers with about as many neighbours share a piece. It has as many slots as its largest neighbourhood needs, out
    of a few compiled sizes.
    """
    agents = position.shape[0]
    sizes = sorted({size for share in SHARES if (size := ceil(share * slots)) >= min(LEAST_SIZE, slots)})
    piece = min(max(2 * PIECE // slots, 32), agents)
    viewers = swarm.agent
    marked = neighbours.mark(cells, swarm, position[viewers], viewers, slots, cells.radius)
    by_number = order_of(jnp.minimum(marked.kept, slots), slots + 1)

    def one_piece(places: Array) -> Any:
        here = viewers[places]
        found = neighbours.listed(swarm, marked, slots, places)

        def with_slots(size: int) -> Callable[[], Any]:
            mask = jnp.arange(size)[None, :] < found.listed[:, None]
            return lambda: see(here, Nearby(found.agent[:size].T, mask))

        enough = (found.listed.max() > jnp.array(sizes[:-1])).sum() if len(sizes) > 1 else 0
        return lax.switch(enough, [with_slots(size) for size in sizes])

    # The first, whose list is the shortest, is repeated until the first piece is full.
    index = jnp.arange(agents, dtype=jnp.int32)
    missing = -agents % piece
    padded = by_number[jnp.maximum(jnp.arange(-missing, agents), 0)]
    seen = lax.map(one_piece, padded.reshape(-1, piece))
    return _together(seen, jnp.zeros_like(index).at[viewers[by_number]].set(index + missing, unique_indices=True))


def in_pieces(
    world: World, radius: float | None, position: Array, present: Array, see: Callable[[Array, Nearby], Any]
) -> Any:
    """The same for all pairs. Where a radius keeps many of them apart, viewers and slots follow a curve."""
    agents = position.shape[0]
    order = jnp.arange(agents) if radius is None else order_along_curve(world, position, present)
    piece = max(PIECE // agents, 16)
    viewers = order[_padded(agents, piece)].reshape(-1, piece)
    seen = lax.map(lambda here: see(here, Nearby(order, None)), viewers)
    return _together(seen, jnp.zeros_like(order).at[order].set(jnp.arange(agents), unique_indices=True))


def _padded(agents: int, piece: int) -> Array:
    """0 … agents − 1, and the last again until the last piece is full."""
    return jnp.minimum(jnp.arange(-(-agents // piece) * piece), agents - 1)


def _together(pieces: Any, place: Int[Array, " N"]) -> Any:
    """The rows of all pieces, in the order of the agents."""
    return jax.tree.map(lambda rows: rows.reshape(-1, *rows.shape[2:])[place], pieces)
