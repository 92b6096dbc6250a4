"""Disturbances are turned up and down while swarms move: no new episode, both swarms alike, and 0 is nothing."""

import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from swarmbed.draw.recording import record
from swarmbed.policy.find import find
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks import make
from swarmbed.viewer import disturbing, engine, frames, messages
from swarmbed.viewer.catalog import Catalog
from swarmbed.viewer.session import Session
from swarmbed.viewer.swarm import LiveSwarm
from swarmbed.viewer.workshop import Workshop

STOPPED, CONTRARY = disturbing.STANDS_STILL, disturbing.CONTRARY


@pytest.fixture
def session(catalog: Catalog, workshop: Workshop) -> Session:
    made = Session(catalog, workshop)
    made.apply(messages.Setup("rendezvous-local", "consensus", "random", 5, 2))
    return made


def disturb(session: Session, **values: Any) -> None:
    """Set disturbances and wait until their program is compiled; no step is made."""
    for what, value in values.items():
        session.apply(messages.Disturb(what, value))
    until = time.monotonic() + 240
    while session.is_waiting and time.monotonic() < until:
        time.sleep(0.02)
        session.advance(0)
    assert not session.is_waiting


def places(session: Session, which: int = 0) -> Any:
    swarm = session.swarms[which]
    return np.asarray(swarm.state.agents.position)[swarm.present]


def marks(session: Session, which: int = 0) -> list[int]:
    return frames.frame(session, {})["arenas"][which]["marks"].tolist()  # type: ignore[no-any-return]


def test_agents_that_are_stopped_stay_where_they_are_in_the_episode_that_runs(session: Session) -> None:
    session.advance(3)
    disturb(session, stop_share=1.0, stop_time=0.0)
    before = places(session)
    session.advance(4)
    assert session.swarms[0].step == 7
    np.testing.assert_array_equal(places(session), before)
    assert marks(session) == [STOPPED] * 5


def test_everybody_goes_on_undisturbed_while_the_program_is_compiled(catalog: Catalog, workshop: Workshop) -> None:
    made = Session(catalog, workshop)
    made.apply(messages.Setup("rendezvous-global", "consensus", None, 5, 2))
    before = places(made)
    made.apply(messages.Disturb("stop_share", 1.0))
    if made.is_waiting:  # not compiled by an earlier test
        made.advance(1)
        assert not np.array_equal(places(made), before)
        shown = frames.frame(made, {})
        assert shown["disturbances"]["waiting"] and "marks" not in shown["arenas"][0]
    disturb(made)
    assert "marks" in frames.frame(made, {})["arenas"][0]


def test_what_may_be_needed_is_compiled_ahead_and_disturbs_nobody(session: Session, workshop: Workshop) -> None:
    session.apply(messages.Prepare())
    swarm, until = session.swarms[0], time.monotonic() + 240
    ready = lambda: workshop.ready(disturbing.opened(swarm.task), swarm.named.controller, 5)  # noqa: E731
    while ready() is None and time.monotonic() < until:
        time.sleep(0.02)
    session.advance(1)
    assert ready() is not None and not session.is_waiting
    assert swarm.state.disturbance is None


def test_all_off_again_is_the_undisturbed_swarm(session: Session, catalog: Catalog, workshop: Workshop) -> None:
    calm = Session(catalog, workshop)
    calm.apply(messages.Setup("rendezvous-local", "consensus", "random", 5, 2))
    disturb(session, message_loss=0.5, action_noise=0.5)
    disturb(session, message_loss=0.0, action_noise=0.0)
    assert session.swarms[0].state.disturbance is None
    for swarm in (session, calm):
        swarm.advance(3)
    np.testing.assert_array_equal(places(session), places(calm))


def test_a_strength_of_next_to_nothing_changes_next_to_nothing(
    session: Session, catalog: Catalog, workshop: Workshop
) -> None:
    calm = Session(catalog, workshop)
    calm.apply(messages.Setup("rendezvous-local", "consensus", "random", 5, 2))
    disturb(session, action_bias=1e-9)
    assert session.swarms[0].engine.is_disturbed
    for swarm in (session, calm):
        swarm.advance(3)
    np.testing.assert_allclose(places(session), places(calm), atol=1e-4)


