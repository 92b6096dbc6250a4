"""Every control of the page in a real browser: what is chosen, typed or pressed comes to pass."""

import json
from typing import Any

import pytest
from browser import READY, Browser


def choose(page: Browser, list_id: str, name: str) -> None:
    """Pick an entry of a list, as a reader does, and wait for the scene that it leads to."""
    page.run(
        f"(() => {{ Swarmbed.app.frame = null; const s = document.getElementById('{list_id}');"
        f" s.value = {json.dumps(name)}; s.dispatchEvent(new Event('change')); }})()"
    )
    page.wait(f"{READY} && document.getElementById('{list_id}').value === {json.dumps(name)}", 180)


def enter(page: Browser, field: str, value: float, event: str = "change") -> None:
    page.run(
        f"(() => {{ const f = document.getElementById('{field}'); f.value = {value};"
        f" f.dispatchEvent(new Event('{event}')); }})()"
    )


def frame(page: Browser, what: str) -> Any:
    return page.run(f"Swarmbed.app.frame.{what}")


def pixels(page: Browser) -> int:
    """How much of the picture is painted: the sum of all opacities."""
    page.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")
    return int(
        page.run(
            "(() => { const c = Swarmbed.app.arenas[0].canvas;"
            " const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
            " let sum = 0; for (let i = 3; i < d.length; i += 4) sum += d[i]; return sum; })()"
        )
    )


def test_task_and_policy_are_chosen_from_lists(page: Browser) -> None:
    choose(page, "task", "rendezvous-global")
    choose(page, "who", "untrained")
    assert page.run("[Swarmbed.app.scene.task, Swarmbed.app.scene.who]") == ["rendezvous-global", "untrained"]
    assert page.run("document.getElementById('chart-title').textContent") == "Mean distance (units)"
    choose(page, "versus", "consensus")
    assert page.run("Swarmbed.app.arenas.length") == 2
    tops = page.run("Swarmbed.app.arenas.map((a) => a.canvas.getBoundingClientRect().top)")
    assert tops[0] == tops[1]
    assert page.complaints == []


def test_the_inspector_shows_how_the_embedding_reacts(page: Browser) -> None:
    choose(page, "task", "rendezvous-global")
    choose(page, "who", "untrained")
    page.press("]")
    page.wait("Boolean(document.querySelector('#inspector canvas.strip'))", 120)
    before = page.run("Swarmbed.app.inspector.history[0].length")
    page.press("ArrowRight", "ArrowRight")
    page.wait(f"Swarmbed.app.inspector.history[0].length === {before + 1}")
    assert page.run("Swarmbed.app.inspector.history[0].at(-1).length") > 1


def test_the_step_button_makes_one_step_and_the_chart_follows(page: Browser) -> None:
    for _ in range(2):
        step = frame(page, "arenas[0].step")
        page.run("document.getElementById('step').click()")
        page.wait(f"Swarmbed.app.frame.arenas[0].step === {step + 1}")
    assert page.run("Swarmbed.app.chart.series[0].steps") == [0, 1, 2]
    assert page.run("Swarmbed.app.chart.series[0].values[2]") == frame(page, "arenas[0].value")


def test_the_speed_slider_changes_the_speed(page: Browser) -> None:
    enter(page, "speed", 9, "input")
    page.wait("Swarmbed.app.frame.speed === 480")
    assert page.run("document.getElementById('speed-text').textContent") == "48×"
    enter(page, "speed", 5, "input")
    page.wait("Swarmbed.app.frame.speed === 40")


def test_a_seed_gives_the_same_start_each_time(page: Browser) -> None:
    first = frame(page, "arenas[0].x")
    enter(page, "seed", 7)
    page.wait("Swarmbed.app.frame.seed === 7")
    assert frame(page, "arenas[0].x") != first
    enter(page, "seed", 1)
    page.wait("Swarmbed.app.frame.seed === 1")
    assert frame(page, "arenas[0].x") == first


def test_every_layer_adds_to_the_picture(page: Browser) -> None:
    choose(page, "task", "pursuit-local")
    page.run("document.querySelector('.begin').remove()")
    for layer in ("edges", "cells", "radius"):
        before = pixels(page)
        page.run(f"document.getElementById('layer-{layer}').click()")
        assert pixels(page) > before, layer
        page.run(f"document.getElementById('layer-{layer}').click()")


def test_traces_follow_the_agents(page: Browser) -> None:
    page.run("Swarmbed.app.send('step', {steps: 12})")
    page.wait("Swarmbed.app.frame.arenas[0].step === 12")
    page.run("Swarmbed.app.layers.set('traces', false)")
    before = pixels(page)
    page.run("Swarmbed.app.layers.set('traces', true)")
    assert pixels(page) > before


def test_frames_that_nobody_gets_to_see_are_acknowledged_too(page: Browser) -> None:
    # Otherwise the server would believe that they are still under way, and stop sending more.
    sent = page.run(
        "(() => { const app = Swarmbed.app, sent = []; app.send = (type) => sent.push(type);"
        " app.queue = [app.frame, app.frame]; app.setScene(app.scene); return sent; })()"
    )
    assert sent.count("drawn") == 2


def test_the_focus_is_visible_without_a_mouse(page: Browser) -> None:
    page.run("document.getElementById('restart').focus()")
    page.call("Input.dispatchKeyEvent", type="keyDown", key="Tab", code="Tab", windowsVirtualKeyCode=9)
    assert page.run("document.activeElement.id") == "play"
    assert page.run("getComputedStyle(document.activeElement).outlineWidth") == "3px"


def test_a_click_puts_no_frame_around_the_picture(page: Browser) -> None:
    left, top = page.run(
        "(() => { const b = Swarmbed.app.arenas[0].canvas.getBoundingClientRect(); return [b.left + 9, b.top + 9]; })()"
    )
    page.click(left, top)
    assert page.run("document.activeElement === Swarmbed.app.arenas[0].canvas")
    assert page.run("Swarmbed.app.arenas[0].canvas.matches(':focus-visible')") is False


def test_shift_and_an_arrow_push_the_evader(page: Browser) -> None:
    before = frame(page, "arenas[0].evader_x[0]")
    page.run("Swarmbed.app.arenas[0].canvas.focus()")
    page.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight", code="ArrowRight", modifiers=8)
    page.wait(f"Swarmbed.app.frame.arenas[0].evader_x[0] !== {before}")
    assert (frame(page, "arenas[0].evader_x[0]") - before) % 100 == pytest.approx(2.0, abs=1e-3)
    assert frame(page, "arenas[0].step") == 0


def test_the_list_of_keys_opens_on_a_question_mark(page: Browser) -> None:
    page.press("?")
    assert page.run("document.getElementById('keys').open") is True
    page.run("document.getElementById('keys-close').click()")
    assert page.run("document.getElementById('keys').open") is False


def test_a_page_from_elsewhere_gets_no_connection(browser: Browser, address: str) -> None:
    browser.open("data:text/html,<title>elsewhere</title>")
    answer = browser.run(
        f"new Promise((done) => {{ const s = new WebSocket('ws://{address}/live');"
        " s.onopen = () => done('open'); s.onerror = () => done('refused'); })"
    )
    assert answer == "refused"
