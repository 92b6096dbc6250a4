"""Neighbours within a radius, found by cells, as lists and sums: for swarms in which most agents are out of reach.

A loop goes through the candidates of all points together: the first of every point, the second of every point, and so
on, up to the largest number that any point has, which is known only at run time. Whether the k-th candidate is near is
bit k of a point's words. Taking the lowest remaining bit again and again turns them into a list. All points take each
step together, which vectorises; writing every neighbour to its place in turn would not.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.custom_batching import sequential_vmap
from jaxtyping import Bool, Float, Int, UInt32

from swarmbed.sim.cells import Cells, Sorted, Stretches

BITS = 32
FEW_WORDS = (2, 4)  # that can be carried along; a uniform swarm as dense as the paper's needs two
ROUND = 16  # candidates that are looked at in one round
CANDIDATES_PER_SLOT = 8  # of a uniform swarm about three are looked at for each neighbour

Points = tuple[Array, Array, Array]  # x, y, and the place where the point's own agent stands (-1: there is none)


Function = TypeVar("Function", bound=Callable[..., Any])


def _in_turn(function: Function) -> Function:
    """vmap of the function runs the batch one by one."""
    return sequential_vmap(function)  # type: ignore[no-any-return]


class Neighbours(NamedTuple):
    """The agents within the radius of each of M points: slot s of point m holds one where s < ``listed[m]``.

    Slots are the first axis, so the first few of them are contiguous. ``number`` is how many neighbours there are;
    where it is larger than ``listed``, some have no slot.
    """

    agent: Int[Array, "S M"]
    listed: Int[Array, " M"]
    number: Int[Array, " M"]

    @property
    def mask(self) -> Bool[Array, "S M"]:
        """Which slots are taken."""
        return jnp.arange(self.agent.shape[0])[:, None] < self.listed[None, :]


class _Near(NamedTuple):
    """A few candidates of every point: which they are, whether they are near, and the way to them."""

    k: Int[Array, "R _"]
    near: Bool[Array, "R M"]
    distance: Float[Array, "R M"]
    dx: Float[Array, "R M"]
    dy: Float[Array, "R M"]


class Marked(NamedTuple):
    """The candidates of each of M points, and which of them are near.

    Bit k % 32 of word k // 32 says whether candidate k is. ``kept`` is how many bits are set, ``number`` how many there
    would be with words for all candidates.
    """

    stretches: Stretches
    bits: UInt32[Array, "W M"]
    kept: Int[Array, " M"]
    number: Int[Array, " M"]


def search(
    cells: Cells, swarm: Sorted, point: Float[Array, "M 2"], own: Int[Array, " M"], slots: int, radius: float
) -> Neighbours:
    """The neighbours of every point, as many as there are slots for.

    ``radius`` is at most that of the cells; ``own`` is the agent at the point, which is not its own neighbour, or -1.
    """

    @_in_turn  # each swarm of a batch has loops of its own length, and its arrays stay in the cache
    def run(swarm: Sorted, point: Array, own: Array) -> Neighbours:
        return listed(swarm, mark(cells, swarm, point, own, slots, radius), slots, None)

    return Neighbours(*run(swarm, lax.stop_gradient(point), own))


def mark(
    cells: Cells, swarm: Sorted, point: Float[Array, "M 2"], own: Int[Array, " M"], slots: int, radius: float
) -> Marked:
    """The first half of a search: who is near, not yet as lists."""
    words = -(-min(swarm.agent.shape[0], CANDIDATES_PER_SLOT * slots) // BITS)
    points = _points(swarm, lax.stop_gradient(point), own)
    stretches = cells.stretches(swarm, *points[:2])
    return Marked(stretches, *_bits(cells, swarm, stretches, points, radius, max(words, FEW_WORDS[-1])))


def listed(swarm: Sorted, marked: Marked, slots: int, points: Int[Array, " P"] | None) -> Neighbours:
    """The second half: lists of this many slots, of all points or of some."""

    def of_points(rows: Array) -> Array:
        return rows if points is None else lax.map(lambda row: _at(row, points), rows)

    stretches = Stretches(*(of_points(rows) for rows in marked.stretches))
    kept, number = of_points(jnp.stack([jnp.minimum(marked.kept, slots), marked.number]))
    rounds = kept.max(initial=0)

    def few(words: int) -> Callable[[], Array]:
        return lambda: _list_of_few(of_points(marked.bits[:words]), rounds, slots)

    ways = [*map(few, FEW_WORDS), lambda: _list_of_many(of_points(marked.bits), rounds, slots)]
    candidate = lax.switch((_rounds(stretches, BITS) > jnp.array(FEW_WORDS)).sum(), ways)

    def look_up(slot: Array, agent: Array) -> Array:
        place = _place(swarm, stretches, candidate[slot][None, :])[0]
        return agent.at[slot].set(_at(swarm.agent, place))

    agent = lax.fori_loop(0, rounds, look_up, jnp.zeros_like(candidate))
    return Neighbours(agent, kept, number)


def how_many(
    cells: Cells, swarm: Sorted, point: Float[Array, "M 2"], own: Int[Array, " M"], radius: float
) -> Int[Array, " M"]:
    """The number of neighbours of every point."""

    @_in_turn
    def run(swarm: Sorted, point: Array, own: Array) -> Array:
        points = _points(swarm, point, own)
        stretches = cells.stretches(swarm, *points[:2])
        add = lambda total, found: total + _number_of_bits(_as_bits(found))  # noqa: E731
        return _over_candidates(cells, swarm, stretches, points, radius, add, jnp.zeros(own.shape, jnp.int32))

    counts: Array = run(swarm, lax.stop_gradient(point), own)
    return counts


def closeness(cells: Cells, position: Float[Array, "N 2"], present: Bool[Array, " N"]) -> Float[Array, ""]:
    """Σ_i Σ_{j ∈ N(i)} (1 − d^{ij} / radius) over present agents; every pair counts twice."""

    @_in_turn
    def run(position: Array, present: Array) -> tuple[Array, Array, Array]:
        """The sum, and its derivative by every agent's x and y."""
        swarm = cells.sort(position, present)
        points = _points(swarm, position, jnp.arange(position.shape[0]))
        stretches = cells.stretches(swarm, *points[:2])

        def add(totals: tuple[Array, ...], found: _Near) -> tuple[Array, ...]:
            near = found.near & present[None, :]
            inverse = jnp.where(near & (found.distance > 0), 1.0 / found.distance, 0.0)
            parts = (jnp.where(near, 1.0 - found.distance / cells.radius, 0.0), found.dx * inverse, found.dy * inverse)
            return tuple(total + part.sum(0) for total, part in zip(totals, parts, strict=True))

        zeros = (jnp.zeros_like(points[0]),) * 3
        close, east, north = _over_candidates(cells, swarm, stretches, points, cells.radius, add, zeros)
        return close.sum(), east * (2 / cells.radius), north * (2 / cells.radius)

    @jax.custom_jvp
    def total(position: Array) -> Array:
        return run(position, present)[0]

    @total.defjvp
    def total_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
        # The loop has no transpose, but with its derivative at hand nothing of it is left to transpose.
        close, east, north = run(primals[0], present)
        return close, (east * tangents[0][:, 0] + north * tangents[0][:, 1]).sum()

    return total(position)


