"""Draws docs/images/sight.png: ``python docs/make_sight.py``.

Trainings of pursuit-local whose sight shrinks to 20 units at the same rate throughout, slowly on the last ten units,
and by the recipe, which keeps the noise meanwhile as well.
"""

from pathlib import Path

import numpy as np

from swarmbed.draw.style import BLUE, GREY, ORANGE, VERMILLION, new_figure, plain_axes, save
from swarmbed.run.folder import read_rows

RESULTS = Path(__file__).parent.parent / "results"
SHOWN = {
    "at one rate, iterations 60 to 120": (RESULTS / "settings" / "pursuit-local-fast-sight", VERMILLION),
    "slowly from 110 to 230": (RESULTS / "settings" / "pursuit-local-slow-sight", ORANGE),
    "slowly, with noise (the recipe)": (RESULTS / "runs" / "pursuit-local-recipe", BLUE),
}
COLUMNS = {
    "mean_return": "return of training episodes",
    "explained_variance": "variance that the critic explains",
    "entropy": "entropy of the actions",
}
SMOOTH = 10  # iterations of a running mean


def draw() -> Path:
    figure = new_figure(11.0, 3.8)
    panels = zip(figure.subplots(1, len(COLUMNS)), COLUMNS.items(), strict=True)
    for axes, (column, what) in panels:
        plain_axes(axes, xlabel="iteration", ylabel=what)
        for name, (folder, color) in SHOWN.items():
            for number, path in enumerate(sorted(folder.glob("seed-*.csv"))):
                values = np.array([row[column] for row in read_rows(path)])
                mean = np.convolve(values, np.ones(SMOOTH) / SMOOTH, mode="valid")
                axes.plot(
                    np.arange(SMOOTH, len(values) + 1), mean, color=color, linewidth=1, label=name * (number == 0)
                )
        for time in (60, 120, 230):  # sight begins to shrink, has shrunk quickly, has shrunk slowly
            axes.axvline(time, color=GREY, linewidth=0.8, linestyle=":")
        axes.set_xlim(40, 450)
    returns, variance, _ = figure.axes
    returns.set_ylim(-320, 0)
    variance.set_ylim(0, 1)
    returns.legend(loc="lower right", fontsize=8, frameon=False, title="sight shrinks", title_fontsize=8)
    return save(figure, RESULTS.parent / "docs" / "images" / "sight.png")


if __name__ == "__main__":
    print(draw())
