"""Pages that are made from code and results are up to date."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[3] / "docs"


MADE = [("make_settings", "settings.md"), ("make_results", "results.md"), ("make_recipes", "learning.md")]


@pytest.mark.parametrize(("script", "page"), MADE)
def test_pages_made_from_code_and_results_are_up_to_date(script: str, page: str) -> None:
    # In a process of its own, where no other test has loaded a plug-in.
    code = f"import {script}; print({script}.text(), end='')"
    made = subprocess.run([sys.executable, "-c", code], cwd=DOCS, capture_output=True, text=True, check=True)
    assert (DOCS / page).read_text() == made.stdout


def test_the_leaderboard_is_up_to_date() -> None:
    made = runpy.run_path(str(DOCS / "make_leaderboard.py"))["text"]()
    assert (DOCS / "leaderboard.md").read_text(encoding="utf-8") == made, "python docs/make_leaderboard.py"
