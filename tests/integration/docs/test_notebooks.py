"""The notebooks: each runs from top to bottom in a kernel of its own, prints and draws, and stays small."""

import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jupytext")
pytest.importorskip("nbclient")

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "docs" / "site"))

import notebooks  # noqa: E402

SCRIPTS = ROOT / "examples" / "notebooks"
LARGEST = 400_000  # bytes of one notebook with all that it prints and draws


def outputs(notebook: Any) -> list[Any]:
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


def test_every_script_is_a_page() -> None:
    assert sorted(notebooks.ORDER) == sorted(path.stem for path in SCRIPTS.glob("*.py"))


@pytest.mark.parametrize("name", notebooks.ORDER)
def test_a_notebook_runs_prints_draws_and_stays_small(name: str, tmp_path: Path) -> None:
    # Kept with what the site shows, so that neither runs a notebook that the other has run.
    notebook = notebooks.executed(SCRIPTS / f"{name}.py", ROOT / "build" / "notebooks", tmp_path / "work")
    shown = outputs(notebook)
    assert any(output.output_type == "stream" for output in shown)
    assert any("image/png" in output.get("data", {}) for output in shown)
    page = notebooks.page(notebook, name, tmp_path)
    assert page.startswith("# ")
    assert sum(path.stat().st_size for path in tmp_path.glob("*.png")) + len(page) < LARGEST
