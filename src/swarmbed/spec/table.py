"""Tables of numbers as we write them: plain CSV, one line per row, no quotes. What cannot be read is reported.

If damage puts a quote into such a file, a general CSV reader swallows every line up to the next quote, so lines are
read one by one here.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from math import isfinite, nan
from pathlib import Path
from typing import Any, NamedTuple

Row = dict[str, float]
_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?")
_BEGUN = re.compile(r"[\d.,eE+-]*")  # what a partially written row looks like


class Table(NamedTuple):
    """The columns, the rows that could be read, and one sentence about each line that could not."""

    columns: tuple[str, ...]
    rows: list[Row]
    complaints: list[str]


def read(path: Path) -> Table:
    """A table; a last line without its end is still being written, or was when the process died, and does not count."""
    *whole, rest = path.read_bytes().decode(errors="replace").split("\n")
    header, *lines = whole or [""]
    columns = tuple(header.split(","))
    rows, complaints = [], []
    for number, line in enumerate(lines, start=2):
        cells = line.split(",")
        wrong = [cell for cell in cells if cell and not _NUMBER.fullmatch(cell)]
        if len(cells) != len(columns):
            complaints.append(f"line {number} of {path} must have {len(columns)} fields, not {len(cells)}")
        elif wrong:
            complaints.append(f"line {number} of {path} must hold numbers only, not {wrong[0][:40]!r}")
        else:
            values = (float(cell) if cell else nan for cell in cells)
            rows.append(dict(zip(columns, values, strict=True)))
    if not _BEGUN.fullmatch(rest):
        complaints.append(f"the end of {path} is not part of a row")
    return Table(columns, rows, complaints)


def write(columns: Sequence[str], rows: Sequence[Row]) -> bytes:
    """The bytes of a table that :func:`read` reads back as it was."""
    return "".join(line(cells) for cells in [columns, *([row[name] for name in columns] for row in rows)]).encode()


def line(cells: Sequence[Any]) -> str:
    """One line; NaN is an empty field."""
    return ",".join(map(_cell, cells)) + "\n"


def _cell(value: Any) -> str:
    if isinstance(value, (str, int)):
        return str(value)
    if not isfinite(value):
        return ""
    return str(value) if float(value) != int(value) else str(int(value))


def in_sequence(rows: list[Row], column: str) -> list[Row]:
    """As many rows as possible such that a column increases: damage to one row must not affect others.

    (A longest increasing subsequence; rows whose number is not whole or not positive take no part.)
    """
    best: list[tuple[float, int]] = []  # (number, row) at the end of the best sequence of each length
    before: dict[int, int | None] = {}
    for index, row in enumerate(rows):
        number = row.get(column, nan)
        if not (isfinite(number) and number >= 1 and number == int(number)):
            continue
        length = bisect_left(best, (number, -1))
        before[index] = best[length - 1][1] if length else None
        best[length : length + 1] = [(number, index)]
    chosen: list[Row] = []
    last = best[-1][1] if best else None
    while last is not None:
        chosen.append(rows[last])
        last = before[last]
    return chosen[::-1]
