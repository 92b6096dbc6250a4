"""A crowd in a real browser: it is drawn pixel by pixel, one can come closer, move on, and take many away."""

from typing import Any

import pytest
from browser import READY, Browser

CROWD = 600  # more than are drawn as paths


@pytest.fixture
def crowd(page: Browser) -> Browser:
    """Six hundred agents that do not think, at the start of an episode."""
    page.run(f"Swarmbed.app.send('setup', {{task: 'rendezvous-local', who: 'random', agents: {CROWD}, seed: 3}})")
    page.wait(f"{READY} && Swarmbed.app.frame.count === {CROWD}", 180)
    page.run("document.querySelector('.begin').remove()")
    return page


def stage(page: Browser, what: str) -> Any:
    return page.run(f"Swarmbed.app.arenas[0].stage.{what}")


def box(page: Browser) -> tuple[float, float, float, float]:
    """Left, top, width and height of the picture."""
    left, top, width, height = page.run(
        "(() => { const b = Swarmbed.app.arenas[0].canvas.getBoundingClientRect();"
        " return [b.left, b.top, b.width, b.height]; })()"
    )
    return left, top, width, height


def place(page: Browser, x: float, y: float) -> list[float]:
    """What is in the world at a place of the window."""
    found: list[float] = stage(page, f"place({{clientX: {x}, clientY: {y}}})")
    return found


def test_a_crowd_is_to_be_seen_where_it_is(crowd: Browser) -> None:
    shares = crowd.run(
        "(() => { const s = Swarmbed.app.arenas[0].stage, c = s.canvas; s.layers = {}; s.draw(performance.now());"
        " const d = c.getContext('2d').getImageData(0, 0, c.width, c.height);"
        " let hits = 0; for (let i = 0; i < s.moment.ids.length; i++) {"
        "   const x = Math.floor(s.px(s.moment.x[i])), y = Math.floor(s.py(s.moment.y[i]));"
        "   if (d.data[4 * (y * c.width + x) + 3] > 100) hits++; }"
        " let blue = 0; for (let i = 0; i < d.data.length; i += 4) if (d.data[i + 3] > 150 && d.data[i] < 60) blue++;"
        " return [hits / s.moment.ids.length, blue / s.moment.ids.length / (s.mark * s.mark)]; })()"
    )
    # The middle of a mark is covered, and its area is that of two triangles: 0.62 (1 + 0.4) of the square of its size.
    assert shares[0] > 0.97
    assert shares[1] == pytest.approx(0.62 * 1.4, rel=0.35)  # marks overlap, and borders are half covered


def test_the_wheel_comes_closer_to_what_is_under_it(crowd: Browser) -> None:
    left, top, width, height = box(crowd)
    x, y = left + 0.3 * width, top + 0.6 * height
    before = place(crowd, x, y)
    crowd.mouse("mouseWheel", x, y, deltaX=0, deltaY=-400)
    crowd.wait("Swarmbed.app.arenas[0].stage.camera.zoom > 1.5")
    assert place(crowd, x, y) == pytest.approx(before, abs=0.2)  # events happen at whole pixels
    crowd.press("0")
    assert stage(crowd, "camera.zoom") == 1
    assert place(crowd, left, top + height) == pytest.approx([0.0, 0.0], abs=0.2)


def test_a_drag_on_empty_ground_moves_the_picture_and_never_out_of_the_world(crowd: Browser) -> None:
    left, top, width, height = box(crowd)
    crowd.run("Swarmbed.app.arenas[0].stage.camera.zoomBy(4)")
    crowd.run("Swarmbed.app.arenas[0].stage.pick = () => null")  # wherever it begins
    x, y = left + width / 2, top + height / 2
    before = place(crowd, x, y)
    crowd.drag((x, y), (x + 60, y - 30))
    crowd.mouse("mouseReleased", x + 60, y - 30, button="left", clickCount=1)
    assert place(crowd, x + 60, y - 30) == pytest.approx(before, abs=1e-6)
    crowd.run("Swarmbed.app.arenas[0].stage.camera.panBy(1e6, 1e6)")
    assert place(crowd, left, top) == pytest.approx([0.0, 100.0], abs=0.2)
    assert crowd.complaints == []


def test_two_fingers_zoom_and_move(crowd: Browser) -> None:
    left, top, width, height = box(crowd)
    x, y = left + width / 2, top + height / 2
    before = place(crowd, x, y)
    crowd.touch("touchStart", (x - 50, y), (x + 50, y))
    for far in (60, 80, 100):
        crowd.touch("touchMove", (x - far, y), (x + far, y))
    crowd.touch("touchEnd")
    crowd.wait("Swarmbed.app.arenas[0].stage.camera.zoom > 1.9")
    assert stage(crowd, "camera.zoom") == pytest.approx(2.0, rel=0.02)
    assert place(crowd, x, y) == pytest.approx(before, abs=0.5)


