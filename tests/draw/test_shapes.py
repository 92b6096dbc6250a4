"""Ways, marks and cells: what is drawn of a swarm, as numbers."""

from math import pi

import numpy as np
import pytest

from swarmbed.draw.shapes import Stage, cells, darts, images, segments, stage_of
from swarmbed.sim.unicycle import Agents
from swarmbed.tasks import make
from swarmbed.tasks.base import State

SIZE = np.array([100.0, 60.0])
CLOSED = Stage(np.zeros(2), SIZE)
TORUS = Stage(np.zeros(2), SIZE, SIZE)


def area(polygon):
    x, y = polygon.T
    return abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2


def distance_to(piece, point):
    """From a point to a straight piece, by projection."""
    a, b = piece
    along = np.clip(np.dot(point - a, b - a) / max(np.dot(b - a, b - a), 1e-12), 0, 1)
    return np.linalg.norm(a + along * (b - a) - point)


def test_a_way_over_a_periodic_border_is_drawn_leaving_and_entering():
    pieces, owners = segments(TORUS, np.array([[98.0, 50.0]]), np.array([[3.0, 50.0]]))
    assert pieces.tolist() == [[[98, 50], [103, 50]], [[-2, 50], [3, 50]]]
    assert owners.tolist() == [0, 0]


def test_the_same_way_in_a_closed_world_is_one_piece_across_it():
    pieces, _ = segments(CLOSED, np.array([[98.0, 50.0]]), np.array([[3.0, 50.0]]))
    assert pieces.tolist() == [[[98, 50], [3, 50]]]


def test_a_way_over_a_corner_is_drawn_everywhere_it_passes():
    # It leaves on the right at y = 57, runs on at the left edge, and leaves through the top before it ends.
    start, way = np.array([90.0, 50.0]), np.array([20.0, 14.0])
    end = (start + way) % SIZE
    pieces, _ = segments(TORUS, start[None], end[None])
    for share in np.linspace(0, 1, 41):
        point = (start + share * way) % SIZE
        assert min(distance_to(piece, point) for piece in pieces) < 1e-9


def test_no_piece_is_longer_than_the_step_it_shows():
    generator = np.random.default_rng(0)
    steps = generator.normal(size=(200, 7, 2))
    path = np.cumsum(steps, axis=0) % SIZE
    pieces, owners = segments(TORUS, path[:-1], path[1:])
    drawn = np.linalg.norm(pieces[:, 1] - pieces[:, 0], axis=1)
    assert np.allclose(drawn, np.linalg.norm(steps[1:], axis=-1).ravel()[owners])
    assert len(pieces) > 199 * 7  # some of them crossed the border


def test_what_was_put_elsewhere_leaves_no_line():
    start, end = np.array([[10.0, 10.0], [10.0, 10.0]]), np.array([[11.0, 10.0], [40.0, 30.0]])
    pieces, owners = segments(TORUS, start, end, longest=1.5)
    assert pieces.tolist() == [[[10, 10], [11, 10]]]
    assert owners.tolist() == [0]


def test_a_dart_points_along_the_heading():
    shape = darts(np.array([[10.0, 20.0]]), np.array([pi / 2]), size=2.0)
    assert shape.shape == (1, 4, 2)
    assert np.allclose(shape[0, 0], [10.0, 22.0])  # its nose lies north
    assert (shape[0, 1:, 1] < 20.0).all()  # and all the rest south of its middle


def test_a_shape_over_the_border_has_a_copy_on_the_other_side():
    square = np.array([[98.0, 10.0], [104.0, 10.0], [104.0, 16.0], [98.0, 16.0]])
    inner = square - np.array([50.0, 0.0])
    found, owners = images(TORUS, [inner, square])
    assert owners == [0, 1, 1]
    assert any(np.allclose(shape, square - [100, 0]) for shape in found)
    assert images(CLOSED, [square])[1] == [0]


def test_two_sites_share_a_closed_world_at_their_bisector():
    left, right = cells(CLOSED, np.array([[20.0, 30.0], [60.0, 30.0]]))
    assert left[:, 0].max() == pytest.approx(40.0)
    assert area(left) == pytest.approx(40 * 60)
    assert area(right) == pytest.approx(60 * 60)


@pytest.mark.parametrize("stage", [CLOSED, TORUS], ids=["closed", "torus"])
def test_a_lone_site_owns_the_world(stage):
    (whole,) = cells(stage, np.array([[10.0, 50.0]]))
    assert area(whole) == pytest.approx(6000)


@pytest.mark.parametrize("stage", [CLOSED, TORUS], ids=["closed", "torus"])
def test_every_point_lies_in_the_cell_of_its_nearest_site(stage):
    generator = np.random.default_rng(1)
    sites = SIZE * generator.uniform(size=(12, 2))
    sites[0] = [0.0, 25.0]  # one stands at the wall
    shapes, owners = images(stage, cells(stage, sites))
    assert sum(map(area, cells(stage, sites))) == pytest.approx(6000)
    for point in SIZE * generator.uniform(size=(300, 2)):
        apart = stage.nearest(sites - point)
        nearest = int(np.argmin(np.hypot(apart[:, 0], apart[:, 1])))
        holders = {owner for owner, shape in zip(owners, shapes, strict=True) if is_inside(shape, point)}
        assert holders == {nearest}


def is_inside(polygon, point):
    """A convex polygon, counter-clockwise, has an inner point on its left all the way round."""
    edge, to_point = np.roll(polygon, -1, axis=0) - polygon, point - polygon
    return bool((edge[:, 0] * to_point[:, 1] - edge[:, 1] * to_point[:, 0] >= 0).all())


def test_sites_on_one_spot_have_the_same_cell():
    first, second, third = cells(TORUS, np.array([[10.0, 10.0], [10.0, 10.0], [60.0, 40.0]]))
    assert np.allclose(first, second)
    assert area(first) + area(third) == pytest.approx(6000)


def test_the_stage_of_a_swarm_task_is_its_world():
    state = State(Agents(np.full((3, 2, 2), 7.0), np.zeros((3, 2))))
    stage = stage_of(make("pursuit", num_agents=2, width=40.0, height=20.0), state)
    assert stage.high.tolist() == [40, 20]
    assert stage.period.tolist() == [40, 20]
    assert stage_of(make("rendezvous", num_agents=2), state).period is None