def test_both_swarms_of_a_comparison_are_disturbed_alike(session: Session) -> None:
    disturb(session, stop_share=0.4, stop_time=0.0, contrary_agents=2)
    session.advance(2)
    first, second = marks(session, 0), marks(session, 1)
    assert first == second
    # Two of five stop, and two do the opposite.
    assert sum(mark & STOPPED for mark in first) == 2
    assert sum(mark & CONTRARY for mark in first) == 2 * CONTRARY


def test_the_same_agents_stop_when_another_one_leaves(session: Session) -> None:
    disturb(session, stop_rate=0.5)
    session.advance(12)
    before = dict(zip([0, 1, 2, 3, 4], marks(session), strict=True))
    assert 0 < sum(before.values()) < 5  # or the next lines would show nothing
    session.apply(messages.Remove(1))
    assert marks(session) == [before[number] for number in (0, 2, 3, 4)]


def test_a_share_is_one_of_those_who_are_there(session: Session) -> None:
    disturb(session, stop_share=0.5, stop_time=0.0)
    session.apply(messages.Agents(8))
    assert sum(marks(session)) == 4


def test_the_inspected_agent_tells_whose_messages_were_lost(session: Session) -> None:
    disturb(session, message_loss=1.0, blind_angle=2 * np.pi)
    session.apply(messages.Select(0, 3))
    until = time.monotonic() + 240
    while not (look := frames.frame(session, {})["arenas"][0]["look"])["ready"] and time.monotonic() < until:
        time.sleep(0.02)
    place = places(session)
    near = [j for j in (0, 1, 2, 4) if np.hypot(*(place[j] - place[3])) <= 40]  # the radius of this task
    assert near and look["missed"]["lost"] == near and look["missed"]["hidden"] == near
    assert look["missed"]["blind"]["width"] == pytest.approx(2 * np.pi, abs=1e-3)
    assert look["sets"][0]["members"] == []


def test_what_a_task_asks_for_itself_is_what_an_evaluation_runs(workshop: Workshop) -> None:
    asked = {"stop_share": 0.4, "stop_time": 0.2, "message_loss": 0.3, "message_delay": 2, "action_noise": (0.1, 0.4)}
    task = make("rendezvous-local", num_agents=5, **asked)
    swarm = LiveSwarm(workshop, find("consensus"), task)
    swarm.restart(4, 5)
    recording = record(find("consensus"), task, seed=4, steps=4)
    for step in range(5):
        shown = np.asarray(swarm.state.agents.position)[swarm.present]
        np.testing.assert_allclose(shown, recording.states.agents.position[step], atol=1e-4)
        swarm.advance()
    drawn = recording.states.disturbance.strength["action_noise"][0]
    assert swarm.values["action_noise"] == pytest.approx(float(drawn)) and 0.1 < drawn < 0.4


def test_a_swarm_found_by_cells_says_that_it_has_no_disturbances(workshop: Workshop) -> None:
    catalog = Catalog()
    name = catalog.add_task(make("rendezvous-local", search="cells", num_agents=5))
    session = Session(catalog, workshop)
    session.apply(messages.Setup(name, "consensus"))
    reason = "This swarm finds its neighbours by cells, and such swarms have no disturbances."
    assert frames.frame(session, {})["disturbances"]["reason"] == reason
    with pytest.raises(SwarmbedError, match="finds its neighbours by cells"):
        session.apply(messages.Disturb("message_loss", 0.5))
    assert not session.is_waiting


def test_many_agents_in_a_wide_world_are_told_that_fewer_can_be_disturbed() -> None:
    wide = replace(make("rendezvous-local"), width=1000.0, height=1000.0)
    assert disturbing.why_not(wide, 20) is None
    assert "With fewer agents" in str(disturbing.why_not(wide, 2048))


def test_messages_are_remembered_for_as_long_as_the_slider_says(session: Session) -> None:
    with pytest.raises(SwarmbedError, match="message_delay is at most 16 steps in the viewer, not 17"):
        session.apply(messages.Disturb("message_delay", 17))


def test_disturbances_that_do_not_fit_into_memory_are_refused_and_the_swarm_goes_on(
    catalog: Catalog, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session(catalog, workshop)
    session.apply(messages.Setup("rendezvous-global", "random", None, 12, 2))
    monkeypatch.setattr(engine, "free_memory", lambda: 1000)
    with pytest.raises(SwarmbedError, match=r"16 agents need .* of memory in this task"):
        disturb(session, message_loss=0.5)
    assert "cannot be disturbed: 16 agents need" in frames.frame(session, {})["disturbances"]["reason"]
    session.advance(1)
    assert session.swarms[0].step == 1
