"""Several contestants side by side, from equal starts, for one or more sizes of the swarm.

A contestant may be one controller or policy, or a method that was trained several times. For the latter the spread
between trainings counts: intervals then also draw among the runs, and the interquartile mean and the paper's median of
the top five runs are reported.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from swarmbed.controllers.base import Controller
from swarmbed.evaluation import reports, statistics
from swarmbed.evaluation.evaluate import EPISODES, Evaluation, Numbers, as_contestant, choose_task, evaluate, task_name
from swarmbed.evaluation.progress import Report
from swarmbed.policy.find import Contestant
from swarmbed.spec import registry, settings
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks.base import Task

YLABELS = {
    "mean_distance": "mean distance of two agents (units)",
    "captured_by": "probability of capture",
    "captures_by": "captures so far",
}
LOGARITHMIC = ("mean_distance",)


class Band(NamedTuple):
    """A mean over time and its interval."""

    mean: Numbers
    low: Numbers
    high: Numbers


@dataclass(frozen=True)
class Standing:
    """What one contestant reached with one size of swarm; ``returns`` is (runs, episodes)."""

    name: str
    returns: Numbers
    curves: dict[str, Band]
    better_than_first: statistics.Estimate | None
    seconds: float

    @property
    def runs(self) -> int:
        return len(self.returns)

    @property
    def headline(self) -> str | None:
        return next(iter(self.curves), None)

    def summary(self) -> dict[str, Any]:
        report: dict[str, Any] = {"runs": self.runs, "seconds": round(self.seconds, 3)}
        report |= {"return_mean": reports.plain(self.returns.mean())}
        report |= {"return_mean_ci": _bounds(statistics.mean_interval_over_runs(self.returns))}
        if self.better_than_first is not None:
            probability, *interval = self.better_than_first
            report |= {"better_than_first": reports.plain(probability), "better_than_first_ci": _bounds(interval)}
        if self.runs > 1:
            value, *interval = statistics.iqm_estimate(self.returns)
            report |= {"return_iqm": reports.plain(value), "return_iqm_ci": _bounds(interval)}
            report |= {"return_median_of_top_five": statistics.median_of_top_five(self.returns)}
            report |= {"return_of_runs": reports.plain(self.returns.mean(axis=1))}
        for name, band in self.curves.items():
            report |= {name: reports.plain(band.mean), f"{name}_ci": _bounds((band.low, band.high))}
        return report


@dataclass(frozen=True)
class Panel:
    """All standings with one size of swarm, and why somebody is missing."""

    task: Task
    standings: dict[str, Standing]
    missing: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Comparison:
    """The panels, one per size of swarm."""

    panels: tuple[Panel, ...]
    names: tuple[str, ...]
    episodes: int
    seed: int
    stochastic: bool

    @property
    def first(self) -> str:
        """Whom the others are measured against."""
        return self.names[0]

    def summary(self) -> dict[str, Any]:
        """Everything as JSON: one entry of ``panels`` per size of swarm."""
        return {
            "task": task_name(self.panels[0].task),
            "settings": settings.as_dict(self.panels[0].task),
            "episodes": self.episodes,
            "seed": self.seed,
            "stochastic": self.stochastic,
            "first": self.first,
            "panels": [
                {
                    "agents": panel.task.num_agents,
                    "contestants": {name: standing.summary() for name, standing in panel.standings.items()},
                    "missing": panel.missing,
                }
                for panel in self.panels
            ],
        }

    def draw(self, path: str | Path) -> Path:
        """One picture: a panel per size of swarm, a curve with its band per contestant."""
        from swarmbed.draw.figures import Curve, comparison_figure  # drawing is slow to import

        name = next(standing.headline for panel in self.panels for standing in panel.standings.values())
        if name is None:
            raise SwarmbedError(
                f"task {task_name(self.panels[0].task)!r} measures nothing over time, so there is no curve"
            )
        steps = np.arange(self.panels[0].task.horizon + 1)
        curves = {
            f"{panel.task.num_agents} agents": {
                who: Curve(steps, *standing.curves[name]) for who, standing in panel.standings.items()
            }
            for panel in self.panels
        }
        label = YLABELS.get(name, name.replace("_", " "))
        return comparison_figure(curves, path, ylabel=label, log=name in LOGARITHMIC)


def compare(
    contestants: Mapping[str, Sequence[str | Path | Controller | Contestant]],
    task: Task | None = None,
    *,
    sizes: Sequence[int] | None = None,
    episodes: int = EPISODES,
    seed: int = 0,
    stochastic: bool = False,
    on_progress: Report | None = None,
) -> Comparison:
    """Evaluate every contestant (each a list of runs) on the same starts of a task, with swarms of these ``sizes``.

    Policies see the task through the senses they were trained with. Whoever cannot run with some size of swarm is
    missing there, with the reason; whoever fits none is an error. ``on_progress`` counts episodes over everything.

    >>> compare({"PD": ["consensus"], "chance": ["random"]}, sizes=[5, 10], episodes=50)  # doctest: +SKIP
    """
    entries = {name: [as_contestant(who, stochastic=stochastic) for who in runs] for name, runs in contestants.items()}
    base = task if task is not None else common_task(entries)
    tasks = [replace(base, num_agents=size) for size in sizes or [base.num_agents]]
    misfits = [{name: reason for name, runs in entries.items() if (reason := _misfit(runs, task))} for task in tasks]
    for name in entries:
        if all(name in missing for missing in misfits):
            raise SwarmbedError(f"{name}: {misfits[0][name]}")
    finished = 0
    panels = []
    for task, missing in zip(tasks, misfits, strict=True):
        standings: dict[str, Standing] = {}
        for name in (name for name in entries if name not in missing):
            ours = []
            for run in entries[name]:
                report = None if on_progress is None else _shifted(on_progress, finished)
                suited = choose_task(run, task)
                ours.append(
                    evaluate(run, suited, episodes=episodes, seed=seed, stochastic=stochastic, on_progress=report)
                )
                finished += episodes
            standings[name] = _standing(name, ours, standings.get(next(iter(entries))))
        panels.append(Panel(task, standings, missing))
    return Comparison(tuple(panels), tuple(entries), episodes, seed, stochastic)


def common_task(entries: Mapping[str, Sequence[Contestant]]) -> Task:
    """What the first trained policy was trained on; with controllers only, a task that the first of them fits."""
    everybody = [run for runs in entries.values() for run in runs]
    if not everybody:
        raise SwarmbedError("compare needs at least one contestant")
    return choose_task(next((run for run in everybody if run.task is not None), everybody[0]), None)


def read_entry(text: str) -> tuple[str, list[str]]:
    """``WHO`` or ``NAME=WHO,WHO,…``: the name to show and the runs behind it."""
    name, equals, runs = text.partition("=")
    if not equals or Path(text).exists():
        return text if text in registry.controllers.all() else Path(text).name, [text]
    parts = [part for part in runs.split(",") if part]
    if not name or not parts:
        raise SwarmbedError(f"a contestant must be WHO or NAME=WHO,WHO,… and not {text!r}")
    return name, parts


def _misfit(runs: Sequence[Contestant], task: Task) -> str | None:
    """Why these runs cannot do the task; None if they can."""
    try:
        for run in runs:
            run.controller.check(choose_task(run, task))
    except SwarmbedError as error:
        return str(error)
    return None


def _standing(name: str, ours: list[Evaluation], first: Standing | None) -> Standing:
    returns = np.stack([evaluation.returns for evaluation in ours])
    curves = {}
    for curve in ours[0].curves:
        table = np.stack([evaluation.curves[curve] for evaluation in ours])
        curves[curve] = Band(table.mean(axis=(0, 1)), *statistics.mean_interval_over_runs(table))
    better = None if first is None else statistics.probability_better(returns, first.returns)
    return Standing(name, returns, curves, better, sum(evaluation.seconds for evaluation in ours))


def _shifted(on_progress: Report, finished: int) -> Report:
    return lambda count: on_progress(finished + count)


def _bounds(interval: Sequence[Any]) -> list[Any]:
    return [reports.plain(bound) for bound in interval]
