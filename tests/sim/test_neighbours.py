"""The search by cells finds the same neighbours as comparing all pairs."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarmbed.compute import compiling
from swarmbed.sim import neighbours, relations
from swarmbed.sim.cells import MOST, Cells, order_along_curve
from swarmbed.sim.world import WORLDS, Closed, Torus

AGENTS = 48  # one shape, so that each world is compiled once
OPEN, DIVIDED = ("closed", 100.0, 80.0, 11.0), ("closed", 30.0, 40.0, 10.0)  # the second radius divides the sides
WRAPPED, TWO_ROWS = ("torus", 100.0, 80.0, 11.0), ("torus", 90.0, 21.0, 10.0)  # above and below are the same row
ONE_ROW, ONE_CELL = ("torus", 50.0, 12.0, 10.0), ("torus", 40.0, 40.0, 70.0)  # in the last one all are neighbours
GRIDS = (OPEN, DIVIDED, WRAPPED, TWO_ROWS, ONE_ROW, ONE_CELL)
SUMMED = (OPEN, TWO_ROWS, ONE_ROW)  # sums go through the candidates as lists do: one grid of each kind is enough

quickly = partial(jax.jit, compiler_options=compiling.once())


@partial(quickly, static_argnums=(0, 3, 4))
def lists_of(cells, position, present, slots, radius):
    """The lists of all agents."""
    return neighbours.search(cells, cells.sort(position, present), position, jnp.arange(len(position)), slots, radius)


@partial(quickly, static_argnums=0)
def sums_of(cells, position, present):
    """How many neighbours everybody has, and how close all are."""
    number = neighbours.how_many(
        cells, cells.sort(position, present), position, jnp.arange(len(position)), cells.radius
    )
    return number, neighbours.closeness(cells, position, present)


def cells_of(grid):
    kind, width, height, radius = grid
    return Cells(WORLDS[kind](width, height), radius)


def lists_on(grid, position, present):
    return lists_of(cells_of(grid), position, present, AGENTS, grid[3])


def some(*positions):
    """These agents, and absent ones up to the number that is compiled for."""
    rest = np.zeros((AGENTS - len(positions), 2))
    return np.concatenate([positions, rest]).astype(np.float32), np.arange(AGENTS) < len(positions)


def sets_of(lists):
    agent, listed = np.asarray(lists.agent), np.asarray(lists.listed)
    return [sorted(agent[: listed[i], i].tolist()) for i in range(agent.shape[1])]


def distances(kind, width, height, position):
    """In float64, by trying every image: an oracle that shares no line with the simulator."""
    shifts = [(0, 0)] if kind == "closed" else [(i * width, j * height) for i in (-1, 0, 1) for j in (-1, 0, 1)]
    gap = position[None, :, :].astype(np.float64) - position[:, None, :]
    return np.min([np.hypot(gap[..., 0] + dx, gap[..., 1] + dy) for dx, dy in shifts], axis=0)


@st.composite
def swarms(draw, grids=GRIDS):
    """Positions of all sorts: anywhere, in clusters, on the borders of cells, on one spot; some agents absent."""
    grid = draw(st.sampled_from(grids))
    kind, width, height, radius = grid
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    position = random.uniform(0, 1, (AGENTS, 2)) * [width, height]
    clustered = draw(st.integers(0, AGENTS))
    position[:clustered] = position[0] + random.normal(size=(clustered, 2)) * draw(st.sampled_from([0.0, 0.1, 5.0]))
    on_border = draw(st.integers(0, AGENTS))
    position[-on_border or AGENTS :] = np.round(position[-on_border or AGENTS :] / radius) * radius
    if kind == "torus":
        position %= [width, height]
    position = np.clip(position, 0, [width, height]).astype(np.float32)
    present = random.random(AGENTS) < draw(st.sampled_from([1.0, 0.7, 0.0]))
    return grid, position, present


@settings(max_examples=60, deadline=None)
@given(swarms())
def test_cells_find_the_same_sets_as_all_pairs(swarm):
    grid, position, present = swarm
    lists = lists_on(grid, position, present)
    distance = distances(*grid[:3], position)
    other = present[None, :] & ~np.eye(AGENTS, dtype=bool)
    surely, maybe = other & (distance < grid[3] * (1 - 1e-6)), other & (distance <= grid[3] * (1 + 1e-6))
    for i, members in enumerate(sets_of(lists)):
        assert len(set(members)) == len(members) == lists.number[i]
        assert set(np.flatnonzero(surely[i])) <= set(members) <= set(np.flatnonzero(maybe[i]))


@settings(max_examples=20, deadline=None)
@given(swarms(SUMMED))
def test_closeness_is_the_sum_over_all_pairs_within_the_radius(swarm):
    grid, position, present = swarm
    _, close = sums_of(cells_of(grid), position, present)
    distance = distances(*grid[:3], position)
    pairs = present[None, :] & present[:, None] & ~np.eye(AGENTS, dtype=bool)
    np.testing.assert_allclose(
        close, np.where(pairs, np.maximum(1 - distance / grid[3], 0), 0).sum(), rtol=2e-5, atol=1e-4
    )


@settings(max_examples=20, deadline=None)
@given(swarms(SUMMED))
def test_as_many_are_counted_as_are_listed(swarm):
    grid, position, present = swarm
    number, _ = sums_of(cells_of(grid), position, present)
    np.testing.assert_array_equal(number, lists_on(grid, position, present).number)


def test_an_agent_at_exactly_the_radius_is_a_neighbour():
    position, present = some([10.0, 10.0], [16.0, 18.0], [10.0, 20.5])  # 3-4-5 triangle: distance 10
    assert sets_of(lists_on(DIVIDED, position, present))[:3] == [[1], [0, 2], [1]]


def test_neighbours_across_the_border_of_a_torus_are_found_once():
    position, present = some([1.0, 1.0], [99.0, 79.0], [50.0, 40.0])
    assert sets_of(lists_on(WRAPPED, position, present))[:3] == [[1], [0], []]


def test_points_that_are_no_agents_see_everybody_within_a_smaller_radius():
    position = jnp.array([[10.0, 10.0], [14.0, 10.0], [18.0, 10.0]])
    cells = Cells(Closed(100.0, 100.0), 10.0)

    @quickly
    def look(point):
        swarm = cells.sort(position, jnp.ones(3, bool))
        return neighbours.search(cells, swarm, point, jnp.array([-1]), 3, 4.0)

    assert sets_of(look(jnp.array([[11.0, 10.0]]))) == [[0, 1]]


def test_neighbours_without_a_slot_are_counted():
    position = jnp.full((9, 2), 5.0)
    cells = Cells(Closed(100.0, 100.0), 10.0)
    lists = lists_of(cells, position, jnp.ones(9, bool), 3, 10.0)
    assert lists.listed.tolist() == [3] * 9
    assert lists.number.tolist() == [8] * 9
    assert all(len(set(members)) == 3 for members in sets_of(lists))


def test_a_crowd_of_hundreds_in_one_cell_is_listed_without_loss():
    count = 300  # more than the few words of the short way
    position = 5.0 + np.random.default_rng(0).normal(size=(count, 2)).astype(np.float32)
    lists = lists_of(Cells(Closed(100.0, 100.0), 10.0), position, np.ones(count, bool), count, 10.0)
    assert lists.number.tolist() == [count - 1] * count
    assert sets_of(lists) == [[j for j in range(count) if j != i] for i in range(count)]


def test_a_batch_finds_what_each_swarm_finds_alone():
    random = np.random.default_rng(1)
    position = random.uniform(0, 21, (3, AGENTS, 2)).astype(np.float32)
    present = random.random((3, AGENTS)) < 0.8
    together = jax.vmap(partial(lists_on, TWO_ROWS))(position, present)
    numbers, close = jax.vmap(partial(sums_of, cells_of(TWO_ROWS)))(position, present)
    for i in range(3):
        alone = lists_on(TWO_ROWS, position[i], present[i])
        assert sets_of(jax.tree.map(lambda leaf, i=i: leaf[i], together)) == sets_of(alone)
        np.testing.assert_array_equal(numbers[i], alone.number)
        np.testing.assert_allclose(close[i], sums_of(cells_of(TWO_ROWS), position[i], present[i])[1], rtol=1e-5)


def test_the_search_works_in_double_precision():
    with jax.enable_x64(True):
        position = jnp.array([[1.0, 1.0], [99.0, 99.0], [5.0, 5.0]], jnp.float64)
        cells = Cells(Torus(100.0, 100.0), 10.0)
        lists = lists_of(cells, position, jnp.ones(3, bool), 3, 10.0)
        assert sets_of(lists) == [[1, 2], [0, 2], [0, 1]]


@pytest.mark.parametrize("kind", ["closed", "torus"])
def test_the_gradient_of_closeness_is_that_of_all_pairs(kind):
    world = WORLDS[kind](60.0, 50.0)
    position = jnp.array(np.random.default_rng(2).uniform(0, 50, (20, 2)), jnp.float32)
    position = position.at[1].set(position[0])  # two on one spot: no direction, no gradient
    cells, present = Cells(world, 9.0), jnp.arange(20) != 3

    def all_pairs(position):
        distance = relations.displacement(world, position, position).distance
        pairs = present[:, None] & present[None, :] & ~jnp.eye(20, dtype=bool)
        return jnp.where(pairs & (distance <= 9.0), 1 - distance / 9.0, 0.0).sum()

    @partial(quickly, static_argnums=0)
    def derivatives(function, position):
        tangent = jnp.ones_like(position) * jnp.arange(20)[:, None]
        return jax.grad(function)(position), jax.jvp(function, (position,), (tangent,))[1]

    gradient, slope = derivatives(lambda position: neighbours.closeness(cells, position, present), position)
    wanted_gradient, wanted_slope = derivatives(all_pairs, position)
    np.testing.assert_allclose(gradient, wanted_gradient, atol=1e-5)
    np.testing.assert_allclose(slope, wanted_slope, rtol=1e-4)


def test_the_curve_visits_every_agent_once_and_absent_ones_last():
    position = jnp.array([[90.0, 90.0], [1.0, 1.0], [2.0, 2.0], [50.0, 1.0]])
    order = order_along_curve(Closed(100.0, 100.0), position, jnp.array([True, True, False, True]))
    assert order.tolist() == [1, 3, 0, 2]


def test_a_tiny_radius_makes_no_more_cells_than_there_is_memory_for() -> None:
    cells = Cells(Torus(100.0, 50.0), 1e-320)
    assert (cells.columns, cells.rows) == (MOST, MOST)
