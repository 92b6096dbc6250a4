"""What the documentation site is made of: its navigation, the links it moves, the names its reference shows."""

import doctest
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import swarmbed

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "site"))

import docstrings  # noqa: E402
import reference  # noqa: E402
import stage  # noqa: E402

CONFIG = tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]
NOTEBOOKS = {f"notebook_{path.stem}.md" for path in (ROOT / "examples" / "notebooks").glob("*.py")}
MADE = {"commands.md", "reference.md", "examples.md", "gallery.md", *NOTEBOOKS, *stage.PAGES_OF_THE_ROOT.values()}


def pages_of(entry: Any) -> list[str]:
    """All pages of a part of the navigation."""
    if isinstance(entry, str):
        return [entry]
    parts = entry.values() if isinstance(entry, dict) else entry
    return [page for part in parts for page in pages_of(part)]


def test_the_navigation_lists_pages_that_exist_each_of_them_once() -> None:
    listed = pages_of(CONFIG["nav"])
    assert len(listed) == len(set(listed))
    assert set(listed) - MADE <= {path.name for path in (ROOT / "docs").glob("*.md")}
    assert set(listed) >= MADE


def test_the_reference_shows_every_exported_name_once() -> None:
    page = reference.text((ROOT / "docs" / "interface.md").read_text("utf-8"))
    shown = re.findall(r"^::: swarmbed\.(\w+)$", page, re.MULTILINE)
    assert sorted(shown) == swarmbed.__all__


@pytest.mark.parametrize("name", swarmbed.__all__)
def test_every_exported_name_says_what_it_is(name: str) -> None:
    assert (getattr(swarmbed, name).__doc__ or "").strip()


@pytest.mark.parametrize("module", [stage, docstrings], ids=["stage", "docstrings"])
def test_examples_in_the_scripts_hold(module: Any) -> None:
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_links_to_other_sites_and_within_a_page_stay_as_they_are() -> None:
    page = "[a](https://example.org/docs/x.md) [b](#part) [c](x.md#y)"
    assert stage.relinked(page) == page


def test_nothing_on_the_site_is_large() -> None:
    pictures = [path for path in (ROOT / "docs").rglob("*") if path.suffix in (".png", ".gif", ".svg", ".jpg")]
    assert sum(path.stat().st_size for path in pictures) < 10e6
