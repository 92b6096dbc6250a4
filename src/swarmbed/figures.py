"""Curves on paper: one plotting style for learning curves, comparisons over time and the log of a run.

Everything uses matplotlib's objects and never its global state, so that it works in threads and notebooks alike.
Colours are those of Okabe and Ito, which colour-blind readers can tell apart; a method has the same colour everywhere.
"""

import csv
import io
import math
from collections.abc import Iterable, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter
from numpy.typing import ArrayLike, NDArray

from swarmbed.errors import SwarmbedError

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILLION, PURPLE, GREY = "#0072B2", "#D55E00", "#CC79A7", "#7F7F7F"
INK, FAINT = "#333333", "#D9D9D9"


class Style(NamedTuple):
    """How the line of one method looks."""

    color: str
    dashes: Literal["-", "--", "-.", ":"] = "-"


# Learned on the extended set is blue, on less a lighter blue; rules that nobody trained are dark and dashed.
METHOD_STYLES: dict[str, Style] = {
    "NN++": Style(VERMILLION),
    "NN+": Style(BLUE),
    "NN": Style(SKY),
    "RBF": Style(GREEN),
    "HIST": Style(ORANGE),
    "CONCAT+": Style(PURPLE),
    "PD": Style(BLACK, "--"),
    "consensus": Style(BLACK, "--"),
    "Voronoi": Style(BLACK, "--"),
    "voronoi_pursuit": Style(BLACK, "--"),
    "random": Style(GREY, ":"),
    "mean": Style(BLUE),
    "softmax": Style(ORANGE),
    "max": Style(GREEN),
    "M+": Style(ORANGE),
    "MS+": Style(GREEN),
    "MSS+": Style(PURPLE),
    "MSSK+": Style(VERMILLION),
}
_COLORS = (BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY)
_SPARE = [*map(Style, _COLORS), *(Style(color, "--") for color in _COLORS), *(Style(color, ":") for color in _COLORS)]
_NEEDED = ("iteration", "mean_return", "kl", "entropy", "explained_variance")


# 0.01, 0.1, 1, 10 rather than powers of ten.
_PLAIN = FuncFormatter(lambda value, _: f"{value:g}".replace("-", "\N{MINUS SIGN}"))


class Curve(NamedTuple):
    """A line, and the band around it if there is one."""

    x: ArrayLike
    y: ArrayLike
    low: ArrayLike | None = None
    high: ArrayLike | None = None


def styles_of(names: Iterable[str]) -> dict[str, Style]:
    """A style for every name: the method's own, also with a suffix such as "NN+ 2x"; an unused one for strangers."""
    chosen: dict[str, Style] = {}
    by_name = {name.lower(): style for name, style in METHOD_STYLES.items()}
    names = list(names)
    for name in names:
        own = by_name.get(name.lower()) or by_name.get(name.lower().split(" ")[0])
        if own is not None:
            chosen[name] = own
    spare = cycle([style for style in _SPARE if style not in chosen.values()] or _SPARE)
    return {name: chosen[name] if name in chosen else next(spare) for name in names}


def new_figure(width: float, height: float, dpi: int = 150) -> Figure:
    """An empty white page of this many inches, not known to pyplot."""
    layout = ConstrainedLayoutEngine(w_pad=0.07, h_pad=0.07)
    figure = Figure(figsize=(width, height), dpi=dpi, facecolor="white", layout=layout)
    FigureCanvasAgg(figure)
    return figure


