"""What somebody sees and can do before anything is compiled, and whether the header holds."""

import threading
from collections.abc import Iterator
from itertools import combinations

import pytest
from browser import READY, Browser

from swarmbed.viewer.session import Session

LONGEST = "rendezvous-global-concatenation-extended"


Loading = tuple[Browser, threading.Event]


@pytest.fixture
def loading(browser: Browser, address: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Loading]:
    """A page for which nothing is compiled until the event is set."""
    ready, adopt = threading.Event(), Session.adopt

    def wait_and_adopt(session: Session, draft: Session) -> None:
        ready.wait(60)
        adopt(session, draft)

    monkeypatch.setattr(Session, "adopt", wait_and_adopt)
    browser.complaints.clear()
    browser.open(f"http://{address}/", width=1400, height=850)
    browser.wait("Boolean(Swarmbed.app.frame && Swarmbed.app.frame.draft)", 60)
    yield browser, ready
    ready.set()


def test_while_it_compiles_everybody_is_at_the_start_and_the_page_says_what_it_waits_for(loading: Loading) -> None:
    page, ready = loading
    assert page.run("Swarmbed.app.arenas[0].stage.moment.ids.length") == 6
    page.wait(
        "/^compiling the simulation of 6 agents … [2-9] s$/.test(document.getElementById('veil-text').textContent)"
    )
    assert page.run("document.getElementById('veil').hidden") is False
    assert page.run("document.getElementById('task').value") == "pursuit-global"
    assert page.run("document.getElementById('who').value") == "random"
    assert page.run("document.getElementById('chart-title').textContent") == "Distance to the evader (units)"
    start = page.run("[...Swarmbed.app.frame.arenas[0].x]")
    ready.set()
    page.wait(READY, 60)
    assert page.run("document.getElementById('veil').hidden") is True
    assert page.run("[...Swarmbed.app.frame.arenas[0].x]") == start


def test_the_chart_invents_no_axes(loading: Loading) -> None:
    page, _ = loading
    texts = page.run(
        "(() => { const chart = Swarmbed.app.chart, told = [], fill = chart.context.fillText;"
        " chart.context.fillText = (text) => told.push(text); chart.isDirty = true; chart.draw();"
        " chart.context.fillText = fill; return told; })()"
    )
    assert texts == ["nothing measured yet"]


def test_theme_help_layers_and_tools_already_work(loading: Loading) -> None:
    page, _ = loading
    theme = page.run("document.documentElement.dataset.theme")
    for key in ("d", "e", "x"):
        page.press(key)
    assert page.run("document.documentElement.dataset.theme") != theme
    assert page.run("Swarmbed.app.layers.on.edges") is True
    assert page.run("Swarmbed.app.tool") == "remove"
    page.press("?")
    assert page.run("document.getElementById('keys').open") is True
    page.run("document.getElementById('keys').close()")
    page.press("d")


def test_keys_pressed_while_it_loads_leave_no_message_and_play_is_remembered(loading: Loading) -> None:
    page, ready = loading
    for key in ("r", "n", "+", "-", "]", "l", "z", "0", " "):
        page.press(key)
    assert page.run("document.getElementById('toast').hidden") is True
    ready.set()
    page.wait(f"{READY} && Swarmbed.app.frame.playing && Swarmbed.app.frame.arenas[0].step > 2", 60)
    assert page.run("document.getElementById('toast').hidden") is True
    assert page.complaints == []


def test_every_task_of_the_list_can_be_chosen_while_it_loads(loading: Loading) -> None:
    page, ready = loading
    page.run(
        "(() => { const s = document.getElementById('task'); s.value = 'multi-pursuit';"
        " s.dispatchEvent(new Event('change')); })()"
    )
    ready.set()
    page.wait(f"{READY} && Swarmbed.app.scene.task === 'multi-pursuit'", 180)
    assert page.run("document.getElementById('toast').hidden") is True


@pytest.mark.parametrize("width", [1100, 1400, 1920])
def test_the_header_holds_with_the_longest_names(page: Browser, address: str, width: int) -> None:
    page.open(f"http://{address}/", width=width, height=850)
    page.wait(READY, 180)
    page.run(
        f"Swarmbed.app.send('setup', {{task: 'rendezvous-global', who: '{LONGEST}',"
        f" versus: 'rendezvous-global-nn-extended-64-64', agents: 20, seed: 0}})"
    )
    page.wait(f"{READY} && Swarmbed.app.arenas.length === 2", 180)
    # In one go: the page itself writes there every second.
    boxes = page.run(
        "document.getElementById('rate').textContent = '60 frames/s\\n480 steps/s';"
        " [...document.querySelectorAll('.bar .brand, .bar .pick, .bar > output, .bar > button')].map((e) => {"
        " const b = e.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]; })"
    )
    assert len(boxes) == 7
    for left, top, right, bottom in boxes:
        assert 0 <= left < right <= width and 0 <= top < bottom < 70
    for first, second in combinations(boxes, 2):
        assert first[2] <= second[0] or second[2] <= first[0], (first, second)
    # A list has its whole width to itself, its label stands above it, and the whole name is said when pointed at.
    picks = page.run(
        "[...document.querySelectorAll('.pick')].map((p) => { const s = p.querySelector('select'),"
        " b = s.getBoundingClientRect(), l = p.getBoundingClientRect();"
        " return [b.width / l.width, b.top - l.top, s.title, b.width]; })"
    )
    assert all(share == pytest.approx(1.0) and above > 8 for share, above, _, _ in picks)
    assert [title for _, _, title, _ in picks] == ["rendezvous-global", LONGEST, "rendezvous-global-nn-extended-64-64"]
    assert min(wide for *_, wide in picks) > 140
    tops = page.run("Swarmbed.app.arenas.map((a) => a.canvas.getBoundingClientRect().top)")
    assert tops[0] == tops[1]


def test_on_a_phone_the_first_screen_shows_the_swarm_and_the_play_button(page: Browser, address: str) -> None:
    page.open(f"http://{address}/", width=390, height=844)
    page.wait(READY, 180)
    bottom, play = page.run(
        "[Swarmbed.app.arenas[0].canvas.getBoundingClientRect().bottom,"
        " document.getElementById('play').getBoundingClientRect().bottom]"
    )
    assert bottom < 844 and play < 844
