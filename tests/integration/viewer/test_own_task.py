"""A task of one's own in the viewer: its metric is followed, its events reported, the agents it removes are gone."""

from dataclasses import dataclass
from typing import Any, ClassVar

import jax.numpy as jnp
import pytest

from swarmbed.controllers.random import Random
from swarmbed.draw.recording import record, tell
from swarmbed.policy.find import NamedController
from swarmbed.tasks.base import Metric, State
from swarmbed.tasks.rendezvous import Rendezvous
from swarmbed.viewer import frames, messages
from swarmbed.viewer.catalog import Catalog
from swarmbed.viewer.session import Session
from swarmbed.viewer.workshop import Workshop

ROBOTS = 4


@dataclass(frozen=True)
class Wear(Rendezvous):
    """A robot breaks down with every second step, until the second failure stops the work."""

    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric("stopped", "work stopped", kind="event"),
        Metric("failures", "failures", kind="count"),
    )

    def transition(self, state: State, action: Any, key: Any) -> State:
        moved = super().transition(state, action, key)
        broken = jnp.arange(self.num_agents) == jnp.where(state.age % 2 == 1, state.age // 2, -1)
        return moved._replace(present=state.present & ~broken)

    def measure(self, state: State) -> dict[str, Any]:
        fails = (state.age > 0) & (state.age % 2 == 0)
        return {"failures": fails.astype(float), "stopped": (state.age >= 4).astype(float)}

    def terminated(self, state: State) -> Any:
        return state.age >= 4


@pytest.fixture
def session(workshop: Workshop) -> Session:
    catalog = Catalog()
    name = catalog.add_task(Wear(num_agents=ROBOTS))
    made = Session(catalog, workshop)
    made.apply(messages.Setup(name, "random", None, ROBOTS, 3))
    return made


def test_the_scene_holds_what_the_task_declares(session: Session) -> None:
    scene = frames.scene(session)
    assert scene["task"] == "wear, own settings"
    assert scene["metric"] == {
        "label": "failures",
        "unit": "",
        "kind": "count",
        "axis": "failures so far",
        "log": False,
    }


def test_frames_follow_the_metric_and_the_robots_that_are_left(session: Session) -> None:
    told: frames.Told = {}
    seen = []
    for _ in range(5):
        (moment,) = frames.frame(session, told)["arenas"]
        seen.append((told[0].tolist(), moment["value"], moment["news"], len(moment["x"])))
        session.advance(1)
    assert seen == [
        ([0, 1, 2, 3], 0, "", 4),
        ([0, 1, 2, 3], 0, "", 4),
        ([1, 2, 3], 1, "", 3),
        ([1, 2, 3], 1, "", 3),
        ([2, 3], 2, "work stopped after 4 steps", 2),
    ]


def test_a_recording_tells_the_same(session: Session) -> None:
    recording = record(NamedController("random", Random()), Wear(num_agents=ROBOTS), seed=3)
    story = tell(recording)
    for step in range(5):
        shown = session.swarms[0]
        assert (shown.story.value, shown.story.news) == (story.values[step], story.news[step])
        assert shown.present[:ROBOTS].tolist() == recording.states.present[step].tolist()
        session.advance(1)


def test_agents_that_join_are_there_and_agents_that_left_stay_away(session: Session) -> None:
    session.advance(2)
    session.apply(messages.Add(30.0, 40.0))
    for _ in range(600):
        if not session.waiting:
            break
        session.advance(0)
    (moment,) = frames.frame(session, {})["arenas"]
    assert moment["ids"].tolist() == [1, 2, 3, 4]
    assert (moment["x"][-1], moment["y"][-1], moment["value"]) == (30.0, 40.0, 1)
