"""The card that a stress test fills in: what is left of each policy under each disturbance, as table, picture, page.

*What is left* is the share of its undisturbed lead over random actions that a policy keeps:

    kept(s) = (R(s) − F) / (R(0) − F)

with R(s) its mean return at strength s and F that of the random controller, undisturbed, from the same starts.
1 means no loss, 0 no better than random actions in an undisturbed swarm.
"""

import html
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from rich.table import Table

from swarmbed.draw.curves import Curve
from swarmbed.draw.small_multiples import multiples_figure
from swarmbed.draw.style import save, svg_of
from swarmbed.evaluation import reports
from swarmbed.evaluation.statistics import Estimate
from swarmbed.spec import settings
from swarmbed.spec.files import write_atomically
from swarmbed.spec.registry import task_name
from swarmbed.tasks.base import Task
from swarmbed.tasks.disturbances.settings import Kind

TENTH, HALF = 0.9, 0.5  # what is left when a tenth, a half is lost


@dataclass(frozen=True)
class Sweep:
    """One policy under one disturbance; both lists begin with strength 0, where all is left."""

    strengths: tuple[float, ...]
    kept: tuple[Estimate, ...]
    returns: tuple[float, ...]

    def lost_at(self, left: float) -> float | None:
        """The strength at which no more than this is left, interpolated linearly between the strengths tried; None if
        more than that is left at all of them."""
        values = [estimate.value for estimate in self.kept]
        for i in range(1, len(values)):
            if values[i] <= left < values[i - 1]:
                share = (values[i - 1] - left) / (values[i - 1] - values[i])
                return self.strengths[i - 1] + share * (self.strengths[i] - self.strengths[i - 1])
        return None

    @property
    def area(self) -> float:
        """The mean of what is left over all strengths up to the largest: 1 if nothing is lost."""
        x, y = np.array(self.strengths), np.array([estimate.value for estimate in self.kept])
        return float(((y[1:] + y[:-1]) / 2 * np.diff(x)).sum() / (x[-1] - x[0]))


@dataclass(frozen=True)
class StressCard:
    """All sweeps: ``sweeps[disturbance][who]``."""

    task: Task
    kinds: tuple[Kind, ...]
    undisturbed: dict[str, Estimate]
    floor: float
    sweeps: dict[str, dict[str, Sweep]]
    runs: dict[str, int]
    episodes: int
    seed: int

    @property
    def names(self) -> list[str]:
        return list(self.undisturbed)

    @property
    def title(self) -> str:
        agents = reports.sizes_text(reports.sizes_of(self.task))
        return (
            f"{task_name(self.task)} under stress: {agents} agents, {self.episodes} episodes of "
            f"{self.task.horizon} steps from equal starts (seed {self.seed}), 95 % intervals"
        )

    def summary(self) -> dict[str, Any]:
        """Everything as JSON."""
        return {
            "task": task_name(self.task),
            "settings": settings.as_dict(self.task),
            "episodes": self.episodes,
            "seed": self.seed,
            "random_return": reports.plain(self.floor),
            "undisturbed": {
                name: {
                    "return": _number(e.value),
                    "return_ci": [_number(e.low), _number(e.high)],
                    "runs": self.runs[name],
                }
                for name, e in self.undisturbed.items()
            },
            "disturbances": {
                kind.name: {
                    "unit": kind.unit,
                    "policies": {name: _summary(sweep) for name, sweep in self.sweeps[kind.name].items()},
                }
                for kind in self.kinds
            },
        }

    def overview(self) -> Table:
        """The undisturbed return of each policy, and what is left on average over all disturbances."""
        table = reports.plain_table()
        table.add_column("who")
        for heading in ("runs", "return undisturbed", "mean area under the curve"):
            table.add_column(heading, justify="right")
        for name, e in self.undisturbed.items():
            areas = [self.sweeps[kind.name][name].area for kind in self.kinds]
            row = str(self.runs[name]), reports.with_interval(*e), _shown(float(np.mean(areas)))
            table.add_row(name, *row)
        table.add_row("random (the floor)", "", reports.number(self.floor), "0")
        return table

    def table(self) -> Table:
        """At which strength a tenth and a half of the lead is lost, and the area under the curve."""
        table = reports.plain_table()
        table.add_column("disturbance")
        table.add_column("who")
        for heading in ("a tenth lost at", "half lost at", "left at the strongest", "area under the curve"):
            table.add_column(heading, justify="right")
        for kind in self.kinds:
            for name, sweep in self.sweeps[kind.name].items():
                last = sweep.kept[-1]
                if np.isnan(last.value):
                    table.add_row(f"{kind.label}, {kind.unit}", name, "no better than random undisturbed", "", "", "")
                    continue
                cells = [_strength(sweep, left) for left in (TENTH, HALF)]
                left = reports.with_interval(*last, share=True)
                table.add_row(f"{kind.label}, {kind.unit}", name, *cells, left, f"{sweep.area:.2f}".replace("-", "−"))
        return table

    def figure(self) -> Figure:
        """One panel per disturbance, one line with its band per policy."""
        panels = {
            f"{kind.label}\n({kind.unit})": {name: _curve(sweep) for name, sweep in self.sweeps[kind.name].items()}
            for kind in self.kinds
        }
        return multiples_figure(panels, ylabel="share of the lead that is left", lines=(1.0, TENTH, HALF, 0.0))

    def draw(self, path: str | Path) -> Path:
        return save(self.figure(), path)

    def write_page(self, path: str | Path) -> Path:
        """One self-contained file to share."""
        parts = [_html_table(self.overview()), svg_of(self.figure()), _html_table(self.table())]
        page = _PAGE.format(title=html.escape(self.title), overview=parts[0], picture=parts[1], table=parts[2])
        write_atomically(Path(path), page.encode())
        return Path(path)

    def __str__(self) -> str:
        return "\n\n".join([reports.as_text(self.title, self.overview()), reports.as_text("", self.table())])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"{svg_of(self.figure())}\n{_html_table(self.overview())}\n{_html_table(self.table())}"


