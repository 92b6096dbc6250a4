"""docs/leaderboard.md is made from the files."""

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_up_to_date() -> None:
    made = runpy.run_path(str(DOCS / "make_leaderboard.py"))["text"]()
    assert (DOCS / "leaderboard.md").read_text(encoding="utf-8") == made, "python docs/make_leaderboard.py"
