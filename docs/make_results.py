"""Writes docs/results.md from what ``swarmbed reproduce`` measured: ``python docs/make_results.py``.

No number is typed by hand: verdicts live in docs/verdicts.toml, numbers in results/, and a test fails when the page is
not what this script makes of them.
"""

import json
import tomllib
from pathlib import Path
from typing import Any

from swarmbed.paper.base import Experiment
from swarmbed.reproduction.plan import experiments

DOCS = Path(__file__).parent
RESULTS = DOCS.parent / "results"
PATH = DOCS / "results.md"
STEPS = (50, 100, 200, 500, 1024)


def text() -> str:
    verdicts = tomllib.loads((DOCS / "verdicts.toml").read_text())
    lines = [
        "# Results",
        "",
        "What the paper found, beside what was measured here. Made by `python docs/make_results.py` from `results/`,",
        "which `swarmbed reproduce` writes; every run's settings, seed and commit are in `results/runs/`.",
        "*Final return* is the mean over the last ten iterations of a run, exploration noise included; contests are",
        "greedy, from equal starts, with 95 % bootstrap intervals over episodes.",
        "",
        *verdicts.get("about", {}).get("text", "").strip().splitlines(),
    ]
    for experiment in experiments().values():
        verdict = verdicts.get(experiment.name, {"verdict": "open", "why": "not run yet"})
        lines += ["", f"## {experiment.title}", "", f"`swarmbed reproduce {experiment.name}`", ""]
        lines += [f"The paper: {experiment.finding}.", "", f"**{verdict['verdict'].capitalize()}**: {verdict['why']}"]
        lines += body(experiment)
    return "\n".join(lines) + "\n"


def body(experiment: Experiment) -> list[str]:
    """Tables and figures of one experiment, as far as they exist."""
    folder = RESULTS / experiment.name
    lines: list[str] = []
    if (folder / "numbers.json").is_file() and experiment.curve:
        lines += run_table(json.loads((folder / "numbers.json").read_text()))
    if (folder / "numbers.json").is_file() and experiment.measure:
        lines += cost_table(json.loads((folder / "numbers.json").read_text()))
    if (folder / "evaluation.json").is_file():
        lines += contest_table(json.loads((folder / "evaluation.json").read_text()))
    for figure in sorted(folder.glob("*.png")):
        lines += ["", f"![{experiment.title}](../results/{experiment.name}/{figure.name})"]
    return lines


def run_table(numbers: dict[str, Any]) -> list[str]:
    headings = ("method", "seeds", "iterations", "final return (per seed)", "median of the top five")
    headings += ("minutes per run", "capture found")
    lines = ["", "| " + " | ".join(headings) + " |"]
    lines.append("|---|---|---|---|---|---|---|")
    for entry in numbers.values():
        returns = ", ".join(f"{value:.2f}" for value in entry["final_return"].values())
        minutes = ", ".join(f"{seconds / 60:.1f}" for seconds in entry["seconds"].values())
        found = ""
        if entry.get("capture_trials"):
            low, high = entry["capture_ci"]
            found = f"{entry['capture_found']} of {entry['capture_trials']} [{low:.2f}, {high:.2f}]"
        lines.append(
            f"| {entry['label']} | {entry['seeds']} | {entry['iterations']} | {returns} | "
            f"{entry['final_return_top5_median']:.2f} | {minutes} | {found} |"
        )
    return lines


def contest_table(evaluation: dict[str, Any]) -> list[str]:
    lines = []
    for panel in evaluation["panels"]:
        metric = "captured_by" if any("captured_by" in s for s in panel["contestants"].values()) else "mean_distance"
        what = "share of evaders caught by step" if metric == "captured_by" else "mean distance at step"
        lines += ["", f"{panel['agents']} agents, {evaluation['episodes']} episodes: {what} …", ""]
        lines += ["| method | " + " | ".join(map(str, STEPS)) + " | return |", "|---" * (len(STEPS) + 2) + "|"]
        for name, standing in panel["contestants"].items():
            cells = [_cell(standing, metric, step) for step in STEPS]
            low, high = standing["return_mean_ci"]
            cells.append(f"{standing['return_mean']:.2f} [{low:.2f}, {high:.2f}]")
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def _cell(standing: dict[str, Any], metric: str, step: int) -> str:
    low, high = (bound[step] for bound in standing[f"{metric}_ci"])
    return f"{standing[metric][step]:.3g} [{low:.3g}, {high:.3g}]"


def cost_table(numbers: dict[str, Any]) -> list[str]:
    lines = ["", "| agents | network, µs per decision of one agent | Voronoi control, µs per agent |", "|---|---|---|"]
    for agents, entry in numbers["decision_microseconds"].items():
        values = list(entry.values())
        lines.append(f"| {agents} | {values[0]:.0f} | {values[1]:.1f} |")
    median, worked = numbers["median_training_minutes"], numbers["median_training_processor_minutes"]
    if median is not None:
        lines += [
            "",
            f"Median of the {len(numbers['training_seconds'])} training runs behind this page, one core each:",
        ]
        lines.append(
            f"{median:.1f} minutes by the clock, on a machine that did other work meanwhile (paper: 4–6 hours on"
        )
        lines.append("ten cores).")
    if worked is not None:
        count = len(numbers["training_processor_seconds"])
        lines.append(f"The {count} of them whose processor time was recorded took {worked:.1f} minutes of it.")
    return lines


if __name__ == "__main__":
    PATH.write_text(text())
