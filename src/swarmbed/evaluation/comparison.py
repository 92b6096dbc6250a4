"""The result of a comparison: numbers, a table, a figure.

For a method that was trained several times the spread between runs counts: intervals also resample the runs, and the
interquartile mean and the paper's median of the top five runs are reported.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from rich.table import Table

from swarmbed.draw.curves import Curve
from swarmbed.draw.figures import panels_figure
from swarmbed.draw.style import save, svg_of
from swarmbed.evaluation import reports, statistics
from swarmbed.evaluation.evaluate import Evaluation, Numbers
from swarmbed.spec import settings
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.registry import task_name
from swarmbed.tasks.base import Metric, Task


class Band(NamedTuple):
    """A mean over time and its interval."""

    mean: Numbers
    low: Numbers
    high: Numbers


@dataclass(frozen=True)
class Standing:
    """What one policy or controller reached with one swarm size; ``returns`` is (runs, episodes)."""

    name: str
    returns: Numbers
    curves: dict[str, Band]
    better_than_first: statistics.Estimate | None
    seconds: float

    @property
    def runs(self) -> int:
        return len(self.returns)

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
    """All standings with one size of swarm, and why a policy is missing."""

    task: Task
    standings: dict[str, Standing]
    missing: dict[str, str] = field(default_factory=dict)

    @property
    def agents(self) -> str:
        """The size of the swarm, or the sizes that episodes draw from."""
        return reports.sizes_text(reports.sizes_of(self.task))


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
        """The policy that the others are compared with."""
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
                    "policies": {name: standing.summary() for name, standing in panel.standings.items()},
                    "missing": panel.missing,
                }
                for panel in self.panels
            ],
        }

    @property
    def headline(self) -> Metric | None:
        """The metric that the table and the picture show."""
        return self.panels[0].task.headline

    @property
    def title(self) -> str:
        task = task_name(self.panels[0].task)
        return f"{task}: {self.episodes} episodes from equal starts (seed {self.seed}), 95 % intervals"

    def table(self) -> Table:
        """One row per swarm size and policy."""
        everybody = [standing for panel in self.panels for standing in panel.standings.values()]
        has_runs = any(standing.runs > 1 for standing in everybody)
        metric = self.headline
        steps = reports.steps_to_show(metric, self.panels[0].task.horizon)[-3:] if metric is not None else []
        table = reports.plain_table()
        table.add_column("agents", justify="right")
        table.add_column("who")
        headings = ["return"]
        headings += ["interquartile mean", "median of top five"] if has_runs else []
        headings += [metric.label_at(step) for step in steps] if metric is not None else []
        headings += [f"better than {self.first}"] if len(self.names) > 1 else []
        for heading in headings:
            table.add_column(heading, justify="right")
        for panel in self.panels:
            for name in self.names:
                agents = panel.agents
                if name in panel.standings:
                    cells = _cells(panel.standings[name], metric, steps, has_runs)
                    table.add_row(agents, name, *cells[: len(headings)])
                else:
                    table.add_row(agents, name, "does not fit", *[""] * (len(headings) - 1))
        reasons = {f"{name}: {reason}": None for panel in self.panels for name, reason in panel.missing.items()}
        table.caption = "\n".join(reasons) or None
        return table

    def __str__(self) -> str:
        return reports.as_text(self.title, self.table())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """A notebook shows the figure, if there is one, above the table."""
        table = reports.as_html(self.title, self.table())
        return table if self.headline is None else f"{svg_of(self.figure())}\n{table}"

    def draw(self, path: str | Path) -> Path:
        """One figure: a panel per swarm size, a curve with its band per policy."""
        return save(self.figure(), path)

    def figure(self) -> Figure:
        """The figure, as a matplotlib object."""
        metric = self.headline
        if metric is None:
            raise SwarmbedError(
                f"task {task_name(self.panels[0].task)!r} measures nothing over time, so there is no curve"
            )
        steps = np.arange(self.panels[0].task.horizon + 1)
        curves = {
            f"{panel.agents} agents": {
                who: Curve(steps, *standing.curves[metric.curve]) for who, standing in panel.standings.items()
            }
            for panel in self.panels
        }
        return panels_figure(curves, ylabel=metric.axis, log=metric.log, xlabel="time step")


def standing_of(name: str, ours: list[Evaluation], first: Standing | None) -> Standing:
    """What the runs of one policy reached, also against the first policy."""
    returns = np.stack([evaluation.returns for evaluation in ours])
    shares = {metric.curve for metric in ours[0].task.metrics if metric.is_share}
    curves = {}
    for curve in ours[0].curves:
        table = np.stack([evaluation.curves[curve] for evaluation in ours])
        interval = statistics.share_interval_over_runs if curve in shares else statistics.mean_interval_over_runs
        curves[curve] = Band(table.mean(axis=(0, 1)), *interval(table))
    better = None if first is None else statistics.probability_better(returns, first.returns)
    return Standing(name, returns, curves, better, sum(evaluation.seconds for evaluation in ours))


def _bounds(interval: Sequence[Any]) -> list[Any]:
    return [reports.plain(bound) for bound in interval]


def _cells(standing: Standing, metric: Metric | None, steps: list[int], has_runs: bool) -> list[str]:
    returns = standing.returns
    cells = [reports.with_interval(returns.mean(), *statistics.mean_interval_over_runs(returns))]
    if has_runs:
        cells.append(reports.with_interval(*statistics.iqm_estimate(returns)))
        cells.append(reports.number(statistics.median_of_top_five(returns)))
    if metric is not None:
        band = standing.curves[metric.curve]
        points = [(band.mean[step], band.low[step], band.high[step]) for step in steps]
        cells += [reports.with_interval(*point, share=metric.is_share) for point in points]
    better = standing.better_than_first
    return [*cells, "" if better is None else reports.with_interval(*better, share=True)]


def standings_in(panel: Mapping[str, Any]) -> dict[str, Any]:
    """What a panel of a summary says of each policy; version 0.1.0 wrote it under another key."""
    standings: dict[str, Any] = panel["policies"] if "policies" in panel else panel["contestants"]
    return standings
