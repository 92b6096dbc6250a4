"""Writes docs/results.md from what ``swarmbed reproduce`` measured: ``python docs/make_results.py``.

No number is typed by hand: verdicts live in docs/verdicts.toml, numbers in results/, and a test fails when the page is
not what this script makes of them.
"""

import re
import tomllib
from typing import Any

from results_files import DOCS, RESULTS, load
from results_quotes import with_numbers
from results_tables import contest_table, cost_table, longer_table, run_table, settings_table

from swarmbed.study.experiments.base import Experiment
from swarmbed.study.plan import experiments

PATH = DOCS / "results.md"
NOT_RUN = {"verdict": "open", "measured": "not judged yet"}


def text() -> str:
    verdicts = tomllib.loads((DOCS / "verdicts.toml").read_text())
    lines = [
        "# Results",
        "",
        "What the paper found, beside what was measured here. Made by `python docs/make_results.py` from `results/`,",
        "which `swarmbed reproduce` writes; every run's settings, seed and commit are in `results/runs/`.",
        "*Final return* is the mean over the last ten iterations of a run, exploration noise included; contests are",
        "greedy, from equal starts, with 95 % bootstrap intervals over episodes. *Minutes per run* are processor time",
        "on one core; in brackets, by the clock, on a machine that did other work too. *Caught* is the share of",
        "episodes with a capture, in the last ten iterations of training and in 200 greedy episodes; *capture found*",
        "counts the trials that catch in at least half of the greedy ones, with a 95 % Wilson interval.",
        "",
        *verdicts.get("about", {}).get("text", "").strip().splitlines(),
    ]
    lines += at_a_glance(verdicts)
    for experiment in experiments().values():
        lines += ["", f"## {experiment.title}", "", f"`swarmbed reproduce {experiment.name}`", ""]
        lines += ["| the paper | | measured here |", "|---|---|---|"]
        for finding, verdict, measured in judged(experiment, verdicts):
            lines.append(f"| {finding} | **{verdict}** | {with_numbers(measured, experiment.name)} |")
        lines += body(experiment)
        if experiment.name == "pursuit-global":
            lines += settings_table()
    lines += longer_table()
    return "\n".join(lines) + "\n"


def judged(experiment: Experiment, verdicts: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Each finding of the paper with our verdict and the words for it."""
    own = verdicts.get(experiment.name, {})
    if unknown := set(own) - set(experiment.findings):
        raise ValueError(f"verdicts.toml: {experiment.name} has no finding {unknown}")
    entries = [(finding, own.get(finding, NOT_RUN)) for finding in experiment.findings]
    return [(finding, entry["verdict"], entry["measured"]) for finding, entry in entries]


def at_a_glance(verdicts: dict[str, Any]) -> list[str]:
    lines = ["", "| experiment | the paper | here |", "|---|---|---|"]
    for experiment in experiments().values():
        anchor = re.sub(r"[^\w\- ]", "", experiment.title.lower()).replace(" ", "-")
        for finding, verdict, _ in judged(experiment, verdicts):
            lines.append(f"| [{experiment.name}](#{anchor}) | {finding} | **{verdict}** |")
    return lines


def body(experiment: Experiment) -> list[str]:
    """Tables and figures of one experiment, as far as they exist."""
    folder = RESULTS / experiment.name
    lines: list[str] = []
    if (folder / "numbers.json").is_file():
        table = cost_table if experiment.measure else run_table
        lines += table(load(experiment.name, "numbers.json"))
    if (folder / "evaluation.json").is_file():
        lines += contest_table(load(experiment.name, "evaluation.json"))
    for figure in sorted(folder.glob("*.png")):
        lines += ["", f"![{experiment.title}](../results/{experiment.name}/{figure.name})"]
    return lines


if __name__ == "__main__":
    PATH.write_text(text())
