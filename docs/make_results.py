"""Writes docs/results.md from what ``swarmbed reproduce`` measured: ``python docs/make_results.py``.

No number is typed by hand: verdicts live in docs/verdicts.toml, numbers in results/, and a test fails when the page is
not what this script makes of them.
"""

import csv
import json
import re
import tomllib
from pathlib import Path
from statistics import fmean
from typing import Any

from swarmbed.paper import pursuit_global
from swarmbed.paper.base import Experiment
from swarmbed.reproduction.plan import experiments

DOCS = Path(__file__).parent
RESULTS = DOCS.parent / "results"
PATH = DOCS / "results.md"
DECISIONS = {"alone": "network_alone", "all": "network_of_all", "voronoi": "voronoi_of_all"}
NOT_RUN = {"verdict": "open", "measured": "not judged yet"}
STEPS = (50, 100, 200, 500, 1024)
SETTINGS = {
    "paper": "the paper's",
    "calm": "initial log-deviation −0.7 (preset `calm`)",
    "wide": "KL bound 0.03, damping 0.05",
    "bold": "both changes",
}


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
            lines.append(f"| {finding} | **{verdict}** | {with_numbers(measured, experiment)} |")
        lines += body(experiment)
        if experiment.name == "pursuit-global":
            lines += settings_table()
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


def with_numbers(words: str, experiment: Experiment) -> str:
    """Puts measured numbers where a verdict quotes them, so that none can be out of date.

    ``{TRAINING}`` is its final return (median of the top five), ``{TRAINING found}`` in how many trials the capture was
    found, ``{AGENTS LABEL STEP}`` a contestant's distance or share of captures at a step, and
    ``{AGENTS LABEL reaches OTHER STEP}`` the step at which a contestant is as close as another is at STEP. Of
    the costs, ``{minutes}`` is the median processor time of a run, ``{KIND AGENTS}`` microseconds per decision.
    """
    return re.sub(r"\{([^}]+)\}", lambda quoted: _quoted(quoted[1].split(), experiment), words)


def _quoted(words: list[str], experiment: Experiment) -> str:
    if words[0].isdecimal():
        agents, *label, step = words
        return _quoted_from_contest(int(agents), label, int(step), experiment)
    numbers = _load(experiment, "numbers.json")
    if words == ["minutes"]:
        return f"{numbers['median_training_processor_minutes']:.1f}"
    if words[0] in DECISIONS:
        return f"{numbers['decision_microseconds'][words[1]][DECISIONS[words[0]]]:.0f}"
    entry = numbers[words[0]]
    if words[1:] == ["found"]:
        return f"{entry['capture_found']} of {entry['capture_trials']}"
    return f"{entry['final_return_top5_median']:.1f}".replace("-", "−")


def _quoted_from_contest(agents: int, label: list[str], step: int, experiment: Experiment) -> str:
    panels = {panel["agents"]: panel for panel in _load(experiment, "evaluation.json")["panels"]}
    contestants = panels[agents]["contestants"]
    if "reaches" not in label:
        standing = contestants[" ".join(label)]
        return f"{standing[_metric(panels[agents])][step]:.2g}"
    name, other = label[0], label[-1]
    distances = contestants[name]["mean_distance"]
    goal = contestants[other]["mean_distance"][step]
    return str(next((i for i, distance in enumerate(distances) if distance <= goal), "never"))


def _load(experiment: Experiment, file: str) -> Any:
    return json.loads((RESULTS / experiment.name / file).read_text())


def body(experiment: Experiment) -> list[str]:
    """Tables and figures of one experiment, as far as they exist."""
    folder = RESULTS / experiment.name
    lines: list[str] = []
    if (folder / "numbers.json").is_file():
        table = cost_table if experiment.measure else run_table
        lines += table(_load(experiment, "numbers.json"))
    if (folder / "evaluation.json").is_file():
        lines += contest_table(_load(experiment, "evaluation.json"))
    for figure in sorted(folder.glob("*.png")):
        lines += ["", f"![{experiment.title}](../results/{experiment.name}/{figure.name})"]
    return lines


def run_table(numbers: dict[str, Any]) -> list[str]:
    headings = ["method", "seeds", "iterations", "final return (per seed)", "median of the top five", "minutes per run"]
    captures = any(entry.get("capture_trials") for entry in numbers.values())
    headings += ["caught in training", "caught, greedy", "capture found in"] if captures else []
    lines = ["", "| " + " | ".join(headings) + " |", "|---" * len(headings) + "|"]
    for entry in numbers.values():
        cells = [entry["label"], str(entry["seeds"]), str(entry["iterations"])]
        cells += [
            _per_seed(entry["final_return"], "{:.2f}"),
            f"{entry['final_return_top5_median']:.2f}",
            _minutes(entry),
        ]
        if captures:
            cells += _capture_cells(entry)
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def _per_seed(values: dict[str, float], form: str) -> str:
    return ", ".join(form.format(value) for value in values.values())


