"""The process in which one row is measured: ``python -m swarmbed.benchmarks.worker GROUP ROW REPETITIONS QUICK``.

It was started on the cores it may use. Its standard output carries nothing but JSON, one object per line:
``{"note": …}`` while it works, then ``{"result": …}``, or ``{"unavailable": …}`` if the row cannot be measured here.
"""

import json
import sys
from pathlib import Path
from typing import Any, TextIO

from swarmbed.benchmarks import Effort, group_of
from swarmbed.benchmarks.timing import rounded
from swarmbed.spec.errors import SwarmbedError

_STATUS = Path("/proc/self/status")


def main(argv: list[str]) -> None:
    group, name, repetitions, quick = argv
    # Whatever a library prints goes to the error stream, not between the lines of JSON.
    answers, sys.stdout = sys.stdout, sys.stderr
    found = group_of(group)
    if found is None:
        raise LookupError(f"{group} holds no GROUP")
    effort = Effort(int(repetitions), quick == "True", lambda text: answer(answers, "note", text))
    (row,) = (row for row in found.rows if row.name == name)
    try:
        facts = row.measure(effort)
    except SwarmbedError as error:
        answer(answers, "unavailable", str(error))
    else:
        answer(answers, "result", {**facts, "cores": row.cores, "peak_memory_mib": peak_memory_mib()})


def answer(stream: TextIO, kind: str, content: Any) -> None:
    print(json.dumps({kind: content}), file=stream, flush=True)


def peak_memory_mib() -> float | None:
    """The most memory that this process ever held."""
    if _STATUS.is_file():
        # getrusage would also count what the process that started this one held at that time.
        (line,) = (line for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM:"))
        return rounded(int(line.split()[1]) / 1024)
    try:
        import resource
    except ImportError:  # not a Unix
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return rounded(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20)


if __name__ == "__main__":
    main(sys.argv[1:])
