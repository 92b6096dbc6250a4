"""The look that all pictures share.

Colours are those of Okabe and Ito, which colour-blind readers can tell apart; a method has the same colour everywhere.
Figures are matplotlib objects and never use its global state, so they work in threads and notebooks alike.
"""

import io
from collections.abc import Iterable
from itertools import cycle
from pathlib import Path
from typing import Literal, NamedTuple

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.files import write_atomically

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILLION, PURPLE, GREY = "#0072B2", "#D55E00", "#CC79A7", "#7F7F7F"
INK, FAINT = "#333333", "#D9D9D9"


Dashes = Literal["-", "--", "-.", ":"]


class Style(NamedTuple):
    """How the line of one method looks."""

    color: str
    dashes: Dashes = "-"


DASHES: tuple[Dashes, ...] = ("-", "--", ":", "-.")


# Policies on the extended set are blue, on smaller sets a lighter blue; hand-written rules are dark and dashed.
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


def _variants(style: Style) -> list[Style]:
    return [style, *(Style(style.color, dashes) for dashes in DASHES if dashes != style.dashes)]


def styles_of(names: Iterable[str]) -> dict[str, Style]:
    """A style for every name: the method's own, also with a suffix such as "NN+ 2x"; an unused one for strangers."""
    chosen: dict[str, Style] = {}
    by_name = {name.lower(): style for name, style in METHOD_STYLES.items()}
    names = list(names)
    for name in names:
        own = by_name.get(name.lower()) or by_name.get(name.lower().split(" ")[0])
        if own is not None:
            # Two of one method side by side share its colour and differ in their dashes.
            free = (style for style in _variants(own) if style not in chosen.values())
            chosen[name] = next(free, own)
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
    make_folder(path)
    write_atomically(path, page.getvalue())
    return path


def svg_of(figure: Figure) -> str:
    """A figure as an ``<svg>`` element to put into a page; it shrinks with the page where that is too narrow."""
    page = io.BytesIO()
    figure.savefig(page, format="svg", metadata={"Date": None})
    text = page.getvalue().decode()
    # What comes before the element is for files of their own.
    return text[text.index("<svg") :].strip().replace("<svg ", '<svg style="max-width: 100%; height: auto" ', 1)


def make_folder(path: Path) -> None:
    """Make the folder that a file goes into, or say why the file cannot be there."""
    if path.is_dir():
        raise SwarmbedError(f"{path} is a folder; name a file to write")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise SwarmbedError(f"{path} cannot be written: {error.filename} is not a folder") from error
