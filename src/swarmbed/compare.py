"""Several contestants side by side, from equal starts, for one or more sizes of the swarm.

A contestant may be one controller or policy, or a method that was trained several times. For the latter the spread
between trainings counts: intervals then also draw among the runs, and the interquartile mean and the paper's median of
the top five runs are reported.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from swarmbed import reports, settings, statistics
from swarmbed.controllers.base import Controller
from swarmbed.errors import SwarmbedError
from swarmbed.evaluate import EPISODES, Numbers, as_contestant, choose_task, evaluate, fits, task_name
from swarmbed.tasks.base import Task
from swarmbed.who import Contestant

YLABELS = {
    "mean_distance": "mean distance of two agents (units)",
    "captured_by": "probability of capture",
    "captures_by": "captures so far",
}
LOGARITHMIC = ("mean_distance",)
OnEpisodes = Callable[[str, int], None]  # (what is running, episodes that ended, all in all)


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
        report |= {"return_mean_ci": _bounds(statistics.nested_mean_interval(self.returns))}
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
    first: str
    episodes: int
    seed: int
    stochastic: bool

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
        from swarmbed.figures import Curve, comparison_figure  # drawing is slow to import

        name = next(iter(self.panels[0].standings.values())).headline
        if name is None:
            raise SwarmbedError(f"task {task_name(self.panels[0].task)!r} measures nothing over time, so there is no curve")
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
    on_episodes: OnEpisodes | None = None,
) -> Comparison:
    """Evaluate every contestant (each a list of runs) on the same starts of a task, with swarms of these ``sizes``.

    Policies see the task through the senses they were trained with. Whoever cannot run with some size of swarm is
    missing there, with the reason.

    >>> compare({"PD": ["consensus"], "chance": ["random"]}, sizes=[5, 10], episodes=50)  # doctest: +SKIP
    """
    found = {
        name: [as_contestant(who, stochastic=stochastic) for who in runs] for name, runs in contestants.items() if runs
    }
    if not found:
        raise SwarmbedError("compare needs at least one contestant")
    base = task if task is not None else common_task(found)
    panels = []
    finished = 0
    for size in sizes or [base.num_agents]:
        standings: dict[str, Standing] = {}
        missing: dict[str, str] = {}
        for name, runs in found.items():
            tasks = [choose_task(run, replace(base, num_agents=size)) for run in runs]
            reason = _misfit(runs, tasks)
            if reason is not None:
                missing[name] = reason
            else:
                report = _report(on_episodes, f"{name}, {size} agents", finished)
                ours = [
                    evaluate(run, t, episodes=episodes, seed=seed, stochastic=stochastic, on_progress=report(i))
                    for i, (run, t) in enumerate(zip(runs, tasks, strict=True))
                ]
                returns = np.stack([one.returns for one in ours])
                curves = {curve: _band(np.stack([one.curves[curve] for one in ours])) for curve in ours[0].curves}
                first = standings[next(iter(standings))].returns if standings else None
                better = None if first is None else statistics.probability_better(returns, first)
                standings[name] = Standing(name, returns, curves, better, sum(one.seconds for one in ours))
            finished += len(runs) * episodes
        panels.append(Panel(replace(base, num_agents=size), standings, missing))
    return Comparison(tuple(panels), next(iter(found)), episodes, seed, stochastic)
