"""Figures: learning curves, comparisons over time, and the log of one run."""

import math
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from swarmbed.draw.curves import Curve, draw_curves, log_scale, numbers
from swarmbed.draw.style import BLUE, GREY, INK, METHOD_STYLES, Style, new_figure, plain_axes, save, styles_of
from swarmbed.spec import table
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks.metric import Metric

__all__ = ["METHOD_STYLES", "Curve", "Style", "comparison_figure", "learning_curves", "read_metrics", "training_curve"]
_NEEDED = ("iteration", "mean_return", "kl", "entropy", "explained_variance")


def learning_curves(
    curves: dict[str, Curve], path: str | Path, *, ylabel: str, log: bool = False, xlabel: str = "iteration"
) -> Path:
    """One panel, one line per method, better upwards; ``log`` spreads negative returns out as −1, −10, −100."""
    return save(learning_figure(curves, ylabel=ylabel, log=log, xlabel=xlabel), path)


def learning_figure(curves: dict[str, Curve], *, ylabel: str, log: bool, xlabel: str) -> Figure:
    figure = new_figure(7.0, 3.8)
    axes = plain_axes(figure.add_subplot(), xlabel=xlabel, ylabel=ylabel)
    draw_curves(axes, curves, styles_of(curves))
    if log:
        log_scale(axes, curves.values())
    if curves:
        # Beside the panel: no corner is free of every method's curve and spread.
        figure.legend(loc="outside right upper", frameon=False, fontsize=9, labelcolor=INK)
    return figure


def comparison_figure(
    curves: dict[str, dict[str, Curve]],
    path: str | Path,
    *,
    ylabel: str,
    log: bool = False,
    xlabel: str = "time step",
) -> Path:
    """One panel per outer key, such as a number of agents; the same scale and one legend for all of them."""
    return save(panels_figure(curves, ylabel=ylabel, log=log, xlabel=xlabel), path)


def panels_figure(curves: dict[str, dict[str, Curve]], *, ylabel: str, log: bool, xlabel: str) -> Figure:
    columns = min(len(curves), 2 if len(curves) in (2, 4) else 3) or 1
    rows = math.ceil(len(curves) / columns) or 1
    figure = new_figure(0.6 + 3.6 * columns, 0.7 + 2.9 * rows)
    grid = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
    styles = styles_of(dict.fromkeys(name for panel in curves.values() for name in panel))
    for index, (title, panel) in enumerate(curves.items()):
        row, column = divmod(index, columns)
        axes = plain_axes(grid[row, column], title=title, ylabel=ylabel if column == 0 else "")
        if index + columns >= len(curves):
            axes.set_xlabel(xlabel, fontsize=10, color=INK)
            axes.tick_params(labelbottom=True)
        draw_curves(axes, panel, styles)
    for unused in grid.flat[len(curves) :]:
        unused.set_visible(False)
    if log:
        log_scale(grid[0, 0], [curve for panel in curves.values() for curve in panel.values()])
    handles = [Line2D([], [], color=s.color, linestyle=s.dashes, label=name) for name, s in styles.items()]
    if handles:
        per_row = min(len(handles), 3 * columns)
        figure.legend(
            handles=handles, loc="outside upper center", ncols=per_row, frameon=False, fontsize=9, labelcolor=INK
        )
    return figure


def training_curve(metrics_csv_path: str | Path, out_path: str | Path, metrics: Sequence[Metric] = ()) -> Path:
    """The log of one run: the mean return on top; KL, entropy, explained variance and the task's metrics below."""
    return save(training_figure(read_metrics(Path(metrics_csv_path)), metrics), out_path)


