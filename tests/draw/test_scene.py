"""One moment of a swarm, read back from matplotlib's objects."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from swarmbed.draw.scene import Look, Scene, crowding, trail
from swarmbed.draw.shapes import stage_of
from swarmbed.tasks import make

BLUE, VERMILLION = "#0072b2", "#d55e00"


def scene_at(recording, time, look=None):
    scene = Scene(Figure().add_subplot(), recording.task, recording.states, look or Look())
    scene.show(time)
    return scene


def middles(collection):
    boxes = [path.get_extents() for path in collection.get_paths()]
    return np.array([[(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2] for box in boxes])


def pieces_of(collection):
    """The straight pieces of lines with gaps. (``get_segments`` would leave the gaps out.)"""
    lines = [path.vertices for path in collection.get_paths()]
    pieces = np.concatenate([np.stack([line[:-1], line[1:]], axis=1) for line in lines])
    return pieces[np.isfinite(pieces).all(axis=(1, 2))]


def test_there_is_one_mark_per_agent_and_it_is_where_the_agent_is(walk):
    scene = scene_at(walk, 4)
    assert np.allclose(middles(scene.agents), walk.states.agents.position[4], atol=scene.mark)
    assert len(scene.agents.get_paths()) == 2


def test_pursuers_are_blue_and_the_evader_is_not(chase):
    scene = scene_at(chase, 0)
    assert to_hex(scene.agents.get_facecolor()[0]) == BLUE
    assert to_hex(scene.evaders.get_facecolor()[0]) == VERMILLION
    assert np.allclose(middles(scene.evaders), [[50, 50]])


def test_a_caught_evader_has_a_ring(chase):
    assert len(scene_at(chase, 3).caught.get_paths()) == 0
    assert np.allclose(middles(scene_at(chase, 4).caught), [[50, 50]])


def test_edges_join_those_who_hear_each_other_also_over_the_border(chase):
    # 45–20 are 25 apart, 20–90 are 30 over the border, 90–45 are 45: two neighbours, one of them drawn on two sides.
    drawn = {tuple(np.sort(edge[:, 0])) for edge in pieces_of(scene_at(chase, 0, Look(edges=True)).edges)}
    assert drawn == {(20, 45), (-10, 20), (90, 120)}


def test_without_a_radius_everybody_is_joined_to_everybody(recording_of):
    task = make("rendezvous", num_agents=4)
    scene = scene_at(recording_of(task, [[[10, 10], [20, 80], [70, 30], [90, 90]]]), 0, Look(edges=True))
    assert len(pieces_of(scene.edges)) == 6


def test_cells_cover_the_world_and_the_evaders_cell_is_tinted(chase):
    scene = scene_at(chase, 0, Look(cells=True))
    tints = [to_hex(color, keep_alpha=True) for color in scene.cells.get_facecolor()]
    inside = [path.contains_point((50.0, 50.0)) for path in scene.cells.get_paths()]
    assert [tint for tint, has_evader in zip(tints, inside, strict=True) if has_evader] == ["#fbe6d8ff"]
    assert set(tints) == {"#fbe6d8ff", "#00000000"}


def test_circles_have_the_radii_of_hearing_and_sight(chase):
    paths = scene_at(chase, 0, Look(radius=True)).circles.get_paths()
    widths = sorted(path.get_extents().width for path in paths)
    # Two pursuers whose circles reach over a border are drawn on both sides.
    assert np.allclose(widths, [40] + [60] * 5)


def test_a_trail_is_as_long_as_asked_and_stronger_where_it_is_newer(walk):
    pieces, colors = trail(walk.task, stage_of(walk.task, walk.states), walk.states, 1, 3, fade=True)
    of_first_agent = pieces[:, 0, 1] == 10.0
    assert pieces[of_first_agent][:2, :, 0].tolist() == [[98.5, 99.5], [99.5, 100.5]]
    assert (np.diff(colors[of_first_agent][:2, 3]) > 0).all()
    segments = scene_at(walk, 6, Look(trail=0)).trails.get_segments()
    assert len(segments) == 0


def test_a_trail_over_the_border_does_not_jump(walk):
    pieces = pieces_of(scene_at(walk, 6).trails)
    assert np.allclose(np.linalg.norm(pieces[:, 1] - pieces[:, 0], axis=1), 1.0)
    assert len(pieces) == 2 * (6 + 1)  # each agent's step over the border is there twice


def test_an_evader_that_comes_back_elsewhere_leaves_no_line_between(recording_of):
    task = make("multi_pursuit", num_agents=1, num_evaders=1)
    evaders = [[[50.0, 50.0]], [[51.0, 50.0]], [[80.0, 20.0]], [[81.0, 20.0]]]
    recording = recording_of(task, np.full((4, 1, 2), 10.0), evaders)
    pieces, _ = trail(task, stage_of(task, recording.states), recording.states, 0, 3, fade=False)
    moved = pieces[np.linalg.norm(pieces[:, 1] - pieces[:, 0], axis=1) > 0]
    assert moved.tolist() == [[[50, 50], [51, 50]], [[80, 20], [81, 20]]]


def test_the_marks_of_a_crowd_are_smaller_and_those_of_few_stay():
    assert [crowding(count) for count in (0, 1, 50)] == [1.0, 1.0, 1.0]
    assert crowding(1600) == pytest.approx(32**-0.3)  # 0.354
