"""The rows of metrics.csv with which a run goes on: those that its checkpoint knows of."""

import math

from swarmbed.run.checkpoint import Checkpoint
from swarmbed.run.folder import RunFolder, say
from swarmbed.spec import table
from swarmbed.spec.table import Row


def kept_rows(folder: RunFolder, point: Checkpoint) -> list[Row]:
    """The rows of metrics.csv up to a checkpoint; rows that differ from the checkpoint's are reported and
    repaired."""
    if point.iteration == 0:
        return []
    complaints: list[str] = []
    found = [row for row in folder.read_metrics(complaints.append) if row["iteration"] <= point.iteration]
    if point.rows is None:
        for complaint in complaints:
            say(complaint)
        return found
    written = {row["iteration"]: row for row in found}
    wrong = [row["iteration"] for row in point.rows if not _same(written.get(row["iteration"], {}), row)]
    if wrong or complaints:
        which = ", ".join(f"{number:g}" for number in wrong[:5]) + (", …" if len(wrong) > 5 else "")
        rows = f"; the rows of iterations {which} differ from the checkpoint's" if wrong else ""
        first = f" ({complaints[0]})" if complaints else ""
        say(f"{folder.metrics} is damaged{first}{rows}; it is rewritten from the checkpoint")
    return point.rows


def _same(found: Row, known: Row) -> bool:
    """Whether a row in the file agrees with the known numbers, as far as a file can represent them."""
    return table.line([found.get(name, math.nan) for name in known]) == table.line(list(known.values()))