def plain_axes(axes: Axes, *, xlabel: str = "", ylabel: str = "", title: str = "") -> Axes:
    """Give axes the shared look: two spines, a faint grid, labels in dark grey."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(INK)
    axes.tick_params(which="both", colors=INK, labelsize=9)
    axes.grid(True, color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel(xlabel, fontsize=10, color=INK)
    axes.set_ylabel(ylabel, fontsize=10, color=INK)
    axes.set_title(title, fontsize=11, color=INK)
    return axes


def save(figure: Figure, path: str | Path) -> Path:
    """Write a figure; the file appears only once it is complete. The extension decides the format."""
    path = Path(path)
    kind = path.suffix.removeprefix(".").lower()
    allowed = figure.canvas.get_supported_filetypes()
    if kind not in allowed:
        known = ", ".join(f".{name}" for name in sorted(allowed))
        raise SwarmbedError(f"figure {path} must end in one of: {known}")
    page = io.BytesIO()
    figure.savefig(page, format=kind)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(page.getvalue())
    return path


def learning_curves(
    curves: dict[str, Curve], path: str | Path, *, ylabel: str, log: bool = False, xlabel: str = "iteration"
) -> Path:
    """One panel, one line per method, better upwards; ``log`` spreads negative returns out as −1, −10, −100."""
    figure = new_figure(5.6, 3.8)
    axes = plain_axes(figure.add_subplot(), xlabel=xlabel, ylabel=ylabel)
    draw_curves(axes, curves, styles_of(curves))
    if log:
        log_scale(axes, curves.values())
    if curves:
        axes.legend(frameon=False, fontsize=9, labelcolor=INK)
    return save(figure, path)


def comparison_figure(
    curves: dict[str, dict[str, Curve]],
    path: str | Path,
    *,
    ylabel: str,
    log: bool = False,
    xlabel: str = "time step",
) -> Path:
    """One panel per outer key, such as a number of agents; the same scale and one legend for all of them."""
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
    return save(figure, path)


def draw_curves(axes: Axes, curves: dict[str, Curve], styles: dict[str, Style]) -> None:
    """The lines and their bands; x starts and ends with the data."""
    for name, curve in curves.items():
        style = styles[name]
        if curve.low is not None and curve.high is not None:
            axes.fill_between(curve.x, curve.low, curve.high, color=style.color, alpha=0.18, linewidth=0)  # type: ignore[arg-type]
        axes.plot(curve.x, curve.y, color=style.color, linestyle=style.dashes, linewidth=1.6, label=name)  # type: ignore[arg-type]
    axes.margins(x=0.01)


def log_scale(axes: Axes, curves: Iterable[Curve]) -> None:
    """A logarithmic y axis that fits the data: y ↦ −log₁₀(−y) where all is negative, symmetric where signs differ."""
    parts = [_numbers(part) for curve in curves for part in (curve.y, curve.low, curve.high)]
    values = np.concatenate([np.zeros(0), *parts])
    values = values[np.isfinite(values)]
    positive, negative = values[values > 0], values[values < 0]
    if negative.size and not positive.size:
        # Lines end where the log does: a return of exactly 0 has no place on this axis.
        _negated_log(axes, float(negative.min()), float(negative.max()))
    elif positive.size and not negative.size:
        # Zero has no logarithm; five decades below the largest value a line leaves through the bottom.
        axes.set_yscale("log", nonpositive="clip")
        axes.set_ylim(max(positive.min(), 1e-5 * positive.max()) / 1.1, 1.1 * positive.max())
        if positive.max() > 3 * positive.min():
            axes.yaxis.set_major_formatter(_PLAIN)
            axes.yaxis.set_minor_formatter(NullFormatter())
    elif values.size:
        axes.set_yscale("symlog", linthresh=max(float(np.abs(values).max()) / 1000, 1e-12))


def _negated_log(axes: Axes, lowest: float, highest: float) -> None:
    def forward(y: ArrayLike) -> NDArray[np.floating[Any]]:
        return np.asarray(-np.log10(np.maximum(-np.asarray(y, float), 1e-300)))

    axes.set_yscale("function", functions=(forward, lambda z: -(10.0 ** -np.asarray(z, float))))
    top, bottom = math.log10(-highest), math.log10(-lowest)
    room = max(0.05 * (bottom - top), 0.03)
    axes.set_ylim(-(10 ** (bottom + room)), -(10 ** (top - room)))
    exponents = range(math.floor(top - room) - 1, math.ceil(bottom + room) + 1)
    steps = (1,) if bottom - top > 2.5 else (1, 2, 5) if bottom - top > 0.6 else (1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9)
    labelled = [-step * 10.0**exponent for exponent in exponents for step in steps]
    axes.yaxis.set_major_locator(FixedLocator(labelled))
    axes.yaxis.set_minor_locator(FixedLocator([-step * 10.0**e for e in exponents for step in range(1, 10)]))
    axes.yaxis.set_major_formatter(_PLAIN)
    axes.yaxis.set_minor_formatter(NullFormatter())


def training_curve(metrics_csv_path: str | Path, out_path: str | Path) -> Path:
    """The log of one run: the mean return on top; KL, entropy, explained variance and, if there, captures below."""
    columns = read_metrics(Path(metrics_csv_path))
    names = {"kl": "KL divergence", "entropy": "entropy (nats)", "explained_variance": "explained variance"}
    if "captured" in columns:
        names["captured"] = "share captured"
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
    axes.set_xlim(_span(iteration))
    axes.set_title(_effort(columns), loc="right", fontsize=9, color=GREY)
    for axes, (column, label) in zip(bottom.subplots(1, len(names)), names.items(), strict=True):
        curve = Curve(iteration, columns[column])
        draw_curves(plain_axes(axes, title=label, xlabel="iteration"), {"": curve}, {"": _line_or_dot(axes, curve)})
        axes.title.set_fontsize(9)
        axes.set_xlim(_span(iteration))
    return save(figure, out_path)


def read_metrics(path: Path) -> dict[str, NDArray[np.floating[Any]]]:
    """The columns of a metrics.csv; an empty field, such as the return before any episode ended, is NaN."""
    if not path.is_file():
        raise SwarmbedError(f"metrics file {path} does not exist")
    with path.open(newline="", encoding="utf-8", errors="replace") as file:
        header, *rows = list(csv.reader(file)) or [[]]
    missing = [name for name in _NEEDED if name not in header]
    if missing:
        raise SwarmbedError(f"metrics file {path} has no column {', '.join(missing)}")
    if not rows:
        raise SwarmbedError(f"metrics file {path} has no row yet: the run has not finished an iteration")
    numbers = [_row(row, len(header), f"line {line} of {path}") for line, row in enumerate(rows, start=2)]
    return dict(zip(header, np.array(numbers, float).T, strict=True))


def _span(iteration: NDArray[np.floating[Any]]) -> tuple[float, float]:
    """The same x axis for every panel, whatever rows they have numbers for."""
    first, last = float(np.nanmin(iteration)), float(np.nanmax(iteration))
    room = max(0.01 * (last - first), 0.5 if last == first else 0.0)
    return first - room, last + room


def _effort(columns: dict[str, NDArray[np.floating[Any]]]) -> str:
    """What the run has cost so far, in words."""
    words = [f"{len(columns['iteration'])} iterations"]
    if "env_steps" in columns:
        words.append(f"{np.nanmax(columns['env_steps']) / 1e6:.3g} million environment steps")
    if "seconds" in columns:
        words.append(f"{np.nanmax(columns['seconds']) / 60:.3g} minutes")
    return " · ".join(words)


def _row(fields: Sequence[str], count: int, where: str) -> list[float]:
    if len(fields) != count:
        raise SwarmbedError(f"{where} must have {count} fields, not {len(fields)}")
    try:
        return [float(field) if field.strip() else math.nan for field in fields]
    except ValueError as error:
        raise SwarmbedError(f"{where} must hold numbers only: {error}") from error


def _line_or_dot(axes: Axes, curve: Curve) -> Style:
    """Blue; a run of one iteration has no line, so it gets a dot."""
    x, y = _numbers(curve.x), _numbers(curve.y)
    if np.isfinite(y).sum() == 1:
        axes.plot(x[np.isfinite(y)], y[np.isfinite(y)], "o", color=BLUE, markersize=4)
    return Style(BLUE)


def _numbers(values: ArrayLike | None) -> NDArray[np.floating[Any]]:
    return np.zeros(0) if values is None else np.asarray(values, float).ravel()