def test_one_of_many_can_be_inspected_from_nearby(crowd: Browser) -> None:
    crowd.press("]")  # the first agent
    crowd.press("z")
    crowd.press("z")
    left, top, *_ = box(crowd)
    x, y = stage(crowd, "whereSelected()")
    assert stage(crowd, "camera.zoom") == pytest.approx(1.6**2)
    crowd.press("Escape")
    crowd.click(left + x, top + y)
    crowd.wait("Boolean(document.querySelector('#inspector table'))", 120)
    assert crowd.run("Swarmbed.app.selected.agent") == crowd.run("Swarmbed.app.ids[0][0]")


def test_a_rectangle_takes_many_away(crowd: Browser) -> None:
    left, top, width, height = box(crowd)
    start, end = (left + 0.1 * width, top + 0.1 * height), (left + 0.6 * width, top + 0.9 * height)
    crowd.press("x")
    crowd.drag(start, end)
    crowd.mouse("mouseReleased", *end, button="left", clickCount=1)
    crowd.wait(f"Swarmbed.app.frame.count < {CROWD}")
    # Four tenths of the world,.
    assert 0.4 * CROWD < crowd.run("Swarmbed.app.frame.count") < 0.7 * CROWD
    inside = crowd.run(
        "(() => { const { x, y } = Swarmbed.app.frame.arenas[0]; return x.filter((value, i) =>"
        " value > 11 && value < 59 && y[i] > 11 && y[i] < 89).length; })()"
    )
    assert inside == 0
    assert stage(crowd, "slots.size") == crowd.run("Swarmbed.app.frame.count")


def test_the_slider_goes_by_factors_to_ten_thousand(crowd: Browser) -> None:
    assert crowd.run("[0, 500, 1000].map((place) => Swarmbed.app.fromSlider(place))") == [2, 140, 10000]  # √(2 · 10000)
    for count in (2, 9, 50, 600, 5000, 10000):
        assert crowd.run(f"Swarmbed.app.fromSlider(Swarmbed.app.onSlider({count}))") == count


@pytest.mark.parametrize("torus", ["true", "false"])
@pytest.mark.parametrize("radius", [7.0, 26.0, 90.0])
def test_edges_are_all_pairs_within_the_radius(page: Browser, radius: float, torus: str) -> None:
    found, expected = page.run(
        f"(() => {{ const world = {{low: [0, 0], high: [100, 60], torus: {torus}}}, xs = [], ys = [], all = [];"
        " for (let i = 0; i < 90; i++) { xs.push((i * 61.7) % 100); ys.push((i * i * 7.3) % 60); }"
        " const near = (d, p) => (world.torus ? d - p * Math.round(d / p) : d);"
        " for (let i = 0; i < 90; i++) for (let j = i + 1; j < 90; j++)"
        f"   if (Math.hypot(near(xs[j] - xs[i], 100), near(ys[j] - ys[i], 60)) <= {radius}) all.push(`${{i}} ${{j}}`);"
        f" const {{list, total}} = Swarmbed.geometry.pairs(xs, ys, world, {radius}, 1e5), found = [];"
        " for (let k = 0; k < list.length; k += 2) found.push(`${list[k]} ${list[k + 1]}`);"
        " if (total !== found.length) throw new Error(total); return [found.sort(), all.sort()]; })()"
    )
    assert found == expected and len(found) > 20


def test_of_all_pairs_an_even_selection_is_drawn(page: Browser) -> None:
    world = "{low: [0, 0], high: [1, 1], torus: false}"
    few = page.run(f"Swarmbed.geometry.pairs(new Array(4).fill(0), new Array(4).fill(0), {world}, null, 99)")
    assert few == {"list": [0, 1, 0, 2, 1, 2, 0, 3, 1, 3, 2, 3], "total": 6}
    many = page.run(f"Swarmbed.geometry.pairs(new Array(10000).fill(0), new Array(10000).fill(0), {world}, null, 500)")
    assert many["total"] == 49995000 and len(many["list"]) == 1000
    # A swarm on one spot: the number of its edges is estimated, to a few percent.
    spot = page.run(f"Swarmbed.geometry.pairs(new Array(4000).fill(0), new Array(4000).fill(0), {world}, 0.1, 500)")
    assert spot["total"] == pytest.approx(4000 * 3999 / 2, rel=0.05) and len(spot["list"]) == 1000
