"""Voronoi pursuit: by hand, against a Voronoi diagram of tiled points, and that it catches."""

from collections.abc import Callable
from math import atan2, pi
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.spatial import Voronoi

from swarmbed.controllers.voronoi_pursuit import VoronoiPursuit
from swarmbed.learn.rollout import episode
from swarmbed.sim.unicycle import Agents
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks import make
from swarmbed.tasks.base import State

Headings = Callable[[Any, State], np.ndarray]
KEY = jax.random.key(0)
# With this gain nothing saturates: ω = err, and the second number of an action is err / 2π.
GENTLE = VoronoiPursuit(single_heading_gain=1.0)


def chase(pursuers: Any, evaders: Any, heading: float = 0.0) -> State:
    position = jnp.array(pursuers, float)
    return State(Agents(position, jnp.full(len(position), heading)), jnp.array(evaders, float))


@pytest.fixture(scope="module")
def headings(act: Callable[..., Any]) -> Headings:
    """``headings(task, state)``: where the pursuers want to go, as angles from their heading."""

    def find(task: Any, state: State) -> np.ndarray:
        action = act(GENTLE, task, state)
        assert action[:, 0] == pytest.approx(1.0)
        return action[:, 1] * 2 * pi

    return find


def test_it_heads_for_the_middle_of_the_shared_boundary(headings: Headings) -> None:
    # The bisector x = 50 runs from wall to wall; its middle (50, 50) is (10, 30) from the pursuer.
    task = make("pursuit", num_agents=1, world="closed")
    assert headings(task, chase([[40, 20]], [[60, 20]])) == pytest.approx([atan2(30, 10)], abs=1e-5)


def test_without_a_shared_boundary_it_heads_straight_for_the_evader(headings: Headings) -> None:
    # Four pursuers close the evader's cell to |x − 50|, |y − 50| ≤ 5; the fifth stands outside.
    task = make("pursuit", num_agents=5, world="closed")
    state = chase([[40, 50], [60, 50], [50, 40], [50, 60], [90, 80]], [[50, 50]])
    wanted = [0.0, pi, pi / 2, -pi / 2, atan2(-30, -40)]
    assert np.abs(headings(task, state)) == pytest.approx(np.abs(wanted), abs=1e-5)


def test_it_goes_for_the_evader_whose_cell_it_borders_before_a_nearer_one(headings: Headings) -> None:
    # (50, 50) is nearer to (85, 80) than (90, 20) is, but walled in. The bisector of (85, 80) and (90, 20) is
    # x = 12 y − 512.5. The wall x = 100 cuts it at y = 612.5 / 12, and the cell of (60, 50), which ends at x − y = 40,
    # at y = 552.5 / 11.
    task = make("multi_pursuit", num_agents=5, num_evaders=2, world="closed")
    state = chase([[40, 50], [60, 50], [50, 40], [50, 60], [85, 80]], [[50, 50], [90, 20]])
    middle_y = (612.5 / 12 + 552.5 / 11) / 2
    way = atan2(middle_y - 80, 12 * middle_y - 512.5 - 85)
    assert headings(task, state)[4] == pytest.approx(way, abs=1e-4)


def test_one_that_sees_no_evader_goes_straight_on(headings: Headings) -> None:
    task = make("pursuit", num_agents=2, world="closed", sight_radius=20.0)
    assert headings(task, chase([[10, 10], [50, 40]], [[50, 50]], heading=1.0))[0] == pytest.approx(0.0, abs=1e-6)


def test_pursuers_out_of_earshot_are_not_taken_into_account(headings: Headings) -> None:
    # Knowing of the other, whose cell begins at y = 50, it would aim at (50, 25); alone it aims at (50, 50).
    pursuers, evader = [[40, 20], [60, 80]], [[60, 20]]
    far = make("pursuit", num_agents=2, world="closed")
    near = make("pursuit", num_agents=2, world="closed", comm_radius=40.0)
    assert headings(far, chase(pursuers, evader))[0] == pytest.approx(atan2(5, 10), abs=1e-5)
    assert headings(near, chase(pursuers, evader))[0] == pytest.approx(atan2(30, 10), abs=1e-5)


def tiled_middles(task: Any, state: State) -> list[np.ndarray | None]:
    """By scipy: the middle of the ridge between the evader and each pursuer's nearest image, seen from the pursuer."""
    size = np.array([task.width, task.height])
    pursuers, evader = np.asarray(state.agents.position, float), np.asarray(state.evaders, float)[0]
    sites = np.concatenate([pursuers, evader[None]])
    shifts = np.array([[i, j] for i in range(-2, 3) for j in range(-2, 3)]) * size
    diagram = Voronoi((shifts[:, None] + sites[None]).reshape(-1, 2))
    the_evader = len(shifts) // 2 * len(sites) + len(pursuers)
    nearest = evader + (pursuers - evader) - size * np.round((pursuers - evader) / size)
    middles: list[np.ndarray | None] = [None] * len(pursuers)
    for pair, ridge in zip(diagram.ridge_points, diagram.ridge_vertices, strict=True):
        if the_evader in pair:
            other = diagram.points[pair[0] + pair[1] - the_evader]
            for i, image in enumerate(nearest):
                if np.allclose(other, image):
                    middles[i] = diagram.vertices[ridge].mean(axis=0) - image
    return middles


@pytest.mark.parametrize("seed", range(4))
def test_on_a_torus_it_agrees_with_a_voronoi_diagram_of_tiled_points(headings: Headings, seed: int) -> None:
    task = make("pursuit", num_agents=12, width=100.0, height=70.0)
    state = jax.jit(task.initial)(jax.random.key(seed))
    state = state._replace(agents=state.agents._replace(heading=jnp.zeros(12)))
    found, expected = headings(task, state), tiled_middles(task, state)
    assert sum(middle is not None for middle in expected) >= 3
    assert any(middle is None for middle in expected)
    for way, middle in zip(found, expected, strict=True):
        if middle is not None:
            assert way == pytest.approx(atan2(middle[1], middle[0]), abs=1e-3)


def test_double_integrators_want_their_top_speed(act: Callable[..., Any]) -> None:
    task = make("pursuit", num_agents=1, world="closed", dynamics="double")
    agents = Agents(jnp.array([[40.0, 50.0]]), jnp.zeros(1), jnp.array([9.5]), jnp.zeros(1))
    action = act(VoronoiPursuit(speed_gain=4.0), task, State(agents, jnp.array([[60.0, 50.0]])))
    assert action[0] == pytest.approx([4.0 * 0.5 / 10, 0.0], abs=1e-5)


def test_four_pursuers_catch_an_evader_that_is_no_faster(quick_jit: Callable[..., Any]) -> None:
    task = make("pursuit", num_agents=4, world="closed", evader_speed_ratio=1.0, horizon=250)
    run = quick_jit(jax.vmap(lambda key: episode(task, VoronoiPursuit().control, task.initial(key), key).terminated))
    assert run(jax.random.split(KEY, 16)).mean() >= 0.9


def test_it_says_that_there_is_nobody_to_chase() -> None:
    with pytest.raises(SwarmbedError, match=r"'voronoi_pursuit' .* does not fit task Rendezvous.*multi_pursuit"):
        VoronoiPursuit().check(make("rendezvous"))


def test_a_gain_must_not_be_negative() -> None:
    with pytest.raises(SwarmbedError, match=r"^heading_gain must be a number of at least 0, not -1"):
        VoronoiPursuit(heading_gain=-1.0)