def _minutes(entry: dict[str, Any]) -> str:
    """Processor time of each run; the clock's, marked, where only that was recorded."""
    worked = entry["processor_seconds"]
    return ", ".join(
        f"{worked[seed] / 60:.1f}" if worked[seed] else f"({clock / 60:.1f})"
        for seed, clock in entry["seconds"].items()
    )


def _capture_cells(entry: dict[str, Any]) -> list[str]:
    if not entry.get("capture_trials"):
        return ["", "", ""]
    low, high = entry["capture_ci"]
    shares = [_per_seed(entry[name], "{:.0%}") for name in ("captured_in_training", "captured_share")]
    return [*shares, f"{entry['capture_found']} of {entry['capture_trials']} [{low:.2f}, {high:.2f}]"]


def settings_table() -> list[str]:
    """What pursuit's settings were chosen by: one seed of each, the files are in results/settings and results/runs."""
    at = (30, 60, 90, 120, 150)
    lines = [
        "",
        "What made the difference: return around iteration … (mean of five), seed 0;",
        "runs that were clearly behind were stopped early.",
        "",
    ]
    lines += ["| method | settings | " + " | ".join(map(str, at)) + " |", "|---" * (len(at) + 2) + "|"]
    for training in pursuit_global.METHODS:
        for name, settings in SETTINGS.items():
            found = [path for path in _settings_files(training.name, name) if path.is_file()]
            if found:
                returns = [float(row["mean_return"] or "nan") for row in csv.DictReader(found[0].open())]
                means = [f"{fmean(returns[i - 5 : i]):.1f}" if len(returns) >= i else "" for i in at]
                lines.append(f"| {training.label} | {settings} | " + " | ".join(means) + " |")
    return lines


def _settings_files(training: str, name: str) -> list[Path]:
    run = training + ("" if name == "calm" else f"-{name}")
    return [RESULTS / "settings" / f"{run}.csv", RESULTS / "runs" / run / "seed-0.csv"]


def contest_table(evaluation: dict[str, Any]) -> list[str]:
    lines = []
    for panel in evaluation["panels"]:
        metric = _metric(panel)
        what = "share of evaders caught by step" if metric == "captured_by" else "mean distance at step"
        lines += ["", f"{panel['agents']} agents, {evaluation['episodes']} episodes: {what} …", ""]
        steps = [step for step in STEPS if step <= evaluation["settings"]["horizon"]]
        ending = f"return of {evaluation['settings']['horizon']} steps"
        lines += ["| method | " + " | ".join(map(str, steps)) + f" | {ending} |", "|---" * (len(steps) + 2) + "|"]
        for name, standing in panel["contestants"].items():
            cells = [_cell(standing, metric, step) for step in steps]
            low, high = standing["return_mean_ci"]
            cells.append(f"{standing['return_mean']:.2f} [{low:.2f}, {high:.2f}]")
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def _metric(panel: dict[str, Any]) -> str:
    return "captured_by" if any("captured_by" in s for s in panel["contestants"].values()) else "mean_distance"


def _cell(standing: dict[str, Any], metric: str, step: int) -> str:
    low, high = (bound[step] for bound in standing[f"{metric}_ci"])
    return f"{standing[metric][step]:.3g} [{low:.3g}, {high:.3g}]"


def cost_table(numbers: dict[str, Any]) -> list[str]:
    lines = ["", "Microseconds per agent and decision, medians on one machine:", ""]
    lines += [
        "| agents | network, one agent alone | network, all at once | Voronoi control, all at once |",
        "|---|---|---|---|",
    ]
    for agents, entry in numbers["decision_microseconds"].items():
        alone, network, voronoi = (entry[key] for key in DECISIONS.values())
        lines.append(f"| {agents} | {alone:.0f} | {network:.1f} | {voronoi:.1f} |")
    lines += ["", "What all agents together observe in one step of rendezvous:", ""]
    lines += ["| agents | kB | bytes per ordered pair of agents |", "|---|---|---|"]
    for agents, size in numbers["observation_bytes"].items():
        pairs = int(agents) * (int(agents) - 1)
        lines.append(f"| {agents} | {size / 1000:.1f} | {size / pairs:.1f} |")
    lines += ["", "The peak memory of training is in [benchmarks.md](benchmarks.md)."]
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
        lines.append(f"The {count} of them whose processor time was recorded took {worked:.1f} minutes of it (median).")
    return lines


if __name__ == "__main__":
    PATH.write_text(text())
