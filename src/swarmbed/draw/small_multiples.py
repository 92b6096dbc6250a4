"""Many small panels with one legend, each with its own horizontal axis and all with the same vertical one."""

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from swarmbed.draw.curves import Curve, draw_curves, numbers
from swarmbed.draw.style import GREY, INK, new_figure, plain_axes, styles_of

COLUMNS = 4
LOWEST = -0.5  # of the vertical axis: anything worse need not be readable


def multiples_figure(panels: dict[str, dict[str, Curve]], *, ylabel: str, lines: Sequence[float]) -> Figure:
    """One panel per key, shares on the vertical axis; ``lines`` are marked across each."""
    columns = min(len(panels), COLUMNS) or 1
    rows = math.ceil(len(panels) / columns) or 1
    figure = new_figure(0.8 + 2.5 * columns, 0.8 + 2.3 * rows)
    grid = figure.subplots(rows, columns, squeeze=False, sharey=True)
    styles = styles_of(dict.fromkeys(name for panel in panels.values() for name in panel))
    for index, (title, panel) in enumerate(panels.items()):
        axes = plain_axes(grid.flat[index], title=title)
        axes.title.set_fontsize(9)
        for height in lines:
            axes.axhline(height, color=GREY, linewidth=0.6, linestyle=":")
        draw_curves(axes, panel, styles)
        for name, curve in panel.items():
            axes.plot(curve.x, curve.y, "o", markersize=2.5, color=styles[name].color)  # type: ignore[arg-type]
    everything = np.concatenate([np.ones(1), *(numbers(c.y) for panel in panels.values() for c in panel.values())])
    everything = everything[np.isfinite(everything)]
    grid.flat[0].set_ylim(max(min(everything.min(), 0.0), LOWEST) - 0.05, min(everything.max(), 1.5) + 0.08)
    for unused in grid.flat[len(panels) :]:
        unused.set_visible(False)
    figure.supylabel(ylabel, fontsize=10, color=INK)
    handles = [
        Line2D([], [], color=s.color, linestyle=s.dashes, marker="o", markersize=3, label=name)
        for name, s in styles.items()
    ]
    if handles:
        figure.legend(
            handles=handles, loc="outside upper center", ncols=min(len(handles), columns), frameon=False, fontsize=9,
            labelcolor=INK,
        )  # fmt: skip
    return figure
