"""Copies the pages and their pictures into the staging folder and turns links out of docs/ into links on the site."""

import re
import shutil
from pathlib import Path

PAGES_OF_THE_ROOT = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "CODE_OF_CONDUCT.md": "code_of_conduct.md",
    "SECURITY.md": "security.md",
}
LINK = re.compile(r"(\]\()([^)\s]+)(\))")


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def stage(root: Path, staged: Path) -> None:
    """docs/ without its scripts, the pages of the root, and the pictures of results/."""
    docs = root / "docs"
    shutil.copytree(docs, staged, ignore=shutil.ignore_patterns("*.py", "__pycache__", "site"))
    (staged / "films").mkdir(exist_ok=True)
    for picture in (root / "results").glob("*/*.png"):
        target = staged / picture.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(picture, target)
    for name, page in PAGES_OF_THE_ROOT.items():
        write(staged / page, relinked((root / name).read_text("utf-8"), of_root=True))
    for page in docs.glob("*.md"):
        write(staged / page.name, relinked(page.read_text("utf-8")))


def relinked(text: str, of_root: bool = False) -> str:
    """The same page with links that hold on the site."""
    return LINK.sub(lambda match: match[1] + moved(match[2], of_root) + match[3], text)


def moved(target: str, of_root: bool) -> str:
    """Where a link leads on the site.

    >>> moved("../results/cost/figure.png", of_root=False)
    'results/cost/figure.png'
    >>> moved("../examples/attention.py", of_root=False)
    'examples.md#attentionpy'
    >>> moved("../examples/notebooks/first_swarm.py", of_root=False)
    'notebook_first_swarm.md'
    >>> moved("docs/training.md#presets", of_root=True)
    'training.md#presets'
    """
    if "://" in target or target.startswith("#"):
        return target
    path = target.removeprefix("docs/" if of_root else "../")
    if path.startswith("examples/notebooks/"):
        return f"notebook_{Path(path).stem}.md"
    if path.startswith("examples/") and path.endswith(".py"):
        return "examples.md#" + Path(path).name.replace(".", "")
    return PAGES_OF_THE_ROOT.get(path, path)
