"""The documentation: links lead somewhere, every page can be found. (tests/integration/docs runs its code.)"""

import re
from pathlib import Path

import pytest

import swarmbed

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [*(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG")), *(ROOT / "docs").glob("*.md")]
)
MADE_WITH_THE_SITE = {"commands.md", "reference.md", "examples.md", "gallery.md"}  # docs/site/build.py
LINK = re.compile(r"!?\[[^\]]*\]\(([^)#\s]+)(#[^)]*)?\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_that_exist(page: Path) -> None:
    targets = [match[0] for match in LINK.findall(page.read_text()) if "://" not in match[0]]
    missing = [target for target in targets if not (page.parent / target).exists()]
    missing = [target for target in missing if target not in MADE_WITH_THE_SITE]
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_to_a_section_lead_to_its_heading(page: Path) -> None:
    for target, section in LINK.findall(page.read_text()):
        if section and "://" not in target:
            headings = re.findall(r"^#+ (.*)$", (page.parent / target).read_text(), re.MULTILINE)
            assert section[1:] in {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_the_reference_offers_the_observations_that_a_task_takes_and_no_others() -> None:
    page = (ROOT / "docs" / "settings.md").read_text()
    row = r"^## task `(\w+)`$.*?^\| `--observe` \| `observation` \| \w+ \| one of ([\w, ]+) \|"
    offered = {name: words.split(", ") for name, words in re.findall(row, page, re.MULTILINE | re.DOTALL)}
    assert set(offered) == {"multi_pursuit", "pursuit", "rendezvous"}
    for name, choices in offered.items():
        for choice in choices:
            assert swarmbed.make(name, observation=choice).observation == choice
        for choice in {"basic", "extended", "comm"} - set(choices):
            with pytest.raises(swarmbed.SwarmbedError, match=f"observation must be one of {', '.join(choices)}"):
                swarmbed.make(name, observation=choice)
    assert "comm" not in offered["multi_pursuit"]


def test_every_page_can_be_reached_from_the_readme_or_the_navigation_of_the_site() -> None:
    where = (ROOT / "README.md").read_text() + (ROOT / "zensical.toml").read_text()
    assert [page.name for page in (ROOT / "docs").glob("*.md") if page.name not in where] == []
