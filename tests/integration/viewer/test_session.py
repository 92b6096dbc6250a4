"""What a page asks for happens, to both swarms alike, or it is told why not."""

import time

import numpy as np
import pytest

from swarmbed.embeddings.concatenation import Concatenation
from swarmbed.policy.find import NamedController
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks import make
from swarmbed.viewer import engine, frames, messages, wire
from swarmbed.viewer.catalog import Catalog
from swarmbed.viewer.session import Session
from swarmbed.viewer.workshop import Workshop
from untrained import random_policy


@pytest.fixture
def session(catalog: Catalog, workshop: Workshop) -> Session:
    made = Session(catalog, workshop)
    made.apply(messages.Setup("rendezvous-local", "consensus", "random", 5, 2))
    return made


def wait_for(session: Session) -> None:
    until = time.monotonic() + 60
    while session.waiting and time.monotonic() < until:
        time.sleep(0.02)
        session.advance(0)
    assert not session.waiting


def test_two_controllers_start_from_the_same_place(session: Session) -> None:
    first, second = (swarm.state.agents for swarm in session.swarms)
    np.testing.assert_array_equal(first.position, second.position)
    session.advance(2)
    first, second = (swarm.state.agents for swarm in session.swarms)
    assert not np.allclose(first.position, second.position)


def test_agents_come_and_go_in_both_swarms_alike(session: Session) -> None:
    session.apply(messages.Remove(1))
    session.apply(messages.Add(30.0, 40.0))
    session.apply(messages.Agents(8))
    first, second = session.swarms
    assert session.count == first.count == second.count == 8
    np.testing.assert_array_equal(first.ids, second.ids)
    np.testing.assert_array_equal(first.state.agents.position, second.state.agents.position)


def test_everybody_goes_on_while_a_larger_size_is_being_compiled(session: Session) -> None:
    session.apply(messages.Agents(9))
    if session.waiting:  # not compiled by an earlier test
        session.advance(1)
        assert (session.swarms[0].step, session.count) == (1, 5)
    wait_for(session)
    assert session.count == 9


def test_a_swarm_never_shrinks_below_two(session: Session) -> None:
    session.apply(messages.Agents(2))
    with pytest.raises(SwarmbedError, match="between 2 and 10000 agents here, and this would make 1"):
        session.apply(messages.Remove(0))
    assert session.count == 2


def test_an_agent_that_is_not_there_cannot_be_removed(session: Session) -> None:
    with pytest.raises(SwarmbedError, match="there is no agent 77"):
        session.apply(messages.Remove(77))


def test_what_cannot_be_set_up_leaves_everything_as_it_was(session: Session) -> None:
    before = session.swarms
    with pytest.raises(SwarmbedError, match="does not fit"):
        session.apply(messages.Setup("rendezvous-local", "voronoi_pursuit"))
    with pytest.raises(SwarmbedError, match="task 'flying' does not exist"):
        session.apply(messages.Setup("flying"))
    with pytest.raises(SwarmbedError, match="controller '/etc/passwd' does not exist"):
        session.apply(messages.Setup("rendezvous-local", "/etc/passwd"))
    assert session.swarms is before and session.task == "rendezvous-local"


def test_a_policy_for_one_size_says_so(workshop: Workshop) -> None:
    catalog = Catalog()
    task = make("rendezvous", num_agents=3)
    catalog.add_controller(NamedController("joined", random_policy(task, Concatenation(units=4)), task))
    session = Session(catalog, workshop)
    session.apply(messages.Setup("rendezvous-global", "joined"))
    assert session.count == 3
    with pytest.raises(SwarmbedError, match="joined runs only with the 3 agents it was trained with"):
        session.apply(messages.Agents(4))


def test_a_frame_names_agents_only_when_they_change(session: Session) -> None:
    told: frames.Told = {}
    first = wire.unpack(wire.pack(frames.frame(session, told)))
    assert first["arenas"][0]["ids"].tolist() == [0, 1, 2, 3, 4]
    np.testing.assert_array_equal(first["arenas"][0]["x"], session.swarms[0].state.agents.position[:5, 0])
    assert "ids" not in frames.frame(session, told)["arenas"][0]
    session.apply(messages.Remove(2))
    assert frames.frame(session, told)["arenas"][0]["ids"].tolist() == [0, 1, 3, 4]