def training_figure(columns: dict[str, NDArray[np.floating[Any]]], metrics: Sequence[Metric] = ()) -> Figure:
    """``metrics`` are those that the task declares. Every column that holds a number gets a panel: an algorithm without
    a critic, say, has no explained variance."""
    names = {"kl": "KL divergence", "entropy": "entropy (nats)", "explained_variance": "explained variance"}
    logged = {metric.name: metric for metric in metrics if metric.name in columns}
    names |= {name: metric.axis for name, metric in logged.items()}
    names = {name: label for name, label in names.items() if np.isfinite(columns[name]).any()}
    iteration, returns = columns["iteration"], columns["mean_return"]
    figure = new_figure(8.0, 5.2)
    top, bottom = figure.subfigures(2, 1, squeeze=False, height_ratios=[1.7, 1.0])[:, 0]
    axes = plain_axes(top.add_subplot(), xlabel="iteration", ylabel="mean return of an episode")
    known = returns[np.isfinite(returns)]
    if known.size:
        curve = Curve(iteration, returns)
        draw_curves(axes, {"return": curve}, {"return": _line_or_dot(axes, curve)})
        if (known < 0).all() and known.min() < 5 * known.max():
            log_scale(axes, [curve])
    else:
        axes.text(0.5, 0.5, "no whole episode has ended yet", transform=axes.transAxes, ha="center", color=INK)
        axes.set_yticks([])
    _iteration_axis(axes, iteration)
    axes.set_title(_effort(columns), loc="right", fontsize=9, color=GREY)
    panels = bottom.subplots(1, len(names), squeeze=False)[0] if names else []
    for axes, (column, label) in zip(panels, names.items(), strict=True):
        curve = Curve(iteration, columns[column])
        title = textwrap.fill(label, 84 // len(names))  # as many letters as fit over one of so many panels
        draw_curves(plain_axes(axes, title=title, xlabel="iteration"), {"": curve}, {"": _line_or_dot(axes, curve)})
        axes.title.set_fontsize(9)
        if column in logged and logged[column].log:
            log_scale(axes, [curve])
        _iteration_axis(axes, iteration)
    return figure


def read_metrics(path: Path) -> dict[str, NDArray[np.floating[Any]]]:
    """The columns of a metrics.csv; an empty field, such as the return before any episode ended, is NaN."""
    if not path.is_file():
        raise SwarmbedError(f"metrics file {path} does not exist")
    found = table.read(path)
    missing = [name for name in _NEEDED if name not in found.columns]
    if missing:
        raise SwarmbedError(f"metrics file {path} has no column {', '.join(missing)}")
    if found.complaints:
        raise SwarmbedError(found.complaints[0])
    if not found.rows:
        raise SwarmbedError(f"metrics file {path} has no row yet: the run has not finished an iteration")
    return {name: np.array([row[name] for row in found.rows]) for name in found.columns}


def _iteration_axis(axes: Axes, iteration: NDArray[np.floating[Any]]) -> None:
    """The same x axis for every panel, whatever rows they have numbers for, with ticks at whole iterations."""
    first, last = float(np.nanmin(iteration)), float(np.nanmax(iteration))
    room = max(0.01 * (last - first), 0.5 if last == first else 0.0)
    axes.set_xlim(first - room, last + room)
    axes.xaxis.set_major_locator(MaxNLocator("auto", integer=True))


def _effort(columns: dict[str, NDArray[np.floating[Any]]]) -> str:
    """What the run has cost so far, in words."""
    count = len(columns["iteration"])
    words = [f"{count} iteration{'s' if count != 1 else ''}"]
    if "env_steps" in columns:
        words.append(f"{columns['env_steps'][-1]:,.0f} environment steps")
    if "seconds" in columns:
        seconds = columns["seconds"][-1]
        size, unit = (1, "s") if seconds < 120 else (60, "min") if seconds < 7200 else (3600, "h")
        words.append(f"{seconds / size:.3g} {unit}")
    return " · ".join(words)


def _line_or_dot(axes: Axes, curve: Curve) -> Style:
    """Blue; a run of one iteration has no line, so it gets a dot."""
    x, y = numbers(curve.x), numbers(curve.y)
    if np.isfinite(y).sum() == 1:
        axes.plot(x[np.isfinite(y)], y[np.isfinite(y)], "o", color=BLUE, markersize=4)
    return Style(BLUE)