def _curve(sweep: Sweep) -> Curve:
    values = np.array(sweep.kept)
    return Curve(sweep.strengths, values[:, 0], values[:, 1], values[:, 2])


def _summary(sweep: Sweep) -> dict[str, Any]:
    return {
        "strengths": list(sweep.strengths),
        "kept": [_number(e.value) for e in sweep.kept],
        "kept_ci": [[_number(e.low), _number(e.high)] for e in sweep.kept],
        "return_mean": [_number(value) for value in sweep.returns],
        "tenth_lost_at": sweep.lost_at(TENTH),
        "half_lost_at": sweep.lost_at(HALF),
        "area": _number(sweep.area),
    }


def _number(value: float) -> float | None:
    """JSON has no word for what is not a number."""
    return None if np.isnan(value) else float(reports.plain(value))


def _shown(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.2f}".replace("-", "−")


def _strength(sweep: Sweep, left: float) -> str:
    found = sweep.lost_at(left)
    return f"not by {reports.number(sweep.strengths[-1])}" if found is None else reports.number(found)


def _html_table(table: Table) -> str:
    cell = lambda tag, text: f"<{tag}>{html.escape(str(text))}</{tag}>"  # noqa: E731
    columns = [list(column.cells) for column in table.columns]
    head = "".join(cell("th", column.header) for column in table.columns)
    rows = ["".join(cell("td", text) for text in row) for row in zip(*columns, strict=True)]
    return f"<table><tr>{head}</tr>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"


_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 72rem; margin: 2rem auto; padding: 0 1rem }}
h1 {{ font-size: 1.3rem }}
table {{ border-collapse: collapse; margin: 1rem 0; font-size: 13px }}
th, td {{ text-align: right; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid #e4e4e4 }}
th {{ color: #777; font-weight: normal }}
td:first-child, td:nth-child(2), th:first-child, th:nth-child(2) {{ text-align: left }}
p {{ max-width: 46rem }}
</style>
<h1>{title}</h1>
<p>Each panel sweeps one disturbance by itself. The line is the share of a policy's lead over
random actions that is left: 1 is what it does undisturbed, 0 is the mean return of random actions in an undisturbed
swarm, from the same starts. Bands are 95 % bootstrap intervals over starts and, where a policy was trained several
times, over runs.</p>
{overview}
{picture}
<p>Strengths at which a tenth and a half of the lead are lost are interpolated linearly between the strengths tried. The
area under the curve is the mean of what is left over all strengths from 0 to the strongest.</p>
{table}
</html>
"""
