"""Tables of metrics as a run writes them, with the numbers that a test chooses."""

from math import nan
from pathlib import Path

from swarmbed.run.folder import COLUMNS
from swarmbed.spec import table


def write_metrics(path: Path, *rows: table.Row) -> None:
    """One row after the other; ``iteration`` counts them, and what a row does not name is unknown."""
    columns = (*COLUMNS, *(name for name in {name: None for row in rows for name in row} if name not in COLUMNS))
    numbered = [{"iteration": float(number)} | row for number, row in enumerate(rows, start=1)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(table.write(columns, [{name: row.get(name, nan) for name in columns} for row in numbered]))
