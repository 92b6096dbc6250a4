"""Results for people and for files: numbers with their intervals, tables, JSON."""

import html
import io
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.files import write_atomically
from swarmbed.tasks.base import Task
from swarmbed.tasks.metric import Metric

WIDE = 240  # columns where no terminal sets a width


def steps_to_show(metric: Metric, horizon: int) -> list[int]:
    """The points in time at which a table shows a curve: a few early ones and the last."""
    early = (0, 50, 100, 200) if metric.kind == "level" else (50, 100, 200, 500)
    return [*(step for step in early if step < horizon), horizon]


def plain(values: ArrayLike) -> Any:
    """Arrays as lists and numbers of seven digits, which is what the simulator computes with."""
    array = np.asarray(values)
    rounded = [float(f"{value:.7g}") for value in array.reshape(-1)]
    return rounded if array.ndim else rounded[0]


def number(value: float) -> str:
    """Four digits, with a true minus sign."""
    return f"{value:.4g}".replace("-", "−")


def sizes_text(sizes: Sequence[int]) -> str:
    """Sizes as the command line writes them: ``20``, ``5..50`` or ``5,10,20``."""
    whole = len(sizes) > 2 and list(sizes) == list(range(sizes[0], sizes[-1] + 1))
    return f"{sizes[0]}..{sizes[-1]}" if whole else ",".join(map(str, sizes))


def sizes_of(task: Task) -> tuple[int, ...]:
    """The sizes that a swarm can have when an episode begins."""
    return tuple(getattr(task, "sizes", ())) or (task.num_agents,)


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def interval(low: float, high: float, *, share: bool = False) -> str:
    """``−11.9 … −11.5``."""
    show = percent if share else number
    return f"{show(low)} … {show(high)}"


def with_interval(value: float, low: float, high: float, *, share: bool = False) -> str:
    """``−11.7 [−11.9, −11.5]``; as percentages if it is a share."""
    if share:
        return f"{percent(value)} [{100 * low:.1f}, {100 * high:.1f}]"
    return f"{number(value)} [{number(low)}, {number(high)}]"


def plain_table() -> Table:
    """A table in the shared look."""
    return Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")


def show(title: str | None, table: Table) -> None:
    """Print a table under a title, unless it has its own. Without a terminal, lines are as long as they need to be."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDE)
    if title is not None:
        console.print(title, style="bold", highlight=False)
    if Console(width=WIDE).measure(table).minimum <= console.width:
        console.print(table, highlight=False)
    else:  # it would cut numbers off
        _show_as_list(console, table)


def _show_as_list(console: Console, table: Table) -> None:
    """Every row as lines of its own: the first cell, and below it the others."""
    if table.title:
        console.print(table.title, style="bold", highlight=False)
    for row in zip(*(column.cells for column in table.columns), strict=True):
        for place, (column, cell) in enumerate(zip(table.columns, row, strict=True)):
            if cell:
                line = Text(": ".join(str(part) for part in (column.header, cell) if part))
                console.print(Padding(line, (0, 0, 0, 2 if place else 0), expand=False))
    if table.caption:
        console.print(table.caption, highlight=False)


def as_text(title: str, table: Table) -> str:
    """A table under its title, for ``print``."""
    console = Console(width=WIDE, file=io.StringIO(), color_system=None)
    with console.capture() as captured:
        console.print(title, highlight=False)
        console.print(table, highlight=False)
    return "\n".join(line.rstrip() for line in captured.get().rstrip().splitlines())


def as_html(title: str, table: Table) -> str:
    """The same for a notebook."""
    return f"<pre>{html.escape(as_text(title, table))}</pre>"


def check_output(path: str | None, flag: str, endings: tuple[str, ...] = ()) -> None:
    """Raise an error before the work if its result could not be written. Missing folders will be created."""
    if path is not None and Path(path).is_dir():
        raise SwarmbedError(f"{flag} must name a file, but {path} is a folder")
    if path is not None and endings and Path(path).suffix.lower() not in endings:
        raise SwarmbedError(f"{flag} must end in one of {', '.join(endings)}, which {path} does not")
    if path is not None and not Path(path).exists():
        folder = next(folder for folder in Path(path).absolute().parents if folder.exists())
        if not folder.is_dir():
            raise SwarmbedError(f"{flag} cannot be written: {folder} is not a folder")
        if not os.access(folder, os.W_OK):
            raise SwarmbedError(f"{flag} cannot be written: there is no right to write to {folder}")


def write_json(path: str, report: dict[str, Any]) -> None:
    """One line per key; long lists would otherwise take thousands of lines."""
    lines = [f" {json.dumps(key)}: {json.dumps(value, allow_nan=False)}" for key, value in report.items()]
    write_atomically(Path(path), ("{\n" + ",\n".join(lines) + "\n}\n").encode())
