"""An absent agent is not drawn, whatever the state holds in its place."""

import base64

import numpy as np
import pytest
from matplotlib.figure import Figure

from swarmbed.draw.film import Film
from swarmbed.draw.html import episode
from swarmbed.draw.page import trace_figure
from swarmbed.draw.recording import describe
from swarmbed.draw.scene import Look, Scene, trail
from swarmbed.draw.shapes import stage_of
from swarmbed.draw.squeeze import unsqueezed
from swarmbed.tasks import make

# Four moments of three agents: the first is there all the time, the second goes after two, the third never was.
PRESENT = np.array([[True, True, False], [True, True, False], [True, False, False], [True, False, False]])
EVERYTHING = Look(edges=True, cells=True, radius=True)


@pytest.fixture(params=[np.nan, np.inf, 55.0])
def leaving(request, recording_of):
    """A closed world in which agents walk eastwards, one unit per step; absent ones hold anything."""
    step = np.arange(4.0)
    position = np.stack([np.stack([start + step, 0 * step + 10], -1) for start in (10.0, 40.0, 70.0)], axis=1)
    position[~PRESENT] = request.param
    task = make("rendezvous", num_agents=3, comm_radius=60.0)
    recording = recording_of(task, position, metrics={"mean_distance": np.array([30.0, 30, 0, 0])}, present=PRESENT)
    heading = np.where(PRESENT, 0.0, request.param)
    states = recording.states
    return recording._replace(states=states._replace(agents=states.agents._replace(heading=heading)))


def shown_at(recording, time, look=EVERYTHING):
    scene = Scene(Figure().add_subplot(), recording.task, recording.states, look)
    scene.show(time)
    return scene


def counts(scene):
    """How many marks, cells, circles and edges there are."""
    edges = sum(len(path.vertices) // 3 for path in scene.edges.get_paths())  # two ends and a gap each
    return [len(part.get_paths()) for part in (scene.agents, scene.cells, scene.circles)] + [edges]


def test_only_those_who_are_there_have_marks_cells_circles_and_edges(leaving):
    assert counts(shown_at(leaving, 1)) == [2, 2, 2, 1]
    assert counts(shown_at(leaving, 2)) == [1, 1, 1, 0]


def test_an_agent_that_left_has_no_trail(leaving):
    stage = stage_of(leaving.task, leaving.states)
    then, _ = trail(leaving.task, stage, leaving.states, 0, 1, fade=True)
    now, _ = trail(leaving.task, stage, leaving.states, 0, 3, fade=True)
    assert then[:, 0, 0].tolist() == [10, 40]
    assert now[:, 0, 0].tolist() == [10, 11, 12]


def test_an_agent_that_returns_has_a_new_trail(recording_of):
    position = np.stack([10 + np.arange(6.0), np.full(6, 10.0)], -1)[:, None]
    there = np.array([True, True, False, True, True, True])[:, None]
    recording = recording_of(make("rendezvous", num_agents=1), position, present=there)
    pieces, _ = trail(recording.task, stage_of(recording.task, recording.states), recording.states, 0, 5, fade=True)
    assert pieces[:, 0, 0].tolist() == [13, 14]


def test_the_whole_way_goes_as_far_as_somebody_was_there(leaving):
    whole = trace_figure(leaving).axes[-1]
    ways = [piece for lines in whole.collections if hasattr(lines, "get_segments") for piece in lines.get_segments()]
    assert sorted(float(piece[0, 0]) for piece in ways) == [10, 11, 12, 40]
    (starts,) = whole.lines
    assert starts.get_xdata().tolist() == [10, 40]


def test_an_agent_that_joins_later_starts_where_it_appears(recording_of):
    position = np.stack([np.full((3, 2), 20.0), np.array([[np.nan, np.nan], [60.0, 60.0], [61.0, 60.0]])], axis=1)
    present = np.array([[True, False], [True, True], [True, True]])
    recording = recording_of(make("rendezvous", num_agents=2), position, present=present)
    (starts,) = trace_figure(recording).axes[-1].lines
    assert starts.get_xydata().tolist() == [[20, 20], [60, 60]]


def test_an_evader_is_not_caught_by_somebody_who_is_not_there(recording_of):
    position = np.array([[[50.0, 50.0], [10.0, 10.0]]])
    task, evaders = make("pursuit", num_agents=2), [[[50.0, 50.5]]]
    for there, rings in ((True, 1), (False, 0)):
        recording = recording_of(task, position, evaders, present=np.array([[there, True]]))
        assert len(shown_at(recording, 0, Look()).caught.get_paths()) == rings


def test_a_world_in_which_nobody_is_can_be_drawn(recording_of):
    recording = recording_of(
        make("pursuit", num_agents=1), [[[5.0, 5.0]]], [[[50.0, 50.0]]], present=np.array([[False]])
    )
    assert counts(shown_at(recording, 0, Look(edges=True, cells=True))) == [0, 1, 0, 0]


def test_a_film_shows_who_is_there_and_says_how_many_there_were(leaving):
    film = Film(Figure(dpi=50), leaving, Look())
    film.show(3)
    assert len(film.scene.agents.get_paths()) == 1
    assert describe(leaving) == "somebody · rendezvous · 2 agents"


def test_a_page_holds_who_is_there_and_leaves_out_who_never_was(leaving):
    page = episode(leaving, Look())
    assert page["ids"] == [0, 1]
    # Two agents in four moments, lowest bit first: 1 1, 1 1, 1 0, 1 0.
    assert base64.b64decode(page["present"]) == bytes([0b01011111])
    assert unsqueezed(page["agents"], (3, 2, 4)).shape == (3, 2, 4)  # x, y and heading of two over four moments


def test_a_page_of_a_swarm_that_stays_says_nothing_of_presence(walk):
    assert episode(walk, Look())["present"] is None
