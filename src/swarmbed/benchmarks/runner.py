"""Runs benchmarks one after the other, each alone in a process on its own cores, and collects what they found."""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from swarmbed import __version__
from swarmbed.benchmarks import Effort, Group, Row
from swarmbed.benchmarks.machine import describe
from swarmbed.spec.files import write_atomically

Report = dict[str, Any]
ONE_CORE_FLAG = "--xla_cpu_multi_thread_eigen=false"


def new_report(effort: Effort) -> Report:
    """A report without results: who ran what, where and when."""
    return {
        "swarmbed": __version__,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "quick": effort.quick,
        "repetitions": effort.repetitions,
        "machine": describe(),
        "groups": {},
    }


def run_group(name: str, group: Group, effort: Effort, on_row: Callable[[Row], None]) -> dict[str, Any]:
    """Measure a group: its title and, by row, what was found or, if nothing was, a sentence that says why."""
    results = {}
    for row in group.rows:
        on_row(row)
        results[row.name] = {"title": row.title, **run_row(name, row, effort)}
    return {"title": group.title, "rows": results}


def save(report: Report, path: Path) -> None:
    """Write a report as JSON, formatted for line-by-line comparison."""
    write_atomically(path, (json.dumps(report, indent=1, allow_nan=False) + "\n").encode())


def run_row(group: str, row: Row, effort: Effort) -> dict[str, Any]:
    """Measure one row in a process of its own."""
    command = [sys.executable, "-m", "swarmbed.benchmarks.worker"]
    command += [group, row.name, str(effort.repetitions), str(effort.quick)]
    with tempfile.TemporaryFile("w+") as errors, confined_to(row.cores) as pinned:
        worker = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment(row.cores))
        try:
            found = _listen(worker, effort)
            worker.wait()
        finally:
            worker.kill()
            worker.wait()
        if found is None:
            errors.seek(0)
            return {"failed": f"the measurement ended with exit code {worker.returncode}: {last_words(errors.read())}"}
    return {**found, "pinned": pinned} if "unavailable" not in found else found


def last_words(errors: str) -> str:
    """The line that says what went wrong: the last that names an error, or else the last."""
    lines = errors.strip().splitlines() or ["it said nothing"]
    named = [line for line in lines if re.match(r"[\w.]+(Error|Exception|Interrupt)\b", line)]
    return (named or lines)[-1]


def _listen(worker: "subprocess.Popen[str]", effort: Effort) -> dict[str, Any] | None:
    """Pass notes on until the result arrives; None if the process ends without one."""
    assert worker.stdout is not None
    for line in worker.stdout:
        answer = json.loads(line)
        if "note" in answer:
            effort.say(answer["note"])
        elif "result" in answer:
            return dict(answer["result"])
        else:
            return dict(answer)
    return None


def environment(cores: int) -> dict[str, str]:
    """Our own environment, with JAX on the CPU, no compilation cache, and on one core without extra threads."""
    flags = os.environ.get("XLA_FLAGS", "").split()
    if cores == 1 and ONE_CORE_FLAG not in flags:
        flags.append(ONE_CORE_FLAG)
    return {
        **os.environ,
        "XLA_FLAGS": " ".join(flags),
        "JAX_PLATFORMS": "cpu",
        "JAX_ENABLE_COMPILATION_CACHE": "false",
    }


@contextmanager
def confined_to(cores: int) -> Iterator[list[int] | None]:
    """Processes started inside may run on this many cores only. Yields which, or None if the system cannot do that.

    A new process inherits the cores of the thread that starts it, so it is confined before its first instruction.
    """
    if not hasattr(os, "sched_setaffinity"):
        yield None
        return
    allowed = os.sched_getaffinity(0)
    # The last ones: the first core of a machine also serves most of its interrupts.
    chosen = sorted(allowed)[-cores:]
    os.sched_setaffinity(0, chosen)
    try:
        yield chosen
    finally:
        os.sched_setaffinity(0, allowed)
