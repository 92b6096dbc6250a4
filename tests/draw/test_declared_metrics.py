"""A task that declares a metric sees it drawn everywhere; no drawing code knows its name."""

from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp
import numpy as np
import pytest
from matplotlib.figure import Figure

from swarmbed.controllers.random import Random
from swarmbed.draw.film import Film
from swarmbed.draw.html import episode
from swarmbed.draw.page import trace_figure
from swarmbed.draw.recording import record, snapshot_times, tell
from swarmbed.draw.scene import Look
from swarmbed.policy.find import NamedController
from swarmbed.sim.unicycle import Agents
from swarmbed.tasks.base import Goal, Metric, Observation, State, Task


@dataclass(frozen=True)
class Harvest(Task):
    """Agents that walk east and pick up an apple at every other step; after five the basket is full."""

    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric("full", "basket full", kind="event"),
        Metric("apples", "apples picked", unit="pcs", kind="count", better="higher"),
        Metric("depth", "depth", unit="m", better="higher", goal=Goal("deep", "deep enough", 4.0)),
    )

    def initial(self, key):
        return State(Agents(jnp.zeros((self.num_agents, 2)), jnp.zeros(self.num_agents)))

    def transition(self, state, action, key):
        return state._replace(agents=state.agents._replace(position=state.agents.position + jnp.array([1.0, 0.0])))

    def observe(self, state):
        return Observation(state.agents.position, ())

    def reward(self, state, action, next_state):
        return jnp.zeros(())

    def terminated(self, state):
        return jnp.array(False)

    def measure(self, state):
        age = state.age.astype(float)
        return {"apples": 1.0 - age % 2, "full": (age >= 5).astype(float), "depth": jnp.minimum(age, 4.0)}


@pytest.fixture(scope="module")
def harvest():
    return record(NamedController("random", Random()), Harvest(num_agents=2), steps=8)


def test_the_first_metric_that_is_no_event_is_followed_and_added_up(harvest):
    story = tell(harvest)
    # Apples at steps 2, 4, 6 and 8; the one that lies at the start was picked by nobody.
    assert story.metric.name == "apples" and story.values.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4]


def test_an_event_is_told_from_the_step_on_in_which_it_happened(harvest):
    assert tell(harvest).news == ("",) * 5 + ("basket full after 5 steps",) * 4


def test_a_film_has_its_curve_its_axis_and_its_words(harvest):
    film = Film(Figure(dpi=50), harvest, Look())
    film.show(4)
    assert film.caption.get_text() == "apples picked so far: 2 pcs"
    assert film.axis.get_text() == "apples picked so far (pcs)"
    assert film.line.get_ydata().tolist() == [0, 0, 1, 1, 2]
    film.show(6)
    assert film.caption.get_text() == "basket full after 5 steps"


def test_the_page_of_snapshots_says_what_happened(harvest):
    assert trace_figure(harvest).axes[-1].get_title() == "whole episode · basket full after 5 steps"


def test_snapshots_follow_a_level_with_a_goal_also_upwards(harvest):
    # The depth grows from 0 to 4 in four steps: a third of it is reached at 2, two thirds at 3.
    assert snapshot_times(harvest) == (0, 2, 3, 4)


def test_the_replay_page_is_given_the_declaration_and_the_news(harvest):
    page = episode(harvest, Look())
    assert page["metric"] == {
        "label": "apples picked",
        "unit": "pcs",
        "kind": "count",
        "axis": "apples picked so far (pcs)",
        "log": False,
    }
    assert page["values"] == [0, 0, 1, 1, 2, 2, 3, 3, 4]
    assert page["news"] == [[5, "basket full after 5 steps"]]


@dataclass(frozen=True)
class Alarm(Harvest):
    """Nothing but an event, which ends the episode."""

    metrics: ClassVar[tuple[Metric, ...]] = (Metric("full", "alarm", kind="event"),)

    def terminated(self, state):
        return state.age >= 1


def test_a_task_with_nothing_but_an_event_tells_that():
    recording = record(NamedController("random", Random()), Alarm(num_agents=1), steps=3)
    story = tell(recording)
    assert [story.at(0), story.at(1)] == ["alarm: not yet", "ended after 1 step"]
    assert np.array_equal(story.values, [0, 0])
    film = Film(Figure(dpi=50), recording, Look())
    assert film.axis.get_text() == "alarm"
