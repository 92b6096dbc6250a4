"""The documentation site: one command builds it, and it is read, searched and played from the file system."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from browser import Browser

import swarmbed
from swarmbed.cli.main import command_names

ROOT = Path(__file__).parents[3]
SITE = ROOT / "build" / "site"
OUTSIDE = re.compile(r"""<(?:script|link|img|iframe)\b[^>]*(?:src|href)=["']?(?:https?:)?//[^"' >]+""")

pytest.importorskip("zensical")


@pytest.fixture(scope="module")
def site() -> Path:
    """Built strictly: a link or an anchor that leads nowhere fails here."""
    command = [sys.executable, "docs/site/build.py"]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout[-3000:] + built.stderr[-3000:]
    return SITE


def open_page(browser: Browser, path: Path, **window: int | bool) -> Browser:
    browser.complaints.clear()
    browser.requests.clear()
    browser.open(path.as_uri(), **window)  # type: ignore[arg-type]
    return browser


def test_every_page_can_be_read_without_a_network(site: Path) -> None:
    found = {page.name: OUTSIDE.findall(page.read_text("utf-8")) for page in site.glob("*.html")}
    assert {name: links for name, links in found.items() if links} == {}


def test_the_reference_has_a_signature_for_every_exported_name(site: Path) -> None:
    page = (site / "reference.html").read_text("utf-8")
    assert [name for name in swarmbed.__all__ if f'id="swarmbed.{name}"' not in page] == []


def test_every_command_has_its_help(site: Path) -> None:
    page = (site / "commands.html").read_text("utf-8")
    assert [name for name in command_names() if f"usage: swarmbed {name}" not in page] == []


def test_every_film_on_a_page_exists(site: Path) -> None:
    for page in site.glob("*.html"):
        for film in re.findall(r'<iframe[^>]*src="(films/[^"?]+)', page.read_text("utf-8")):
            assert (site / film).is_file(), (page.name, film)


def test_the_gallery_has_a_film_of_every_task(site: Path) -> None:
    page = (site / "gallery.html").read_text("utf-8")
    films = re.findall(r'src="films/([\w-]+)-learned\.html"', page)
    assert sorted(films) == [
        "multi-pursuit",
        "pursuit-global",
        "pursuit-local",
        "rendezvous-global",
        "rendezvous-local",
    ]


def test_search_finds_a_page_from_the_file_system(site: Path, browser: Browser) -> None:
    page = open_page(browser, site / "index.html")
    # The search dialog lives in a shadow tree.
    shadow = "[...document.querySelectorAll('*')].map((node) => node.shadowRoot).find(Boolean)"
    page.run("document.querySelector('.md-search__button').click()")
    page.wait(f"Boolean({shadow}?.querySelector('input'))")
    page.run(
        f"(() => {{ const field = {shadow}.querySelector('input'); field.value = 'truncation';"
        " field.dispatchEvent(new Event('input', { bubbles: true })); })()"
    )
    page.wait(f"{shadow}.querySelectorAll('a[href*=\"concepts.html\"]').length > 0")
    assert page.complaints == []
    assert [url for url in page.requests if not url.startswith(("file:", "data:", "blob:"))] == []


def test_the_film_of_the_landing_page_plays(site: Path, browser: Browser) -> None:
    film = open_page(browser, site / "films" / "pursuit-global-learned.html")
    film.wait("Boolean(Swarmbed.replay)")
    assert film.run("Swarmbed.replay.isPlaying") is False
    browser.call("Page.navigate", url="about:blank")
    browser.call("Page.navigate", url=(site / "films" / "pursuit-global-learned.html").as_uri() + "?film")
    browser.wait("Boolean(window.Swarmbed && Swarmbed.replay && Swarmbed.replay.at > 3)")
    assert browser.complaints == []


@pytest.mark.parametrize("name", ["index", "start", "concepts", "reference", "settings", "gallery"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_page_fits_a_phone(site: Path, browser: Browser, name: str, dark: bool) -> None:
    page = open_page(browser, site / f"{name}.html", width=390, height=844, dark=dark)
    assert page.run("document.documentElement.scrollWidth") <= 390
    assert page.complaints == []
