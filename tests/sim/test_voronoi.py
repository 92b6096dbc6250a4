"""Shared boundaries and the evader's rule against a whole Voronoi diagram.

The torus is unrolled into tiles. Walls become mirrors: the diagram of the points and their four reflections has, inside
the rectangle, the cells that the walls leave.
"""

import functools
from itertools import product
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.spatial import Voronoi

from swarmbed.sim.voronoi import evader_direction, shared_boundary
from swarmbed.sim.world import Closed, Torus, World

WORLDS = {"long torus": Torus(60.0, 150.0), "corridor with walls": Closed(60.0, 150.0)}
SCENES, MOST = 12, 9
# World, number of pursuers, and how far evader and pursuers see.
CASES: list[tuple[str, int, float | None]] = [
    ("long torus", 9, None),
    ("long torus", 9, 40.0),
    ("long torus", 2, None),
    ("long torus", 1, None),
    ("corridor with walls", 9, None),
    ("corridor with walls", 9, 40.0),
    ("corridor with walls", 2, None),
    ("corridor with walls", 1, None),
]
each_case = pytest.mark.parametrize(("name", "num_pursuers", "sight_radius"), CASES)


def scenes(world: World, num_pursuers: int) -> tuple[Any, Any]:
    """Random evaders (scenes, 2) and pursuers (scenes, N, 2)."""
    random = np.random.default_rng(num_pursuers)
    points = random.uniform(0, [world.width, world.height], (SCENES, num_pursuers + 1, 2))
    return points[:, 0], points[:, 1:]


def copies(world: World, points: Any) -> Any:
    """Images or reflections of points, (copies, points, 2); the first copy is the points themselves."""
    size = np.array([world.width, world.height])
    if isinstance(world, Torus):
        shifts = sorted(product(range(-3, 4), repeat=2), key=lambda shift: shift != (0, 0))
        return points + size * np.array(shifts)[:, None]
    mirrored = [points * [1 - 2 * (axis == 0), 1 - 2 * (axis == 1)] for axis in (0, 1)]
    far_mirrored = [mirror + 2 * size * (np.arange(2) == axis) for axis, mirror in enumerate(mirrored)]
    return np.stack([points, *mirrored, *far_mirrored])


def diagram_boundaries(world: World, evader: Any, pursuers: Any) -> list[Any]:
    """Per pursuer the nearest image of it, and the two ends of the boundary with it, or None."""
    points = copies(world, np.concatenate([evader[None], pursuers]))
    num_sites = points.shape[1]
    diagram = Voronoi(points.reshape(-1, 2))
    ridges = {frozenset(pair): ends for pair, ends in zip(diagram.ridge_points, diagram.ridge_vertices, strict=True)}
    found = []
    for site in range(1, num_sites):
        images = points[:, site] if isinstance(world, Torus) else points[:1, site]
        nearest = int(np.hypot(*(images - evader).T).argmin())
        ends = ridges.get(frozenset((0, nearest * num_sites + site)))
        found.append((images[nearest], None if ends is None else diagram.vertices[ends]))
    return found


def find(world: World, sight_radius: float | None, evader: Any, pursuers: Any, present: Any) -> dict[str, Any]:
    """What swarmbed finds: which boundaries exist, their ends (N, 2, 2), and where the evader flees to."""
    dx, dy = world.nearest(pursuers[:, 0] - evader[0], pursuers[:, 1] - evader[1])
    itself = jnp.eye(len(pursuers), dtype=bool)
    edge = shared_boundary(world, evader, dx, dy, itself, dx, dy, present)
    along = jnp.stack([edge.low, edge.high], axis=1)
    x = evader[0] + edge.half_gap[:, None] * edge.east[:, None] - along * edge.north[:, None]
    y = evader[1] + edge.half_gap[:, None] * edge.north[:, None] + along * edge.east[:, None]
    return {
        "exists": edge.exists,
        "ends": jnp.stack([x, y], -1),
        "middle": jnp.stack(edge.middle, -1) + evader,
        "direction": evader_direction(world, evader, pursuers, sight_radius, present),
    }


@pytest.fixture(scope="module")
def found_in(quick_jit: Any) -> Any:
    """Fewer pursuers are nine of which some are absent, and what is stored in their place is no number at all."""
    programs = functools.cache(lambda name, sight: quick_jit(jax.vmap(functools.partial(find, WORLDS[name], sight))))

    @functools.cache
    def run(name: str, num_pursuers: int, sight_radius: float | None) -> Any:
        with jax.enable_x64(True):
            evaders, pursuers = scenes(WORLDS[name], num_pursuers)
            nine = np.full((SCENES, MOST, 2), np.nan)
            nine[:, :num_pursuers] = pursuers
            present = np.broadcast_to(np.arange(MOST) < num_pursuers, (SCENES, MOST))
            found = programs(name, sight_radius)(*map(jnp.asarray, (evaders, nine, present)))
            return jax.tree.map(np.asarray, found)

    return run


