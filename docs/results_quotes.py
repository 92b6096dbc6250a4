"""Puts measured numbers where a verdict quotes them, so that none can be out of date."""

import re
from collections.abc import Iterable
from statistics import fmean

from results_files import DECISIONS, load, metric, returns_of

TAIL = 10  # iterations in a mean


def with_numbers(words: str, experiment: str) -> str:
    """The words, with numbers for what stands in braces.

    ``{TRAINING}`` is its final return (median of the top five), ``{TRAINING each}`` that of each seed,
    ``{TRAINING at ITERATION}`` what these were then (mean of ten), ``{TRAINING found}`` in how many trials the
    capture was found, ``{AGENTS LABEL STEP}`` a contestant's distance or share of captures at a step, and
    ``{AGENTS LABEL reaches OTHER STEP}`` the step at which a contestant is as close as another is at STEP. Of the
    costs, ``{minutes}`` is the median processor time of a run, ``{KIND AGENTS}`` microseconds per decision.
    """
    return re.sub(r"\{([^}]+)\}", lambda quoted: _quoted(quoted[1].split(), experiment), words)


def _quoted(words: list[str], experiment: str) -> str:
    if words[0].isdecimal():
        agents, *label, step = words
        return _quoted_from_contest(int(agents), label, int(step), experiment)
    numbers = load(experiment, "numbers.json")
    if words == ["minutes"]:
        return f"{numbers['median_training_processor_minutes']:.1f}"
    if words[0] in DECISIONS:
        return f"{numbers['decision_microseconds'][words[1]][DECISIONS[words[0]]]:.0f}"
    entry = numbers[words[0]]
    if words[1:] == ["found"]:
        return f"{entry['captured_found']} of {entry['captured_trials']}"
    if words[1:] == ["each"]:
        return _each(entry["final_return"].values())
    if words[1:2] == ["at"]:
        return _each(fmean(returns[int(words[2]) - TAIL : int(words[2])]) for returns in returns_of(words[0]))
    return _rounded(entry["final_return_top5_median"])


def _each(values: Iterable[float]) -> str:
    return " and ".join(_rounded(value) for value in values)


def _rounded(value: float) -> str:
    return f"{value:.1f}".replace("-", "−")


def _quoted_from_contest(agents: int, label: list[str], step: int, experiment: str) -> str:
    panels = {panel["agents"]: panel for panel in load(experiment, "evaluation.json")["panels"]}
    contestants = panels[agents]["contestants"]
    if "reaches" not in label:
        standing = contestants[" ".join(label)]
        return f"{standing[metric(panels[agents])][step]:.2g}"
    name, other = label[0], label[-1]
    distances = contestants[name]["mean_distance"]
    goal = contestants[other]["mean_distance"][step]
    return str(next((i for i, distance in enumerate(distances) if distance <= goal), "never"))
