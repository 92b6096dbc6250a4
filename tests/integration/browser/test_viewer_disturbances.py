"""The panel of disturbances in a real browser: a slider acts on the swarm that runs, and the picture shows it."""

from typing import Any

import pytest
from browser import Browser


@pytest.fixture
def panel(page: Browser) -> Browser:
    """The page with its panel open and the program for disturbances compiled."""
    page.press("f")
    assert page.run("document.getElementById('disturbances').open") is True
    return page


def slide(page: Browser, name: str, share: float) -> None:
    """Move a slider to a share of its way, as a reader does."""
    page.run(
        f"(() => {{ const s = document.getElementById('disturb-{name}'); s.value = s.max * {share};"
        " s.dispatchEvent(new Event('input')); })()"
    )


def painted(page: Browser, colour: str) -> int:
    """How many pixels of the picture have one of the theme's colours."""
    page.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")
    return int(
        page.run(
            "(() => { const c = Swarmbed.app.arenas[0].canvas, one = document.createElement('canvas').getContext('2d');"
            f" one.fillStyle = Swarmbed.theme.colours().{colour}; one.fillRect(0, 0, 1, 1);"
            " const [r, g, b] = one.getImageData(0, 0, 1, 1).data;"
            " const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let n = 0;"
            " for (let i = 0; i < d.length; i += 4) n += d[i + 3] > 200 && Math.abs(d[i] - r) < 12"
            "   && Math.abs(d[i + 1] - g) < 12 && Math.abs(d[i + 2] - b) < 12; return n; })()"
        )
    )


def marks(page: Browser) -> Any:
    return page.run("[...(Swarmbed.app.frame.arenas[0].marks || [])]")


def test_a_slider_stops_the_agents_of_the_episode_that_runs_and_they_look_stopped(panel: Browser) -> None:
    panel.run("Swarmbed.app.layers.set('traces', false)")
    panel.run("Swarmbed.app.send('step', {steps: 3})")
    panel.wait("Swarmbed.app.frame.arenas[0].step === 3")
    assert painted(panel, "still") == 0
    slide(panel, "stop_time", 0)
    slide(panel, "stop_share", 1)
    panel.wait("Boolean(Swarmbed.app.frame.arenas[0].marks)", 300)
    assert marks(panel) == [1] * 6
    assert panel.run("Swarmbed.app.frame.arenas[0].step") == 3
    before = panel.run("[...Swarmbed.app.frame.arenas[0].x]")
    panel.run("Swarmbed.app.send('step', {steps: 4})")
    panel.wait("Swarmbed.app.frame.arenas[0].step === 7")
    assert panel.run("[...Swarmbed.app.frame.arenas[0].x]") == before
    assert painted(panel, "still") > 60  # the lines around six hollow marks
    assert panel.run("document.getElementById('disturbances-facts').textContent") == "6 of 6 stand still"
    assert panel.run("document.getElementById('disturbances-summary').textContent") == "1 on"
    panel.run("document.getElementById('calm').click()")
    panel.wait("!Swarmbed.app.frame.arenas[0].marks")
    panel.run("Swarmbed.app.send('step', {steps: 4})")
    panel.wait("Swarmbed.app.frame.arenas[0].step === 11")
    assert panel.run("[...Swarmbed.app.frame.arenas[0].x]") != before
    assert panel.complaints == []


def test_lost_messages_of_the_inspected_agent_are_drawn_and_counted(panel: Browser) -> None:
    panel.press("]")
    slide(panel, "message_loss", 1)
    panel.wait(
        "Boolean(Swarmbed.app.arenas[0].stage.missed && Swarmbed.app.arenas[0].stage.missed.lost.length === 5)", 300
    )
    assert painted(panel, "lost") > 60
    panel.press("ArrowRight", "ArrowRight")
    panel.wait("document.querySelector('#inspector .trouble').textContent === '5 messages lost in this step'")


def test_disturbances_stay_for_the_next_start_and_contrary_agents_are_marked(panel: Browser) -> None:
    slide(panel, "contrary_agents", 1)
    panel.wait("(Swarmbed.app.frame.arenas[0].marks || []).length === 6", 300)
    panel.press("n")
    panel.wait("Swarmbed.app.frame.seed === 2")
    assert sorted(marks(panel)) == [0, 0, 0, 2, 2, 2]  # half of the six
    assert painted(panel, "contrary") > 60


def test_a_reason_switches_the_panel_off(panel: Browser) -> None:
    # All in one go: the next frame would say again that this swarm can be disturbed.
    told, is_disabled, summary = panel.run(
        "(() => { const app = Swarmbed.app, { values } = app.frame.disturbances;"
        " const $ = (id) => document.getElementById(id);"
        " app.disturbances.show({ values, reason: 'It is found by cells.', waiting: false }, 6, app.frame.arenas);"
        " return [$('disturbances-reason').textContent, $('disturb-message_loss').matches(':disabled'),"
        "   $('disturbances-summary').textContent]; })()"
    )
    assert (told, is_disabled, summary) == ("It is found by cells.", True, "not for this swarm")


def test_a_value_that_is_refused_goes_back(panel: Browser) -> None:
    panel.run("Swarmbed.app.disturbances.change(Swarmbed.app.disturbances.controls.get('message_delay'), 40)")
    panel.wait("!document.getElementById('toast').hidden")
    assert "at most 16 steps" in panel.run("document.getElementById('toast').textContent")
    assert panel.run("Swarmbed.app.disturbances.controls.get('message_delay').value") == 0
