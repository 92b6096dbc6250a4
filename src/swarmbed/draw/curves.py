"""Lines with bands on axes, and logarithmic axes that also take negative returns."""

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullFormatter
from numpy.typing import ArrayLike, NDArray

from swarmbed.draw.style import Style

# 0.01, 0.1, 1, 10 rather than powers of ten.
_PLAIN = FuncFormatter(lambda value, _: f"{value:g}".replace("-", "\N{MINUS SIGN}"))


class Curve(NamedTuple):
    """A line, and the band around it if there is one."""

    x: ArrayLike
    y: ArrayLike
    low: ArrayLike | None = None
    high: ArrayLike | None = None


def draw_curves(axes: Axes, curves: dict[str, Curve], styles: dict[str, Style]) -> None:
    """The lines and their bands; x starts and ends with the data."""
    for name, curve in curves.items():
        style = styles[name]
        if curve.low is not None and curve.high is not None:
            axes.fill_between(curve.x, curve.low, curve.high, color=style.color, alpha=0.18, linewidth=0)  # type: ignore[arg-type]
        axes.plot(curve.x, curve.y, color=style.color, linestyle=style.dashes, linewidth=1.6, label=name)  # type: ignore[arg-type]
    axes.margins(x=0.01)


def log_scale(axes: Axes, curves: Iterable[Curve]) -> None:
    """A logarithmic y axis that fits the data: y ↦ −log₁₀(−y) where all is negative, symmetric where signs differ.

    The lines decide; a band that reaches beyond zero is cut off. A logarithmic axis cannot show zero itself.
    """
    curves = list(curves)
    lines = np.concatenate([np.zeros(0), *(numbers(curve.y) for curve in curves)])
    everything = np.concatenate([lines, *(numbers(part) for curve in curves for part in (curve.low, curve.high))])
    everything = everything[np.isfinite(everything)]
    above, below = everything[everything > 0], everything[everything < 0]
    if (lines > 0).any() and (lines < 0).any():
        axes.set_yscale("symlog", linthresh=max(float(np.abs(everything).max()) / 1000, 1e-12))
    elif (lines < 0).any():
        _negated_log(axes, float(below.min()), float(below.max()))
    elif (lines > 0).any():
        # Five decades below the largest value a line leaves through the bottom.
        axes.set_yscale("log", nonpositive="clip")
        axes.set_ylim(max(above.min(), 1e-5 * above.max()) / 1.1, 1.1 * above.max())
        if above.max() <= 3 * above.min():
            # There may be no power of ten in between.
            axes.yaxis.set_major_locator(MaxNLocator(4))
        axes.yaxis.set_major_formatter(_PLAIN)
        axes.yaxis.set_minor_formatter(NullFormatter())


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


def numbers(values: ArrayLike | None) -> NDArray[np.floating[Any]]:
    """Anything that can be plotted as one row of floats; nothing as none."""
    return np.zeros(0) if values is None else np.asarray(values, float).ravel()