@each_case
def test_every_shared_boundary_is_that_of_the_voronoi_diagram(
    name: str, num_pursuers: int, sight_radius: float | None, found_in: Any
) -> None:
    evaders, pursuers = scenes(WORLDS[name], num_pursuers)
    found = found_in(name, num_pursuers, sight_radius)
    for scene in range(SCENES):
        for pursuer, (_, wanted) in enumerate(diagram_boundaries(WORLDS[name], evaders[scene], pursuers[scene])):
            assert bool(found["exists"][scene, pursuer]) == (wanted is not None)
            if wanted is not None:
                ends = found["ends"][scene, pursuer]
                np.testing.assert_allclose(ends[np.lexsort(ends.T)], wanted[np.lexsort(wanted.T)], atol=1e-7)
                np.testing.assert_allclose(found["middle"][scene, pursuer], wanted.mean(axis=0), atol=1e-7)
    if num_pursuers == 9:
        assert found["exists"].any()
        assert not found["exists"].all()


@each_case
def test_the_evader_flees_from_its_nearest_pursuer_through_the_middle_of_their_boundary(
    name: str, num_pursuers: int, sight_radius: float | None, found_in: Any
) -> None:
    evaders, pursuers = scenes(WORLDS[name], num_pursuers)
    found = found_in(name, num_pursuers, sight_radius)["direction"]
    for scene in range(SCENES):
        # Who is not seen is not there. −(|ξ|/2)ĥ + m·v̂ points from the pursuer to the middle of the boundary.
        image_distance = np.hypot(*np.moveaxis(copies(WORLDS[name], pursuers[scene]) - evaders[scene], -1, 0))
        distance = image_distance.min(axis=0) if "torus" in name else image_distance[0]
        seen = distance <= (np.inf if sight_radius is None else sight_radius)
        if not seen.any():
            np.testing.assert_array_equal(found[scene], np.zeros(2))
            continue
        boundaries = diagram_boundaries(WORLDS[name], evaders[scene], pursuers[scene][seen])
        nearest, ends = boundaries[int(distance[seen].argmin())]
        way = ends.mean(axis=0) - nearest
        np.testing.assert_allclose(found[scene], way / np.hypot(*way), atol=1e-8)


@pytest.fixture(scope="module")
def flee(quick_jit: Any) -> Any:
    """The evader's direction in a world of 100 × 40, on a torus and between walls."""
    worlds = {"torus": Torus(100.0, 40.0), "closed": Closed(100.0, 40.0)}
    run = quick_jit(
        lambda world, e, p: evader_direction(worlds[world], e, p, 10.0, jnp.ones(len(p), bool)), static_argnums=0
    )
    return lambda world, evader, *pursuers: run(world, jnp.array(evader), jnp.array(pursuers))


@pytest.mark.parametrize("world", ["torus", "closed"])
def test_one_pursuer_straight_behind_drives_the_evader_straight_ahead(world: str, flee: Any) -> None:
    np.testing.assert_allclose(flee(world, [50.0, 20.0], [47.0, 20.0]), [1, 0], atol=1e-6)


def test_a_pursuer_across_the_border_of_a_torus_counts_as_close(flee: Any) -> None:
    np.testing.assert_allclose(flee("torus", [1.0, 20.0], [98.0, 20.0]), [1, 0], atol=1e-6)


@pytest.mark.parametrize("world", ["torus", "closed"])
def test_an_evader_that_sees_nobody_stands_still(world: str, flee: Any) -> None:
    np.testing.assert_array_equal(flee(world, [50.0, 20.0], [39.9, 20.0]), [0, 0])


@pytest.mark.parametrize("world", ["torus", "closed"])
def test_an_evader_on_the_spot_of_a_pursuer_has_no_direction_to_flee(world: str, flee: Any) -> None:
    np.testing.assert_array_equal(flee(world, [50.0, 20.0], [50.0, 20.0]), [0, 0])


def test_an_evader_against_a_wall_flees_along_it(flee: Any) -> None:
    # e = (0, 20), p = (3, 16): the bisector through (1.5, 18) runs along (4, 3)/5. Walls leave of it what lies between
    # the west wall, t = −1.875, and the north wall, t = 22/0.6. With m its middle, it leads there from p by
    # (−1.5 + 0.8 m, 2 + 0.6 m).
    m = (-1.875 + 22 / 0.6) / 2
    wanted = np.array([-1.5 + 0.8 * m, 2 + 0.6 * m])
    np.testing.assert_allclose(flee("closed", [0.0, 20.0], [3.0, 16.0]), wanted / np.hypot(*wanted), atol=1e-5)


@pytest.mark.parametrize("world", ["torus", "closed"])
def test_pursuers_on_the_same_spot_count_as_one(world: str, flee: Any) -> None:
    # 2(x − e)·(q − e) ≤ |q − e|² holds with equality on the whole bisector: the second one cuts nothing.
    pursuer = [44.3, 17.1]
    alone = flee(world, [50.0, 20.0], pursuer)
    np.testing.assert_allclose(flee(world, [50.0, 20.0], pursuer, pursuer), alone, atol=1e-5)