def _points(swarm: Sorted, point: Array, own: Array) -> Points:
    return point[:, 0], point[:, 1], jnp.where(own < 0, -1, swarm.place[own])


def _at(values: Array, index: Array) -> Array:
    return values.at[index].get(mode="promise_in_bounds")


def _place(swarm: Sorted, stretches: Stretches, k: Int[Array, "K _"]) -> Int[Array, "K M"]:
    return jnp.clip(stretches.place(k), 0, swarm.agent.shape[0] - 1)


def _rounds(stretches: Stretches, size: int) -> Int[Array, ""]:
    return -(-stretches.candidates.max(initial=0) // size)


def _over_candidates(
    cells: Cells,
    swarm: Sorted,
    stretches: Stretches,
    points: Points,
    radius: float,
    add: Callable[..., Any],
    total: Any,
) -> Any:
    """add(total, candidates) for all candidates, a few rows at a time.

    Places, coordinates and distances are made by three loops: in one, the compiler would not vectorise what goes with
    a gather.
    """
    x, y, own = points

    def one_round(index: Array, total: Any) -> Any:
        k = index * ROUND + jnp.arange(ROUND, dtype=jnp.int32)
        place = lax.map(lambda one: _place(swarm, stretches, one[None, None])[0], k)
        there_x, there_y = lax.map(lambda row: (_at(swarm.x, row), _at(swarm.y, row)), place)
        dx, dy = cells.world.nearest(there_x - x[None, :], there_y - y[None, :])
        distance = jnp.sqrt(dx * dx + dy * dy)
        k = k[:, None]
        near = (distance <= radius) & (k < stretches.candidates[None, :]) & (place != own[None, :])
        return add(total, _Near(k, near, distance, dx, dy))

    return lax.fori_loop(0, _rounds(stretches, ROUND), one_round, total)


def _bits(
    cells: Cells, swarm: Sorted, stretches: Stretches, points: Points, radius: float, words: int
) -> tuple[UInt32[Array, "W M"], Int[Array, " M"], Int[Array, " M"]]:
    """Bit k % 32 of word k // 32 says whether candidate k is near; how many bits are set, and how many should be if
    there were words for all."""

    def add(total: tuple[Array, Array, Array], found: _Near) -> tuple[Array, Array, Array]:
        bits, kept, count = total
        new, first = _as_bits(found), found.k[0, 0]
        word = jnp.minimum(first // BITS, words - 1)
        row = bits[word] | (new << (first % BITS).astype(jnp.uint32))
        fits = first < words * BITS
        bits = bits.at[word].set(jnp.where(fits, row, bits[word]))
        number = _number_of_bits(new)
        return bits, kept + jnp.where(fits, number, 0), count + number

    zero = jnp.zeros(points[0].shape, jnp.int32)
    nothing = jnp.zeros((words, points[0].shape[0]), jnp.uint32), zero, zero
    found: tuple[Array, Array, Array] = _over_candidates(cells, swarm, stretches, points, radius, add, nothing)
    return found


def _as_bits(found: _Near) -> UInt32[Array, " M"]:
    """Whether the candidates of one round are near, the first as the lowest bit."""
    bits = found.near[0].astype(jnp.uint32)
    for row in range(1, ROUND):
        bits = bits | (found.near[row].astype(jnp.uint32) << row)
    return bits


def _number_of_bits(word: UInt32[Array, " M"]) -> Int[Array, " M"]:
    return lax.population_count(word).astype(jnp.int32)


def _number_of_lowest(word: UInt32[Array, " M"]) -> Int[Array, " M"]:
    return lax.population_count((word & (~word + 1)) - 1).astype(jnp.int32)


def _list_of_few(bits: UInt32[Array, "W M"], rounds: Int[Array, ""], slots: int) -> Int[Array, "S M"]:
    """The candidates behind the bits. A few words can all be carried along, which needs no gather."""
    words, points = bits.shape

    def step(slot: Array, carry: tuple[Array, Array]) -> tuple[Array, Array]:
        left, candidates = carry
        first, number = left[-1], jnp.full(points, words - 1, jnp.int32)
        for word in reversed(range(words - 1)):
            first = jnp.where(left[word] != 0, left[word], first)
            number = jnp.where(left[word] != 0, word, number)
        taken = jnp.where(jnp.arange(words)[:, None] == number[None, :], left & (left - 1), left)
        return taken, candidates.at[slot].set(number * BITS + _number_of_lowest(first))

    nobody = jnp.zeros((slots, points), jnp.int32)
    return lax.fori_loop(0, rounds, step, (bits, nobody))[1]


def _list_of_many(bits: UInt32[Array, "W M"], rounds: Int[Array, ""], slots: int) -> Int[Array, "S M"]:
    """The same for crowds: only the word in hand is carried, and the next one that is not empty is looked up."""
    words, points = bits.shape
    column = jnp.arange(points, dtype=jnp.int32)

    def backwards(i: Array, following: Array) -> Array:
        word = words - 1 - i
        return following.at[word].set(jnp.where(bits[word] != 0, word, following[jnp.minimum(word + 1, words - 1)]))

    following = lax.fori_loop(0, words, backwards, jnp.full((words, points), words - 1, jnp.int32))
    flat_bits, flat_following = bits.reshape(-1), following.reshape(-1)

    def step(slot: Array, carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        number, word, candidates = carry
        next_number = _at(flat_following, jnp.minimum(number + 1, words - 1) * points + column)
        number = jnp.where(word == 0, next_number, number)
        word = jnp.where(word == 0, _at(flat_bits, number * points + column), word)
        candidates = candidates.at[slot].set(number * BITS + _number_of_lowest(word))
        return number, word & (word - 1), candidates

    nobody = jnp.zeros((slots, points), jnp.int32)
    begin = (following[0], _at(flat_bits, following[0] * points + column), nobody)
    return lax.fori_loop(0, rounds, step, begin)[2]
