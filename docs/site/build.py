"""Builds the documentation site into build/site: ``make docs``, or ``python docs/site/build.py``.

Pages are staged in build/docs first, because some are made from code, policies and examples, and because links in docs/
lead to files of the repository that are pages of their own on the site.
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

import commands
import examples
import films
import notebooks
import reference
import stage

ROOT = Path(__file__).parents[2]
STAGED, SITE, FILMS, NOTEBOOKS = (ROOT / "build" / name for name in ("docs", "site", "films", "notebooks"))
# What makes search work from the file system; the generator would fetch it from elsewhere.
FETCHED, OURS = "https://unpkg.com/iframe-worker/shim", "assets/local_worker.js"


def main() -> None:
    parser = argparse.ArgumentParser(description="build the documentation site into build/site")
    parser.add_argument("--quick", action="store_true", help="make no films and run no notebooks: show what was kept")
    options = parser.parse_args()
    for folder in (STAGED, SITE):
        shutil.rmtree(folder, ignore_errors=True)
    stage.stage(ROOT, STAGED)
    stage.write(STAGED / "commands.md", commands.text())
    stage.write(STAGED / "reference.md", reference.text((ROOT / "docs" / "interface.md").read_text("utf-8")))
    stage.write(STAGED / "examples.md", examples.text(ROOT / "examples"))
    notebooks.make(ROOT / "examples" / "notebooks", NOTEBOOKS, STAGED, only_kept=options.quick)
    shown = films.make(FILMS, only_kept=options.quick)
    stage.write(STAGED / "gallery.md", films.text(shown))
    for film in shown:
        shutil.copy(film.path, STAGED / "films" / film.name)
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict"]
    finished = subprocess.run(command, cwd=ROOT, check=False)
    if finished.returncode:
        raise SystemExit(finished.returncode)
    for page in SITE.rglob("*.html"):
        page.write_text(page.read_text("utf-8").replace(FETCHED, OURS), encoding="utf-8")
    print(f"open {(SITE / 'index.html').relative_to(ROOT)}")


if __name__ == "__main__":
    main()
