"""Draws docs/images/starts.png and prints the table on starts in docs/learning.md: ``python docs/make_starts.py``.

What would several starts have given with the paper's settings? A start is a training of 30 iterations, and the one that
is continued becomes a whole run. So sixteen whole runs tell: of every choice of k among them, continue the one that a
criterion prefers at iteration 30, and count how often that run ends in a success.
"""

import json
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import matplotlib.pyplot as plt

from swarmbed.run.folder import read_rows

ROOT = Path(__file__).parent.parent
TRAINING, CONTEST, AGENTS = "pursuit-global-nn-extended", "recipe-pursuit", "10"
ITERATION = 30
SUCCESS = 0.95  # of the episodes, caught by their end: the criterion of the recipe for pursuit
STARTS = (1, 2, 3, 4, 6)
CRITERIA = {"explained_variance": "variance that the critic explains", "mean_return": "return"}


class Run(NamedTuple):
    """What was known at iteration 30, and how it ended."""

    early: dict[str, float]
    caught: float

    @property
    def succeeds(self) -> bool:
        return self.caught >= SUCCESS


def read_runs() -> list[Run]:
    each_run = json.loads((ROOT / "results" / CONTEST / "each_run.json").read_text())["runs"][TRAINING][AGENTS]
    rows = {seed: read_rows(ROOT / "results" / "runs" / TRAINING / f"seed-{seed}.csv") for seed in each_run}
    return [Run(rows[seed][ITERATION - 1], curve[-1]) for seed, curve in each_run.items()]


def success(runs: list[Run], starts: int, criterion: str) -> float:
    """How often the start that the criterion prefers succeeds, over all choices of so many runs."""
    chosen = [max(some, key=lambda run: run.early[criterion]) for some in combinations(runs, starts)]
    return sum(run.succeeds for run in chosen) / len(chosen)


def draw(runs: list[Run], path: Path) -> None:
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True)
    for axis, (name, label) in zip(axes, CRITERIA.items(), strict=True):
        for succeeds, colour in ((True, "tab:blue"), (False, "tab:red")):
            some = [run for run in runs if run.succeeds is succeeds]
            word = "closes the ring" if succeeds else "does not"
            axis.scatter([r.early[name] for r in some], [r.caught for r in some], color=colour, label=word)
        axis.set_xlabel(f"{label}, iteration {ITERATION}")
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("caught by step 1024, at the end")
    axes[0].legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main() -> None:
    runs = read_runs()
    draw(runs, ROOT / "docs" / "images" / "starts.png")
    print(f"{sum(run.succeeds for run in runs)} of {len(runs)} runs succeed\n")
    print("| starts | " + " | ".join(f"by the {label}" for label in CRITERIA.values()) + " |")
    print("|---" * (len(CRITERIA) + 1) + "|")
    for starts in STARTS:
        print(f"| {starts} | " + " | ".join(f"{success(runs, starts, name):.0%}" for name in CRITERIA) + " |")


if __name__ == "__main__":
    main()
