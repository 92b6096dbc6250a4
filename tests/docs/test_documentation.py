"""The documentation: links lead somewhere, the reference is up to date. (tests/integration/docs runs its code.)"""

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import swarmbed

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [*(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG")), *(ROOT / "docs").glob("*.md")]
)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)#\s]+)(#[^)]*)?\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_that_exist(page: Path) -> None:
    targets = [match[0] for match in LINK.findall(page.read_text()) if "://" not in match[0]]
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_to_a_section_lead_to_its_heading(page: Path) -> None:
    for target, section in LINK.findall(page.read_text()):
        if section and "://" not in target:
            headings = re.findall(r"^#+ (.*)$", (page.parent / target).read_text(), re.MULTILINE)
            assert section[1:] in {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize(("script", "page"), [("make_settings", "settings.md"), ("make_results", "results.md")])
def test_pages_made_from_code_and_results_are_up_to_date(script: str, page: str) -> None:
    # In a process of its own, where no other test has loaded a plug-in.
    code = f"import {script}; print({script}.text(), end='')"
    made = subprocess.run([sys.executable, "-c", code], cwd=ROOT / "docs", capture_output=True, text=True, check=True)
    assert (ROOT / "docs" / page).read_text() == made.stdout


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


def test_verdicts_quote_what_was_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs")
    files, quotes = (importlib.import_module(f"results_{name}") for name in ("files", "quotes"))
    monkeypatch.setattr(files, "RESULTS", tmp_path)
    returns = {"0": -20.0, "1": -18.92}
    run = {"final_return": returns, "final_return_top5_median": -19.46, "captured_found": 3, "captured_trials": 4}
    standings = {"A": {"mean_distance": [9.0, 4.0, 1.5, 0.5]}, "B": {"mean_distance": [9.0, 6.0, 3.0, 2.0]}}
    folder = tmp_path / "some-experiment"
    folder.mkdir()
    (folder / "numbers.json").write_text(json.dumps({"some-run": run}))
    (folder / "evaluation.json").write_text(json.dumps({"panels": [{"agents": 20, "contestants": standings}]}))
    words = "{some-run} ({some-run each}), {some-run found}"
    assert quotes.with_numbers(words, folder.name) == "−19.5 (−20.0 and −18.9), 3 of 4"
    for seed, first in (("0", 0), ("1", 10)):
        metrics = tmp_path / "runs" / "some-run" / f"seed-{seed}.csv"
        metrics.parent.mkdir(parents=True, exist_ok=True)
        metrics.write_text("mean_return\n" + "".join(f"{first + i}\n" for i in range(1, 21)))
    assert quotes.with_numbers("{some-run at 12}", folder.name) == "7.5 and 17.5"
    words = "B {20 B 3}, A there at {20 A reaches B 3}, B {20 B reaches A 3}"
    assert quotes.with_numbers(words, folder.name) == "B 2, A there at 2, B never"


def test_every_page_is_linked_from_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    assert [page.name for page in (ROOT / "docs").glob("*.md") if f"docs/{page.name}" not in readme] == []
