"""The matrix of a transfer study: rows are policies by what they were trained with, columns the sizes they run with.

Returns of swarms of different sizes are hard to compare: the action cost of rendezvous grows with the swarm, and many
pursuers are close to an evader by chance. Colours therefore compare within a column. They show the share of the best
lead over random actions there,

    share(i, N) = (R(i, N) − F(N)) / (max_k R(k, N) − F(N))

with R the mean of row i and F that of the random controller from the same starts: 1 is the best row of the column, 0 is
no better than random actions. Where no row beats random actions there is no colour.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from rich.table import Table

from swarmbed.draw.heat_map import HeatMap, heat_figure
from swarmbed.draw.style import save, svg_of
from swarmbed.evaluation import reports
from swarmbed.evaluation.statistics import Estimate
from swarmbed.spec import settings
from swarmbed.spec.registry import task_name
from swarmbed.tasks.base import Task

DENSITIES = ("growing", "constant")
FLOOR = "random (the floor)"
NOT_YET = "not measured yet"
SCALE = "share of the best lead over random actions in the column"


@dataclass(frozen=True)
class Cell:
    """One policy with one size of swarm: the mean return, the headline metric at the end, and the return of each
    training. ``overlooking``: episodes in which agents had more neighbours than slots."""

    returns: Estimate
    final: Estimate | None
    return_of_runs: tuple[float, ...]
    overlooking: int = 0

    def summary(self) -> dict[str, Any]:
        report: dict[str, Any] = {"return_mean": reports.plain(self.returns.value)}
        report["return_mean_ci"] = reports.plain(self.returns[1:])
        if self.final is not None:
            report |= {"final": reports.plain(self.final.value), "final_ci": reports.plain(self.final[1:])}
        if len(self.return_of_runs) > 1:
            report["return_of_runs"] = reports.plain(self.return_of_runs)
        return report | ({"episodes_with_overlooked": self.overlooking} if self.overlooking else {})


@dataclass(frozen=True)
class TransferMatrix:
    """``cells[name][size]``; a size with which a policy cannot run is in ``missing[name]``, with the reason."""

    task: Task
    density: str
    tasks: dict[int, Task]
    episodes: dict[int, int]
    trained: dict[str, str]
    cells: dict[str, dict[int, Cell]]
    missing: dict[str, dict[int, str]]
    floor: dict[int, Cell]
    seed: int

    @property
    def sizes(self) -> list[int]:
        return list(self.tasks)

    @property
    def title(self) -> str:
        world = "the task's world" if self.density == "growing" else f"the density of {self.task.num_agents} agents"
        return (
            f"{task_name(self.task)} with swarms of other sizes, in {world}: {self.task.horizon} steps, equal starts "
            f"(seed {self.seed}), 95 % intervals"
        )

    @property
    def remarks(self) -> list[str]:
        """What to mind about these numbers."""
        reasons = {f"{name}: {why}": None for name, all_of in self.missing.items() for why in all_of.values()}
        crowded = [n for n in self.sizes if any(n in row and row[n].overlooking for row in self.cells.values())]
        if crowded:
            reasons[
                f"With {', '.join(map(str, crowded))} agents some had more neighbours than slots and overlooked the "
                "rest; more slots: --neighbour-slots (neighbour_slots in Python)."
            ] = None
        return list(reasons)

    def final_label(self) -> str | None:
        """What the second table shows; None where a task measures nothing."""
        metric = self.task.headline
        return None if metric is None else metric.label_at(self.task.horizon)

    def share(self, name: str, size: int, *, final: bool = False) -> float | None:
        """The share of the best lead over random actions in this column; None where there is none."""
        sign = 1.0
        if final:
            metric = self.task.headline
            if metric is None or metric.better is None:
                return None
            sign = 1.0 if metric.better == "higher" else -1.0
        column = {who: sign * _value(row[size], final) for who, row in self.cells.items() if size in row}
        nothing = sign * _value(self.floor[size], final)
        best = max(column.values(), default=nothing) - nothing
        return None if best <= 0 or name not in column else (column[name] - nothing) / best

    def summary(self) -> dict[str, Any]:
        """Everything as JSON."""
        metric = self.task.headline
        return {
            "task": task_name(self.task),
            "settings": settings.as_dict(self.task),
            "density": self.density,
            "seed": self.seed,
            "metric": None if metric is None else metric.curve,
            "columns": [{"agents": n, "episodes": self.episodes[n], **_world(task)} for n, task in self.tasks.items()],
            "random": {str(n): cell.summary() for n, cell in self.floor.items()},
            "rows": {
                name: {
                    "trained_with": self.trained[name] or None,
                    "runs": self._runs(name),
                    "cells": {str(n): cell.summary() | self._shares(name, n) for n, cell in row.items()},
                    "missing": {str(n): why for n, why in self.missing[name].items()},
                }
                for name, row in self.cells.items()
            },
        }

    def table(self, *, final: bool = False) -> Table:
        """One row per policy, one column per size: the return, or the headline metric at the end."""
        table = reports.plain_table()
        for heading in ("who", "trained with", "runs"):
            table.add_column(heading, justify="left" if heading == "who" else "right")
        for size in self.sizes:
            table.add_column(f"{size} ({self.episodes[size]} episodes)", justify="right")
        for name, row in self.cells.items():
            absent = {n: "not yet" if why == NOT_YET else "cannot run" for n, why in self.missing[name].items()}
            cells = [self._text(row[n], final) if n in row else absent[n] for n in self.sizes]
            table.add_row(name, self.trained[name] or "–", str(self._runs(name)), *cells)
        table.add_row(FLOOR, "–", "1", *(self._text(self.floor[n], final) for n in self.sizes))
        return table

    def tables(self) -> list[tuple[str, Table]]:
        """The return and, where the task measures something, the metric at the end, each under its name."""
        label = self.final_label()
        return [("return", self.table()), *([] if label is None else [(label, self.table(final=True))])]

    def figure(self) -> Figure:
        """A heat map of the return and, where the task measures something, one of the metric at the end."""
        maps = [self._map("mean return", final=False)]
        if (label := self.final_label()) is not None:
            maps.append(self._map(label, final=True))
        return heat_figure(maps, xlabel="run with so many agents", scale=SCALE)

    def draw(self, path: str | Path) -> Path:
        return save(self.figure(), path)

    def __str__(self) -> str:
        parts = [reports.as_text(f"\n{label}", table) for label, table in self.tables()]
        return "\n".join([self.title, *parts, *(f"\n{remark}" for remark in self.remarks)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"{svg_of(self.figure())}\n" + "\n".join(reports.as_html(label, table) for label, table in self.tables())

    def _map(self, title: str, *, final: bool) -> HeatMap:
        rows = [*self.cells, FLOOR]
        cell = lambda name, n: self.floor[n] if name == FLOOR else self.cells[name].get(n)  # noqa: E731
        return HeatMap(
            title,
            [self._row_label(name) for name in rows],
            [f"{n}\n{self.episodes[n]} episodes" for n in self.sizes],
            [[self._value_and_interval(cell(name, n), final) for n in self.sizes] for name in rows],
            [[None if name == FLOOR else self.share(name, n, final=final) for n in self.sizes] for name in rows],
        )

    def _row_label(self, name: str) -> str:
        if name == FLOOR:
            return name
        trained = self.trained[name]
        how = f"trained with {trained}" if trained else ""
        how += f", {self._runs(name)} runs" if self._runs(name) > 1 else ""
        says_it_all = name in (trained, f"trained {trained}")
        return how if says_it_all else f"{name}\n{how}" if how else name

    def _runs(self, name: str) -> int:
        return len(next(iter(self.cells[name].values())).return_of_runs)

    def _shares(self, name: str, size: int) -> dict[str, Any]:
        found = {"share": self.share(name, size), "final_share": self.share(name, size, final=True)}
        return {key: None if value is None else reports.plain(value) for key, value in found.items()}

    def _text(self, cell: Cell, final: bool) -> str:
        estimate = _estimate(cell, final)
        return reports.with_interval(*estimate, share=final and self._is_share)

    def _value_and_interval(self, cell: Cell | None, final: bool) -> tuple[str, str] | None:
        if cell is None:
            return None
        value, low, high = _estimate(cell, final)
        if final and self._is_share:
            return f"{100 * value:.0f} %", f"[{100 * low:.0f}, {100 * high:.0f}]"
        value_text, *bounds = (f"{number:.3g}".replace("-", "−") for number in (value, low, high))
        return value_text, f"[{', '.join(bounds)}]"

    @property
    def _is_share(self) -> bool:
        metric = self.task.headline
        return metric is not None and metric.is_share


def trained_with(tasks: Sequence[Task | None]) -> str:
    """The sizes of the swarms that trainings saw: ``20``, ``5..50``, ``5,10,20``; nothing for those not trained."""
    found = {reports.sizes_text(reports.sizes_of(task)): None for task in tasks if task is not None}
    return " and ".join(found)


def _estimate(cell: Cell, final: bool) -> Estimate:
    found = cell.final if final else cell.returns
    assert found is not None
    return found


def _value(cell: Cell, final: bool) -> float:
    return _estimate(cell, final).value


def _world(task: Task) -> dict[str, float]:
    return {name: float(getattr(task, name)) for name in ("width", "height") if hasattr(task, name)}
