"""Tables of docs/results.md."""

from pathlib import Path
from statistics import fmean
from typing import Any

from results_files import DECISIONS, METRICS, RESULTS, load, metric, read_returns

from swarmbed.evaluation.comparison import standings_in
from swarmbed.study.events import SOON
from swarmbed.study.experiments import pursuit_global

STEPS = (50, 100, 200, 500, 1024)
SETTINGS = {
    "paper": "the paper's",
    "calm": "initial log-deviation −0.7 (preset `calm`)",
    "wide": "KL bound 0.03, damping 0.05",
    "bold": "both changes",
}


def run_table(numbers: dict[str, Any]) -> list[str]:
    headings = ["method", "seeds", "iterations", "final return (per seed)", "median of the top five", "minutes per run"]
    captures = any(entry.get("captured_trials") for entry in numbers.values())
    headings += ["caught in training", "caught, greedy", f"by step {SOON}", "capture found in"] if captures else []
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
    if not entry.get("captured_trials"):
        return [""] * 4
    low, high = entry["captured_ci"]
    names = ("captured_in_training", "captured_share", "captured_soon_share")
    shares = [_per_seed(entry[name], "{:.0%}") if name in entry else "" for name in names]
    return [*shares, f"{entry['captured_found']} of {entry['captured_trials']} [{low:.2f}, {high:.2f}]"]


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
                returns = read_returns(found[0])
                means = [f"{fmean(returns[i - 5 : i]):.1f}" if len(returns) >= i else "" for i in at]
                lines.append(f"| {training.label} | {settings} | " + " | ".join(means) + " |")
    return lines


def _settings_files(training: str, name: str) -> list[Path]:
    run = training + ("" if name == "paper" else f"-{name}")
    return [RESULTS / "settings" / f"{run}.csv", RESULTS / "runs" / run / "seed-0.csv"]


def longer_table() -> list[str]:
    """What more iterations give: runs of the study that went on, in results/longer."""
    at = (100, 120, 150, 200, 250, 300)
    lines = [
        "",
        "## More iterations",
        "",
        "Runs of NN+ that went on (`swarmbed train --resume RUN --iterations K`): return before iteration …",
        "(mean of ten). Pursuit, seed 2, is a trial that does not find the capture.",
        "",
        "| run | " + " | ".join(map(str, at)) + " |",
        "|---" * (len(at) + 1) + "|",
    ]
    for path in sorted((RESULTS / "longer").glob("*.csv")):
        returns = read_returns(path)
        means = [f"{fmean(returns[i - 10 : i]):.1f}" if len(returns) >= i else "" for i in at]
        lines.append(f"| {path.stem.replace('-', ' ')} | " + " | ".join(means) + " |")
    for path in sorted((RESULTS / "longer").glob("*.json")):
        lines += contest_table(load("longer", path.name))
    return lines


def contest_table(evaluation: dict[str, Any]) -> list[str]:
    lines = []
    for panel in evaluation["panels"]:
        measure = metric(panel)
        lines += ["", f"{panel['agents']} agents, {evaluation['episodes']} episodes: {METRICS[measure]} …", ""]
        steps = [step for step in STEPS if step <= evaluation["settings"]["horizon"]]
        ending = f"return of {evaluation['settings']['horizon']} steps"
        lines += ["| method | " + " | ".join(map(str, steps)) + f" | {ending} |", "|---" * (len(steps) + 2) + "|"]
        for name, standing in standings_in(panel).items():
            cells = [_cell(standing, measure, step) for step in steps]
            low, high = standing["return_mean_ci"]
            cells.append(f"{standing['return_mean']:.2f} [{low:.2f}, {high:.2f}]")
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def _cell(standing: dict[str, Any], measure: str, step: int) -> str:
    low, high = (bound[step] for bound in standing[f"{measure}_ci"])
    return f"{standing[measure][step]:.3g} [{low:.3g}, {high:.3g}]"


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
