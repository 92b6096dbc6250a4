"""Neighbourhoods, and shortest paths against Dijkstra's algorithm."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

from swarmbed.sim.graph import neighbourhood_size, neighbours, shortest_path

NOT_SELF = ~jnp.eye(3, dtype=bool)
DISTANCE = jnp.array([[0.0, 3.0, 5.0], [3.0, 0.0, 4.0], [5.0, 4.0, 0.0]])


def test_neighbours_lie_within_the_radius_which_itself_counts() -> None:
    wanted = [[False, True, False], [True, False, True], [False, True, False]]
    np.testing.assert_array_equal(neighbours(DISTANCE, NOT_SELF, 4.0), wanted)


def test_without_a_radius_everybody_else_is_a_neighbour() -> None:
    np.testing.assert_array_equal(neighbours(DISTANCE, NOT_SELF, None), NOT_SELF)


def test_neighbourhood_sizes_count_neighbours() -> None:
    np.testing.assert_array_equal(neighbourhood_size(neighbours(DISTANCE, NOT_SELF, 4.0)), [1.0, 2.0, 1.0])


def test_a_path_hops_from_neighbour_to_neighbour_until_one_sees_the_target() -> None:
    # Only agent 2 sees it, 10 away. Agent 1 goes over 2: 4 + 10. Agent 0 cannot hear 2, goes over 1: 3 + 14.
    path = shortest_path(DISTANCE, neighbours(DISTANCE, NOT_SELF, 4.0), jnp.array([jnp.inf, jnp.inf, 10.0]))
    np.testing.assert_array_equal(path, [17.0, 14.0, 10.0])


def test_a_relay_may_be_shorter_than_the_own_sight() -> None:
    path = shortest_path(DISTANCE, NOT_SELF, jnp.array([20.0, 1.0, jnp.inf]))
    np.testing.assert_array_equal(path, [4.0, 1.0, 5.0])


def test_where_nobody_sees_the_target_there_is_no_path() -> None:
    path = shortest_path(DISTANCE, NOT_SELF, jnp.full(3, jnp.inf))
    np.testing.assert_array_equal(path, np.full(3, np.inf))


@pytest.mark.parametrize(("sight", "wanted"), [(7.0, 7.0), (np.inf, np.inf)])
def test_a_lone_agent_has_only_its_own_sight(sight: float, wanted: float) -> None:
    path = shortest_path(jnp.zeros((1, 1)), jnp.zeros((1, 1), bool), jnp.array([sight]))
    np.testing.assert_array_equal(path, [wanted])


@functools.cache
def random_graphs(num_agents: int, count: int = 24) -> tuple[Any, Any, Any]:
    """Distances, edges and sights from dense to falling apart."""
    random = np.random.default_rng(num_agents)
    distance = random.uniform(1, 10, (count, num_agents, num_agents))
    distance = distance + distance.transpose(0, 2, 1)
    linked = random.random(distance.shape) < np.linspace(0, 1, count)[:, None, None]
    linked = (linked | linked.transpose(0, 2, 1)) & ~np.eye(num_agents, dtype=bool)
    sight = np.where(random.random((count, num_agents)) < 0.3, random.uniform(1, 10, (count, num_agents)), np.inf)
    return distance, linked, sight


def dijkstra_path(distance: Any, linked: Any, sight: Any) -> Any:
    """The target as one more node, behind those that see it."""
    num_agents = len(sight)
    origin, end = np.nonzero(linked)
    (seeing,) = np.nonzero(np.isfinite(sight))
    rows, columns = np.concatenate([origin, seeing]), np.concatenate([end, np.full(len(seeing), num_agents)])
    weights = np.concatenate([distance[origin, end], sight[seeing]])
    graph = coo_array((weights, (rows, columns)), shape=(num_agents + 1, num_agents + 1)).tocsr()
    return dijkstra(graph)[:num_agents, num_agents]


@pytest.mark.parametrize("num_agents", [1, 2, 12])
def test_paths_are_those_of_dijkstra(num_agents: int, float64: None, quick_jit: Any) -> None:
    graphs = random_graphs(num_agents)
    wanted = np.stack([dijkstra_path(*graph) for graph in zip(*graphs, strict=True)])
    assert np.isinf(wanted).any()
    assert np.isfinite(wanted).any()
    found = quick_jit(jax.vmap(shortest_path))(*map(jnp.asarray, graphs))
    np.testing.assert_allclose(found, wanted, atol=1e-12)


@pytest.mark.parametrize("num_agents", [1, 2, 12])
def test_the_gradient_of_a_path_is_that_of_dijkstra_by_finite_differences(
    num_agents: int, float64: None, quick_jit: Any
) -> None:
    distances, links, sights = random_graphs(num_agents)
    distance, linked, sight = distances[14], links[14], sights[14]
    weight = np.arange(1.0, num_agents + 1)

    def total(distance: Any, sight: Any) -> Any:
        path = shortest_path(distance, jnp.asarray(linked), sight)
        return jnp.sum(jnp.where(jnp.isfinite(path), path, 0.0) * weight)

    def dijkstra_total(distance: Any, sight: Any) -> float:
        path = dijkstra_path(distance, linked, sight)
        return float((np.where(np.isfinite(path), path, 0.0) * weight).sum())

    by_distance, by_sight = quick_jit(jax.grad(total, argnums=(0, 1)))(jnp.asarray(distance), jnp.asarray(sight))
    step = 1e-4  # paths are piecewise linear, so any step that changes no hop is exact
    for index in np.ndindex(distance.shape):
        nudge = np.zeros_like(distance)
        nudge[index] = step
        slope = (dijkstra_total(distance + nudge, sight) - dijkstra_total(distance - nudge, sight)) / (2 * step)
        assert by_distance[index] == pytest.approx(slope, abs=1e-6)
    for agent in range(num_agents):
        nudge = np.where(np.arange(num_agents) == agent, step, 0.0)
        slope = (dijkstra_total(distance, sight + nudge) - dijkstra_total(distance, sight - nudge)) / (2 * step)
        assert by_sight[agent] == pytest.approx(slope, abs=1e-6)
