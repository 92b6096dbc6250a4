"""render() in a notebook: the picture shows itself, and can be kept."""

import html
import re

import imageio.v3 as imageio
import pytest

from quick_interop import quick_compilation as quick_compilation
from swarmbed.controllers.consensus import Consensus
from swarmbed.draw.render import Look, render
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks import make

TASK = make("rendezvous", num_agents=2)


@pytest.fixture(scope="module")
def page():
    return render(Consensus(), TASK, steps=3)


def test_a_page_is_shown_inside_the_notebook_and_apart_from_it(page):
    shown = page._repr_html_()
    frame = re.fullmatch(r'<iframe sandbox="allow-scripts" [^>]*srcdoc="([^"]*)"></iframe>', shown)
    assert html.unescape(frame[1]) == page.content.decode()
    assert page._repr_png_() is None and page.path is None


def test_a_page_stays_small(page):
    assert len(page.content) < 100_000  # all but a hundred bytes are code and style


def test_snapshots_are_shown_as_an_image():
    picture = render("consensus", "rendezvous", num_agents=2, steps=3, format="png")
    assert imageio.imread(picture._repr_png_()).ndim == 3
    assert picture._repr_html_() is None


@pytest.mark.parametrize(("format", "start"), [("gif", "<img alt="), ("mp4", "<video controls")])
def test_a_film_is_shown_as_one(format, start):
    picture = render("consensus", TASK, steps=2, format=format, look={"fps": 10.0})
    shown = picture._repr_html_()
    assert shown.startswith(start) and f"/{format};base64," in shown
    assert len(imageio.imread(picture.content, extension=f".{format}")) >= 2


def test_a_picture_is_kept_in_any_format(page, tmp_path):
    assert page.save(tmp_path / "a.html").read_bytes() == page.content
    assert imageio.imread(page.save(tmp_path / "new" / "a.png")).ndim == 3
    with pytest.raises(SwarmbedError, match="out must be a file that ends in one of"):
        page.save(tmp_path / "a.txt")


def test_with_a_file_the_extension_decides(tmp_path):
    picture = render("consensus", TASK, steps=2, out=tmp_path / "a.gif")
    assert picture.format == "gif" and picture.path == tmp_path / "a.gif"
    assert picture.path.read_bytes() == picture.content


def test_printed_it_says_what_it_is(page):
    assert str(page).startswith("consensus · rendezvous · 2 agents: ended after 3 steps (html, ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"format": "bmp"}, "format 'bmp' does not exist"),
        ({"look": {"edge": True}}, "look has no setting 'edge'; did you mean 'edges'?"),
        ({"look": {"fps": 0}}, r"look: fps must be a number between 0 and 100 \(not 0\), not 0"),
        ({"look": Look(radius=True)}, "radius needs a task with a comm_radius"),
        ({"task": 3}, "task must be a task or the name of one, not 3"),
        ({"steps": 0}, "steps must be a whole number of at least 1, not 0"),
    ],
)
def test_what_cannot_be_drawn_is_one_sentence(arguments, words):
    with pytest.raises(SwarmbedError, match=words):
        render(Consensus(), **{"task": TASK, **arguments})
