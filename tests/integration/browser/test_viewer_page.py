"""The page in a real browser: it draws what the server says, and says what the reader does."""

import time
from typing import Any

import pytest
from browser import READY, Browser


def arena(page: Browser, what: str = "step", index: int = 0) -> Any:
    return page.run(f"Swarmbed.app.frame.arenas[{index}].{what}")


def on_screen(page: Browser, x: float, y: float) -> tuple[float, float]:
    """Where a place in the world is in the window."""
    left, top = page.run(
        "(() => { const s = Swarmbed.app.arenas[0].stage, b = s.canvas.getBoundingClientRect();"
        f" return [b.left + s.px({x}), b.top + s.py({y})]; }})()"
    )
    return left, top


def test_it_loads_without_complaints_and_from_this_server_only(page: Browser, address: str) -> None:
    assert page.complaints == []
    assert page.requests and all(url.startswith((f"http://{address}/", "data:")) for url in page.requests)


def test_play_changes_positions_and_pause_keeps_them(page: Browser) -> None:
    before = arena(page, "x")
    page.run("document.getElementById('play').click()")
    page.wait("Swarmbed.app.frame.arenas[0].step > 3")
    assert arena(page, "x") != before
    assert page.run("document.getElementById('play').getAttribute('aria-label')") == "Pause"
    page.press(" ", "Space")
    page.wait("!Swarmbed.app.frame.playing")
    step = arena(page)
    time.sleep(0.2)
    assert arena(page) == step


def test_the_picture_is_not_empty(page: Browser) -> None:
    colours = page.run(
        "(() => { const c = Swarmbed.app.arenas[0].canvas;"
        " const all = c.getContext('2d').getImageData(0, 0, c.width, c.height);"
        " let agents = 0, evaders = 0; for (let i = 0; i < all.data.length; i += 4) {"
        "   const [red, , blue, opacity] = all.data.slice(i, i + 4);"
        "   if (red < 40 && blue > 140 && opacity > 200) agents++;"
        "   if (red > 190 && blue < 60 && opacity > 200) evaders++; }"
        " return [agents, evaders]; })()"
    )
    assert colours[0] > 300 and colours[1] > 30  # pixels of six blue pursuers, and of a red evader


def test_the_slider_changes_the_number_of_agents(page: Browser) -> None:
    page.run(
        "(() => { const s = document.getElementById('agents'); s.value = Swarmbed.app.onSlider(8);"
        " s.dispatchEvent(new Event('input')); })()"
    )
    page.wait("Swarmbed.app.frame.count === 8 && Swarmbed.app.ids[0].length === 8")
    assert page.run("document.getElementById('count').value") == "8"


def test_dragging_moves_the_evader(page: Browser) -> None:
    place = arena(page, "evader_x[0]"), arena(page, "evader_y[0]")
    target = on_screen(page, 50.0, 50.0)
    page.drag(on_screen(page, *place), target)
    page.wait(
        "Math.hypot(Swarmbed.app.frame.arenas[0].evader_x[0] - 50, Swarmbed.app.frame.arenas[0].evader_y[0] - 50) < 1"
    )
    page.mouse("mouseReleased", *target, button="left", clickCount=1)
    page.press("ArrowRight", "ArrowRight")  # one step: let go, it flees
    page.wait("Swarmbed.app.frame.arenas[0].step === 1")
    away = page.run(
        "Math.hypot(Swarmbed.app.frame.arenas[0].evader_x[0] - 50, Swarmbed.app.frame.arenas[0].evader_y[0] - 50)"
    )
    assert away == pytest.approx(2.0, abs=1.0)  # two units per step; the mouse is as exact as a pixel


def test_a_click_inspects_adds_and_removes(page: Browser) -> None:
    agent = on_screen(page, arena(page, "x[2]"), arena(page, "y[2]"))
    page.click(*agent)
    page.wait("Boolean(document.querySelector('#inspector table'))", 120)
    assert page.run("document.getElementById('inspector-title').textContent") == "Agent 2"
    assert page.run("[...document.querySelectorAll('#inspector abbr')].map(a => a.title).join()") == (
        "distance,bearing cos,bearing sin,orientation cos,orientation sin"
    )
    page.wait("document.querySelectorAll('#inspector tbody tr').length === 5")
    page.press("x")
    page.click(*agent)
    page.wait("Swarmbed.app.frame.count === 5 && !Swarmbed.app.ids[0].includes(2)")
    page.press("a")
    page.click(*agent)
    page.wait("Swarmbed.app.frame.count === 6 && Swarmbed.app.ids[0].includes(6)")


def test_keys_switch_layers_and_colours(page: Browser) -> None:
    for key, layer in (("e", "edges"), ("v", "cells"), ("t", "traces")):
        before = page.run(f"Swarmbed.app.layers.on.{layer}")
        page.press(key)
        assert page.run(f"document.getElementById('layer-{layer}').checked") is not before
    before = page.run("document.documentElement.dataset.theme")
    page.press("d")
    assert page.run("document.documentElement.dataset.theme") != before
    page.press("d")


def test_a_comparison_starts_from_the_same_place(page: Browser) -> None:
    page.run(
        "Swarmbed.app.send('setup', {task: 'rendezvous-local', who: 'consensus', versus: 'random', agents: 5, seed: 2})"
    )
    page.wait(f"Swarmbed.app.arenas.length === 2 && {READY}", 180)
    assert arena(page, "x", 0) == arena(page, "x", 1)
    page.run("Swarmbed.app.send('step', {steps: 3})")
    page.wait("Swarmbed.app.frame.arenas[1].step === 3")
    assert arena(page, "x", 0) != arena(page, "x", 1)
    assert page.complaints == []


def test_a_phone_has_nothing_to_scroll_sideways(page: Browser, address: str) -> None:
    page.open(f"http://{address}/", width=390, height=844)
    page.wait(READY, 180)
    assert page.run("document.documentElement.scrollWidth") <= 390
    assert page.run("Swarmbed.app.arenas[0].canvas.getBoundingClientRect().width") > 330


def test_every_control_has_a_name(page: Browser) -> None:
    nameless = page.run(
        "[...document.querySelectorAll('button, input, select, canvas')].filter((e) => !(e.getAttribute('aria-label')"
        " || e.textContent.trim() || (e.labels && e.labels.length))).map((e) => e.outerHTML)"
    )
    assert nameless == []


def test_the_cells_of_the_page_tile_the_torus(page: Browser) -> None:
    # The cells of any sites have together the area of the world; shoelace formula, polygons relative to their sites.
    areas = page.run(
        "(() => { const world = {low: [0, 0], high: [100, 60], torus: true}; const xs = [], ys = [];"
        " for (let i = 0; i < 40; i++) { xs.push((i * 61.7) % 100); ys.push((i * i * 7.3) % 60); }"
        " return Swarmbed.geometry.cells(xs, ys, world).map((p) => { let a = 0; for (let k = 0; k < p.length; k += 2) {"
        " const m = (k + 2) % p.length; a += p[k] * p[m + 1] - p[m] * p[k + 1]; } return a / 2; }); })()"
    )
    assert len(areas) == 40 and min(areas) > 0
    assert sum(areas) == pytest.approx(6000.0, rel=1e-9)
