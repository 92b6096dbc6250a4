"""The rows of metrics.csv with which a run goes on: those that its checkpoint knows of."""

import math

from swarmbed.run.checkpoint import Checkpoint
from swarmbed.run.folder import RunFolder
from swarmbed.spec import table
from swarmbed.spec.errors import say
from swarmbed.spec.table import Row


def kept_rows(folder: RunFolder, point: Checkpoint, columns: tuple[str, ...]) -> list[Row]:
    """The rows of metrics.csv up to a checkpoint. Whatever the checkpoint does not know is reported: damage is repaired
    from the checkpoint, and rows after it are removed."""
    complaints: list[str] = []
    found = [row for row in folder.read_metrics(complaints.append) if row["iteration"] <= point.iteration]
    if point.rows is None and point.iteration > 0:  # of an earlier version
        for complaint in complaints:
            say(complaint)
        return found
    known = point.rows or []
    content = folder.metrics.read_bytes() if folder.metrics.is_file() else b""
    after = _after(content, known, columns)
    if complaints or (after is None and known):
        written = {row["iteration"]: row for row in found}
        wrong = [row["iteration"] for row in known if not _same(written.get(row["iteration"], {}), row)]
        which = ", ".join(f"{number:g}" for number in wrong[:5]) + (", …" if len(wrong) > 5 else "")
        rows = f"; the rows of iterations {which} differ from the checkpoint's" if wrong else ""
        first = f" ({complaints[0]})" if complaints else ""
        say(f"{folder.metrics} is damaged{first}{rows}; it is rewritten from the checkpoint")
    elif after or (after is None and content):
        where = f"the checkpoint of iteration {point.iteration}" if known else "the beginning"
        say(f"{folder.metrics} goes on after {where}, where training continues; the rest of it is removed")
    return known


def _after(content: bytes, known: list[Row], columns: tuple[str, ...]) -> bytes | None:
    """What a table holds after the rows that are known, byte for byte; None where it holds others."""
    # A run that an earlier version began may lack a column.
    for names in (columns, tuple(known[0]) if known else columns):
        padded = [{name: row.get(name, math.nan) for name in names} for row in known]
        if content.startswith(expected := table.write(names, padded)):
            return content[len(expected) :]
    return None


def _same(found: Row, known: Row) -> bool:
    """Whether a row in the file agrees with the known numbers, as far as a file can represent them."""
    return table.line([found.get(name, math.nan) for name in known]) == table.line(list(known.values()))
