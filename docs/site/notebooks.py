"""Notebooks: percent scripts in examples/notebooks, run and shown with what they print and draw.

The scripts are the only source. Their outputs are kept in build/notebooks and made again when a script or the package
has changed; the notebook files are next to the pages, for download.
"""

import base64
import hashlib
import re
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient

import swarmbed

ORDER = (
    "first_swarm",
    "own_task",
    "inside_a_mean_embedding",
    "classical_against_learned",
    "how_far_a_policy_carries",
)
SOURCE = Path(swarmbed.__file__).parent
LONGEST = 900  # seconds for one cell, on a machine that does other things too


def executed(script: Path, folder: Path, work: Path, only_kept: bool = False) -> nbformat.NotebookNode:
    """The notebook with its outputs, from the folder if nothing has changed; ``only_kept``: what there is, or none."""
    kept = folder / f"{script.stem}-{fingerprint(script)}.ipynb"
    if kept.is_file():
        return nbformat.read(kept, as_version=4)
    notebook = jupytext.read(script)
    if only_kept:
        older = sorted(folder.glob(f"{script.stem}-*.ipynb"), key=lambda path: path.stat().st_mtime)
        return nbformat.read(older[-1], as_version=4) if older else notebook
    work.mkdir(parents=True, exist_ok=True)
    NotebookClient(notebook, timeout=LONGEST, kernel_name="python3", resources={"metadata": {"path": work}}).execute()
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, kept)
    return notebook


def fingerprint(script: Path) -> str:
    digest = hashlib.sha256(script.read_bytes())
    for path in sorted(SOURCE.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:10]


def page(notebook: nbformat.NotebookNode, name: str, folder: Path) -> str:
    """Markdown of an executed notebook; its pictures are written into the folder."""
    parts = [f"[This page as a notebook](notebooks/{name}.ipynb){{ download }}"]
    pictures = 0
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{re.sub(r'  # fmt: skip', '', cell.source)}\n```")
        for output in cell.outputs:
            data = output.get("data", {})
            if "image/png" in data:
                pictures += 1
                picture = folder / f"{name}-{pictures}.png"
                picture.write_bytes(base64.b64decode(data["image/png"]))
                parts.append(f"![what the cell draws](notebooks/{picture.name})")
            elif output.output_type == "stream" and output.name == "stdout":
                parts.append(f"```text\n{output.text.rstrip()}\n```")
    title = parts.pop(1) if len(parts) > 1 and parts[1].startswith("# ") else ""
    return "\n\n".join([title, *parts]) + "\n"


def make(scripts: Path, kept: Path, staged: Path, only_kept: bool = False) -> None:
    """All pages, their pictures and the notebook files, in the staging folder."""
    folder = staged / "notebooks"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ORDER:
        print(f"notebook {name}")
        notebook = executed(scripts / f"{name}.py", kept, kept / "work", only_kept)
        (staged / f"notebook_{name}.md").write_text(page(notebook, name, folder), encoding="utf-8")
        for cell in notebook.cells:  # as a reader gets it: to be run, without outputs
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
        nbformat.write(notebook, folder / f"{name}.ipynb")
