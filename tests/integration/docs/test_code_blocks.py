"""The documentation's code blocks run, each on its own."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
CODE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
SNIPPETS = [
    pytest.param(page, code, id=f"{page.name}-{number}")
    for page in PAGES
    if page.name != "interface.md"  # its blocks build on each other: test_interface.py
    for number, code in enumerate(CODE.findall(page.read_text()), start=1)
]


@pytest.mark.parametrize(("page", "code"), SNIPPETS)
def test_code_blocks_run(page: Path, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for extra in re.findall(r"^# needs: (\w+)$", code, re.MULTILINE):
        pytest.importorskip(extra)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, f"{page.name} block", "exec"), {"__name__": "__main__"})
    assert code.strip()
