"""Cells on a grid over the world, no smaller than a radius: agents near a point are in its cell or next to it.

Agents are sorted by cell, row by row. The cells left of, at and right of a point are then one *stretch* of the sorted
swarm, so three stretches hold every agent that can be within the radius. On a torus a stretch may run over the end of
its row and continue at the row's beginning.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Bool, Float, Int

from swarmbed.sim.world import Torus, World

# A cell is larger than the radius by at least this factor, so rounding cannot put two neighbours two cells apart.
_MARGIN = 1e-3
MOST = 4096  # cells along a side


class Sorted(NamedTuple):
    """The swarm sorted by cell. ``start`` says where each cell begins; absent agents come last, in no cell.

    ``agent[p]`` is the agent at place p, ``place[i]`` the place of agent i.
    """

    agent: Int[Array, " N"]
    place: Int[Array, " N"]
    x: Float[Array, " N"]
    y: Float[Array, " N"]
    start: Int[Array, " cells+1"]


class Stretches(NamedTuple):
    """Up to three stretches of the sorted swarm per point; arrays are (stretches, M).

    The k-th candidate of a point is the k-th of its stretches laid end to end: it stands at ``offset + k`` of the
    stretch in which k falls, minus ``around`` where that is not below ``row_end``.
    """

    total: Int[Array, "S M"]
    offset: Int[Array, "S M"]
    row_end: Int[Array, "S M"]
    around: Int[Array, "S M"]

    @property
    def candidates(self) -> Int[Array, " M"]:
        """How many there are for each point."""
        return self.total[-1]

    def place(self, k: Int[Array, "K _"]) -> Int[Array, "K M"]:
        """The places of candidates ``k`` in the sorted swarm; arbitrary beyond the last candidate."""
        place = jnp.zeros((), jnp.int32)
        for s in reversed(range(self.total.shape[0])):
            here = k + self.offset[s][None, :]
            here = here - jnp.where(here >= self.row_end[s][None, :], self.around[s][None, :], 0)
            place = here if s == self.total.shape[0] - 1 else jnp.where(k < self.total[s][None, :], here, place)
        return place


@dataclass(frozen=True)
class Cells:
    """The grid of a world for one radius."""

    world: World
    radius: float

    @cached_property
    def columns(self) -> int:
        return self._along(self.world.width)

    @cached_property
    def rows(self) -> int:
        return self._along(self.world.height)

    def _along(self, side: float) -> int:
        # Cells may be larger than the radius; a tiny one must not make more of them than there is memory for.
        return max(int(min(side / (self.radius * (1 + _MARGIN)), MOST)), 1)

    def column_and_row(self, x: Float[Array, " M"], y: Float[Array, " M"]) -> tuple[Array, Array]:
        """The cell of every point; points outside of a closed world belong to the cell they are next to."""
        if isinstance(self.world, Torus):
            x, y = self.world.confine(x, y)
        column = jnp.floor(x * (self.columns / self.world.width)).astype(jnp.int32)
        row = jnp.floor(y * (self.rows / self.world.height)).astype(jnp.int32)
        return jnp.clip(column, 0, self.columns - 1), jnp.clip(row, 0, self.rows - 1)

    def sort(self, position: Float[Array, "N 2"], present: Bool[Array, " N"]) -> Sorted:
        """The agents by cell."""
        position = lax.stop_gradient(position)
        x, y = position[:, 0], position[:, 1]
        count, cells = x.shape[0], self.columns * self.rows
        column, row = self.column_and_row(x, y)
        cell = jnp.where(present, row * self.columns + column, cells)
        start = jnp.cumsum(jnp.zeros(cells + 1, jnp.int32).at[cell + 1].add(1, mode="drop"))
        agent = order_of(cell, cells + 1)
        place = jnp.zeros_like(agent).at[agent].set(jnp.arange(count, dtype=jnp.int32), unique_indices=True)
        return Sorted(agent, place, x[agent], y[agent], start)

    def stretches(self, swarm: Sorted, x: Float[Array, " M"], y: Float[Array, " M"]) -> Stretches:
        """The stretches of all agents that can be within the radius of the points."""
        column, row = self.column_and_row(x, y)
        periodic = isinstance(self.world, Torus)
        total = jnp.zeros_like(column)
        found = []
        for step in _steps(self.rows, periodic):
            other = row + step
            inside = (other >= 0) & (other < self.rows)
            base = (other % self.rows) * self.columns
            row_start, row_end = swarm.start[base], swarm.start[base + self.columns]
            if periodic and self.columns > 3:
                sides = [base + (column + side) % self.columns for side in (-1, 0, 1)]
                first = swarm.start[sides[0]]
                length = sum((swarm.start[c + 1] - swarm.start[c] for c in sides), jnp.zeros_like(first))
            elif periodic:
                first, length = row_start, row_end - row_start
            else:
                first = swarm.start[base + jnp.maximum(column - 1, 0)]
                length = swarm.start[base + jnp.minimum(column + 1, self.columns - 1) + 1] - first
                length = jnp.where(inside, length, 0)
            found.append((total + length, first - total, row_end, row_end - row_start))
            total = total + length
        return Stretches(*(jnp.stack(arrays) for arrays in zip(*found, strict=True)))

    def largest_crowd(self, swarm: Sorted) -> Int[Array, ""]:
        """The most candidates that any point of the world can have."""
        cell = jnp.arange(self.columns * self.rows)
        x = (cell % self.columns + 0.5) * (self.world.width / self.columns)
        y = (cell // self.columns + 0.5) * (self.world.height / self.rows)
        return self.stretches(swarm, x, y).candidates.max()


def _steps(rows: int, periodic: bool) -> tuple[int, ...]:
    """Which rows to visit, counted from a point's own, each once."""
    if rows == 1:
        return (0,)
    return (0, 1) if periodic and rows == 2 else (-1, 0, 1)


def order_of(key: Int[Array, " N"], below: int) -> Int[Array, " N"]:
    """argsort of keys that are all smaller than ``below``; equal ones stay in order."""
    count = key.shape[0]
    if below * count >= 2**31:
        return jnp.argsort(key).astype(jnp.int32)
    # Key and index as one number: sorting one array is several times faster than sorting two.
    return jnp.sort(key * count + jnp.arange(count, dtype=jnp.int32)) % count


def order_along_curve(
    world: World, position: Float[Array, "N 2"], present: Bool[Array, " N"], bits: int = 5
) -> Int[Array, " N"]:
    """The agents along a curve through the world that seldom leaves a neighbourhood (Z-order); absent ones last."""
    size = jnp.array([world.width, world.height], position.dtype)
    cell = jnp.clip(jnp.floor(lax.stop_gradient(position) / size * 2**bits), 0, 2**bits - 1).astype(jnp.int32)
    key = jnp.zeros(cell.shape[0], jnp.int32)
    for bit in range(bits):
        key = key | ((cell[:, 0] >> bit & 1) << (2 * bit)) | ((cell[:, 1] >> bit & 1) << (2 * bit + 1))
    return jnp.argsort(jnp.where(present, key, 4**bits)).astype(jnp.int32)