def test_everybody_in_a_rectangle_is_removed_from_both_swarms(session: Session) -> None:
    x, y = np.asarray(session.swarms[1].state.agents.position)[[0, 3]].T.tolist()
    session.apply(messages.RemoveInside(1, x[1], y[0], x[0], y[1]))  # any two opposite corners, in any order
    place = np.asarray(session.swarms[0].state.agents.position)
    left = [swarm.ids[swarm.ids >= 0].tolist() for swarm in session.swarms]
    assert left[0] == left[1] and session.count == len(left[0]) <= 3
    assert not {0, 3} & set(left[0])
    inside = (place >= [min(x), min(y)]).all(1) & (place <= [max(x), max(y)]).all(1)
    assert not inside[session.swarms[0].present].any()


def test_a_rectangle_around_everybody_is_refused(session: Session) -> None:
    with pytest.raises(SwarmbedError, match="this would make 0"):
        session.apply(messages.RemoveInside(0, 0.0, 0.0, 100.0, 100.0))
    assert session.count == 5


def test_a_draft_shows_the_start_and_changes_nothing(session: Session) -> None:
    draft = session.draft(messages.Setup("rendezvous-local", "consensus", None, 5, 2))
    shown = frames.frame(draft, {})
    assert shown["draft"] and not frames.frame(session, {})["draft"]
    assert shown["arenas"][0]["value"] is None
    # The same seed as the session's own start, of which nobody has moved yet.
    np.testing.assert_array_equal(shown["arenas"][0]["x"], frames.frame(session, {})["arenas"][0]["x"])
    assert frames.scene(draft)["fitting"] == frames.scene(session)["fitting"]
    assert session.names == ["consensus", "random"]


def test_a_swarm_that_does_not_fit_into_memory_is_refused_and_the_old_one_goes_on(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "free_memory", lambda: 1000)
    session.apply(messages.Agents(130))  # 256 slots, which no other test has asked for
    with pytest.raises(SwarmbedError, match=r"256 agents need 0\.0 GB of memory in this task, and 0\.0 GB are free"):
        wait_for(session)
    assert session.count == 5 and not session.waiting
    session.advance(1)
    assert session.swarms[0].step == 1


def test_the_selected_agent_tells_its_set_with_names(session: Session) -> None:
    session.apply(messages.Select(0, 3))
    until = time.monotonic() + 60
    while not (look := frames.frame(session, {})["arenas"][0]["look"])["ready"] and time.monotonic() < until:
        time.sleep(0.02)
    columns = frames.scene(session)["arenas"][0]
    assert columns["sets"] == [["distance", "bearing cos", "bearing sin", "orientation cos", "orientation sin"]]
    (seen,) = look["sets"]
    # Nearest first, by the neighbours' own numbers, and within the radius of 40 units that counts as 1.
    place = np.asarray(session.swarms[0].state.agents.position)
    distance = {j: float(np.hypot(*(place[j] - place[3]))) for j in (0, 1, 2, 4)}
    assert seen["members"] == sorted((j for j in distance if distance[j] <= 40), key=distance.get)
    nearest = [row[0] for row in seen["elements"]]
    assert nearest == pytest.approx([distance[j] / 40 for j in seen["members"]], abs=1e-3)


def test_after_the_end_play_begins_anew(catalog: Catalog, workshop: Workshop) -> None:
    session = Session(catalog, workshop)
    session.apply(messages.Setup("pursuit-global", "random", None, 6, 1))
    x, y = (float(value) for value in session.swarms[0].state.agents.position[0])
    session.apply(messages.Play())
    session.advance(1)
    session.apply(messages.Hold(arena=0, what="evader", number=0, x=x, y=y))
    session.advance(1)
    assert session.swarms[0].ended_at >= 0 and not session.playing
    session.apply(messages.Play())
    assert (session.swarms[0].step, session.swarms[0].ended_at, session.playing) == (0, -1, True)
