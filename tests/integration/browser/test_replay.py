"""A recorded episode as a page of its own: everything in one file, played without a server."""

import time
from pathlib import Path

import imageio.v3 as imageio
import jax.numpy as jnp
import numpy as np
import pytest
from browser import Browser

from swarmbed.draw.html import draw_replay
from swarmbed.draw.picture import draw
from swarmbed.draw.recording import Recording
from swarmbed.draw.render import WRITERS, Look
from swarmbed.sim.unicycle import Agents
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks import make
from swarmbed.tasks.base import State

LENGTH = 20


@pytest.fixture(scope="module")
def recording() -> Recording:
    """Two pursuers on straight lines, one of which ends at an evader that stands still."""
    time = np.arange(LENGTH + 1.0)
    first = np.stack([10 + time, 20 + 0 * time], -1)
    second = np.stack([(95 + time) % 100, 70 + 0 * time], -1)  # crosses the border after five steps
    evader = np.broadcast_to([31.0, 20.0], (LENGTH + 1, 1, 2))
    agents = Agents(jnp.asarray(np.stack([first, second], 1)), jnp.zeros((LENGTH + 1, 2)) - 0.5)
    metrics = {"captured": (time == LENGTH).astype(float), "evader_distance": 21 - time}
    task = make("pursuit", num_agents=2, sight_radius=30.0)
    return Recording(task, State(agents, jnp.asarray(evader)), LENGTH, metrics, "</script><b>straight</b>", True)


@pytest.fixture(scope="module")
def replay(recording: Recording, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Browser:
    path = draw_replay(recording, tmp_path_factory.mktemp("replay") / "episode.html", Look(cells=True, fps=60.0))
    browser.complaints.clear()
    browser.requests.clear()
    browser.open(path.as_uri(), width=1000, height=800)
    browser.wait("Boolean(Swarmbed.replay)")
    return browser


def test_html_is_one_of_the_formats() -> None:
    assert WRITERS[".html"] is draw_replay


def test_it_opens_from_the_file_system_and_asks_for_nothing_else(replay: Browser) -> None:
    assert replay.complaints == []
    assert [url for url in replay.requests if not url.startswith(("file:", "data:"))] == []
    assert len([url for url in replay.requests if url.startswith("file:")]) == 1


def test_names_are_shown_as_they_are(replay: Browser) -> None:
    assert replay.run("document.querySelector('.arena .name').textContent") == "</script><b>straight</b>"
    assert replay.run("document.getElementById('title').children.length") == 0


def test_positions_come_back_as_they_were(replay: Browser, recording: Recording) -> None:
    position = np.asarray(recording.states.agents.position)
    for step in (0, 7, LENGTH):
        replay.run(f"Swarmbed.replay.seek({step})")
        shown = replay.run("[[...Swarmbed.replay.stage.moment.x], [...Swarmbed.replay.stage.moment.y]]")
        # Half of a two-byte level of a hundred units: 0.0008.
        np.testing.assert_allclose(np.transpose(shown), position[step], atol=8e-4)
    heading = replay.run("Swarmbed.replay.stage.moment.heading[0]")
    assert heading == pytest.approx(2 * np.pi - 0.5, abs=1e-4)


def test_scrubbing_shows_that_moment_with_its_traces(replay: Browser) -> None:
    replay.run(
        "(() => { const s = document.getElementById('scrub'); s.value = 9; s.dispatchEvent(new Event('input')); })()"
    )
    assert replay.run("Swarmbed.replay.stage.moment.step") == 9
    assert replay.run("Swarmbed.replay.stage.trails.get(0).length / 3") == 10
    assert "12.0 units" in replay.run("document.querySelector('.arena .value').textContent")


def test_the_chart_has_the_name_and_the_unit_that_the_task_declares(replay: Browser) -> None:
    assert replay.run("document.getElementById('chart-title').textContent") == "Distance to the evader (units)"


def test_play_runs_to_the_end_and_says_how_it_ended(replay: Browser) -> None:
    replay.run("Swarmbed.replay.seek(0)")
    replay.press(" ", "Space")
    replay.wait("Swarmbed.replay.at > 3")
    replay.wait(f"Swarmbed.replay.at === {LENGTH} && !Swarmbed.replay.isPlaying")
    assert replay.run("document.querySelector('.badge').textContent") == f"captured after {LENGTH} steps"


def test_the_look_is_what_was_asked_for(replay: Browser) -> None:
    assert replay.run("Swarmbed.replay.layers.on.cells") is True
    assert replay.run("Swarmbed.replay.layers.on.edges") is False


def test_every_nth_step_keeps_the_last_one(recording: Recording, tmp_path: Path) -> None:
    from swarmbed.draw.html import episode

    assert episode(recording, Look(every=6))["steps"] == [0, 6, 12, 18, 20]


def test_a_picture_that_cannot_be_drawn_is_refused(recording: Recording, tmp_path: Path) -> None:
    with pytest.raises(SwarmbedError, match="radius needs a task with"):
        draw_replay(recording._replace(task=make("pursuit")), tmp_path / "episode.html", Look(radius=True))
    assert list(tmp_path.iterdir()) == []


# These open other pages, so they come last.


def test_only_those_who_are_there_are_shown(recording: Recording, browser: Browser, tmp_path: Path) -> None:
    present = np.ones((LENGTH + 1, 2), bool)
    present[5:12, 0] = False  # the first pursuer is away for a while
    states = recording.states._replace(present=present)
    path = draw_replay(recording._replace(states=states), tmp_path / "away.html")
    browser.open(path.as_uri(), width=1000, height=800)
    browser.wait("Boolean(Swarmbed.replay)")
    for step, ids in ((4, [0, 1]), (5, [1]), (11, [1]), (12, [0, 1])):
        browser.run(f"Swarmbed.replay.seek({step})")
        assert browser.run("[...Swarmbed.replay.stage.moment.ids]") == ids
        assert browser.run("[...Swarmbed.replay.stage.slots.keys()]") == ids
    x = np.asarray(recording.states.agents.position)[12, :, 0]
    assert browser.run("[...Swarmbed.replay.stage.moment.x]") == pytest.approx(x, abs=1e-3)
    # Its trace begins where it came back.
    assert browser.run("Swarmbed.replay.stage.trails.get(0).length / 3") == 1


def test_it_is_drawn_inside_a_notebook(recording: Recording, browser: Browser, tmp_path: Path) -> None:
    browser.complaints.clear()
    page = tmp_path / "notebook.html"
    page.write_text(f"<!doctype html><meta charset=utf-8><body>{draw(recording, 'html')._repr_html_()}</body>")
    browser.open(page.as_uri(), width=1000, height=800)
    until = time.monotonic() + 20
    blue = np.array([0x00, 0x72, 0xB2])  # the pursuers
    while time.monotonic() < until:
        browser.screenshot(tmp_path / "notebook.png")
        picture = imageio.imread(tmp_path / "notebook.png")[..., :3].astype(int)
        if (np.abs(picture - blue).sum(axis=-1) < 12).sum() > 100:
            break
        time.sleep(0.1)
    else:
        raise AssertionError("nobody is to be seen in the notebook")
    assert browser.complaints == []
