"""The page with the snapshots and the whole episode."""

import imageio.v3 as imageio
import numpy as np
import pytest
from matplotlib.colors import to_hex

from swarmbed.draw.page import draw_trace, trace_figure
from swarmbed.draw.recording import snapshot_times
from swarmbed.draw.scene import Look, trail
from swarmbed.draw.shapes import stage_of
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks import make

BLUE, VERMILLION = "#0072b2", "#d55e00"


def test_a_page_has_four_snapshots_and_the_whole_episode_each_as_large_as_the_world(walk):
    figure = trace_figure(walk)
    assert len(figure.axes) == 5
    for axes in figure.axes:
        assert axes.get_xlim() == (0, 100) and axes.get_ylim() == (0, 60)
        width, height = axes.bbox.size
        assert width / height == pytest.approx(100 / 60, rel=1e-6)


def test_the_whole_episode_is_drawn_without_a_jump_from_start_to_end(walk):
    whole = trace_figure(walk).axes[-1]
    lines = [piece for item in whole.collections if hasattr(item, "get_segments") for piece in item.get_segments()]
    assert np.allclose([np.linalg.norm(piece[1] - piece[0]) for piece in lines], 1.0)
    assert len(lines) == 2 * (6 + 1)  # six steps of two agents, and each agent crosses the border once
    starts = np.concatenate([line.get_xydata() for line in whole.lines])
    assert np.allclose(starts, [[97.5, 10], [97.5, 40]])


def test_the_end_of_the_way_is_darker_than_its_beginning(walk):
    _, colors = trail(walk.task, stage_of(walk.task, walk.states), walk.states, 0, 6, fade=False)
    assert to_hex(colors[10]) == BLUE  # the last step of the first agent
    assert colors[0, :3].sum() > colors[10, :3].sum()


def test_snapshots_can_be_chosen(walk):
    figure = trace_figure(walk, Look(snapshots=(0, 5)))
    assert [axes.get_title() for axes in figure.axes[:-1]] == ["step 0 · 0.0 s", "step 5 · 0.5 s"]
    with pytest.raises(SwarmbedError, match=r"snapshots must lie between 0 and 6, .*, not at 7"):
        trace_figure(walk, Look(snapshots=(0, 7)))


def test_snapshots_follow_a_swarm_while_it_gathers(recording_of):
    task = make("rendezvous", num_agents=2)
    distance = np.array([90.0, 70.0, 60.0, 30.0, 10.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    recording = recording_of(task, np.zeros((10, 2, 2)), metrics={"mean_distance": distance})
    # A third of the 90 units is gone at 60, two thirds at 30, all of it at 0.
    assert snapshot_times(recording) == (0, 2, 3, 5)


def test_snapshots_of_a_chase_are_evenly_spread(chase):
    assert snapshot_times(chase) == (0, 1, 3, 4)


def test_the_page_says_when_the_evader_was_caught(chase):
    assert trace_figure(chase).axes[-1].get_title() == "whole episode · captured after 4 steps"


def test_the_page_becomes_a_file_with_both_colours_in_it(chase, tmp_path):
    picture = imageio.imread(draw_trace(chase, tmp_path / "chase.png"))[..., :3].astype(int)
    for color in (BLUE, VERMILLION):
        wanted = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)])
        assert (np.abs(picture - wanted).sum(axis=-1) < 6).sum() > 50
