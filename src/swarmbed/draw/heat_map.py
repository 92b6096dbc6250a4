"""Matrices as coloured cells with their numbers written in them, one below the other and with one colour scale."""

from collections.abc import Sequence
from typing import NamedTuple

from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from swarmbed.draw.style import FAINT, INK, new_figure

CELL_WIDTH, CELL_HEIGHT = 1.05, 0.5  # inches
COLOURS = colormaps["Blues"]  # one hue from light to dark reads the same to all readers, and in grey
LIGHTEST, DARKEST = 0.05, 0.85  # of the colour map: text has to be read on it
DARK = 0.6  # the share from which on text is white


class HeatMap(NamedTuple):
    """Cells by row: the text in them, a value and its interval, or None for an empty one; and a share from 0 to 1 that
    is their colour, or None for a grey one."""

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    texts: Sequence[Sequence[tuple[str, str] | None]]
    shares: Sequence[Sequence[float | None]]


def heat_figure(maps: Sequence[HeatMap], *, xlabel: str, scale: str) -> Figure:
    """All maps below each other; ``scale`` says what the colours mean."""
    rows, columns = sum(len(one.rows) for one in maps), max(len(one.columns) for one in maps)
    figure = new_figure(2.6 + CELL_WIDTH * columns, 0.6 + 0.95 * len(maps) + CELL_HEIGHT * rows)
    grid = figure.subplots(len(maps), 1, squeeze=False, height_ratios=[len(one.rows) for one in maps])[:, 0]
    for axes, one in zip(grid, maps, strict=True):
        _draw(axes, one)
        axes.set_xlabel(xlabel, fontsize=9, color=INK)
    legend = ScalarMappable(Normalize(0, 1), ListedColormap([colour_of(i / 255) for i in range(256)]))
    bar = figure.colorbar(legend, ax=list(grid), orientation="horizontal", fraction=0.03, pad=0.02, aspect=60)
    bar.set_label(scale, fontsize=9, color=INK)
    bar.ax.tick_params(labelsize=8, colors=INK)
    bar.outline.set_visible(False)  # type: ignore[operator]
    return figure


def colour_of(share: float | None) -> tuple[float, ...] | str:
    """The colour of a share; worse than 0 looks like 0."""
    if share is None:
        return FAINT
    return COLOURS(LIGHTEST + (DARKEST - LIGHTEST) * min(max(share, 0.0), 1.0))


def _draw(axes: Axes, one: HeatMap) -> None:
    for y, (texts, shares) in enumerate(zip(one.texts, one.shares, strict=True)):
        for x, (text, share) in enumerate(zip(texts, shares, strict=True)):
            if text is None:
                continue
            axes.add_patch(Rectangle((x, y), 1, 1, facecolor=colour_of(share), edgecolor="white", linewidth=1.5))
            ink = "white" if share is not None and share >= DARK else INK
            value, interval = text
            axes.text(x + 0.5, y + 0.38, value, ha="center", va="center", fontsize=9, color=ink)
            axes.text(x + 0.5, y + 0.75, interval, ha="center", va="center", fontsize=6.5, color=ink)
    axes.set_xlim(0, len(one.columns))
    axes.set_ylim(len(one.rows), 0)
    axes.set_xticks([x + 0.5 for x in range(len(one.columns))], one.columns, fontsize=8, color=INK)
    axes.set_yticks([y + 0.5 for y in range(len(one.rows))], one.rows, fontsize=8, color=INK)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_title(one.title, fontsize=11, color=INK, loc="left")
