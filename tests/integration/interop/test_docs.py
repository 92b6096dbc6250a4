"""The code in docs/interop.md runs as it stands there."""

import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "interop.md"


def test_every_block_of_the_page_runs_and_shows_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    assert len(blocks) == 6
    printed = capsys.readouterr().out.splitlines()
    # 4 swarms of 3 agents; 5 local numbers, and 3 slots of 7 features and a mask: 5 + 3 × 8 = 29.
    assert printed[0] == "12 (12, 29) (12,)"
    # What the page says beside each call of print.
    assert printed[:3] == re.findall(r"^print\(.*\)  # (.*)$", "".join(blocks), re.MULTILINE)
    assert printed[3] == "local: evader distance"
