"""From a command to its first iteration: imports, then compiling with an empty compilation cache and with a filled one.

Everything is measured in fresh processes, as a user at a terminal sees it: ``swarmbed train`` is timed by what it
prints. The batch is small, so the start is timed and not the iteration itself.
"""

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from swarmbed.benchmarks import Column, Effort, Group, Row
from swarmbed.benchmarks.runner import last_words
from swarmbed.benchmarks.timing import rounded

TRAINING = "swarmbed.cli.main, swarmbed.cli.commands.train"
FLAGS = (
    "rendezvous", "--iterations", "1", "--environments", "8", "--segment", "8", "--devices", "1", "--no-curve",
    "--no-video",
)  # fmt: skip
MESSAGE, FIRST = re.compile("^compiling"), re.compile(r"\b1/1\b")


class Start(NamedTuple):
    """Seconds from the start of the process to what it prints: that it compiles, and its first iteration."""

    message: float
    first: float


def imported(modules: str) -> float:
    """Seconds that a fresh process needs to import modules."""
    program = f"import time; began = time.perf_counter(); import {modules}; print(time.perf_counter() - began)"
    return float(subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout)


def started(command: Sequence[str], cache: Path) -> Start:
    """Run a training in a fresh process, with its compilation cache in a folder, and watch what it prints."""
    environment = {name: value for name, value in os.environ.items() if name != "JAX_ENABLE_COMPILATION_CACHE"}
    seen: dict[str, float] = {}
    lines = []
    began = time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        env={**environment, "SWARMBED_CACHE": str(cache), "PYTHONUNBUFFERED": "1"},
    ) as process:  # fmt: skip
        assert process.stderr is not None
        for line in process.stderr:
            lines.append(line)
            for name, pattern in (("message", MESSAGE), ("first", FIRST)):
                if pattern.search(line):
                    seen.setdefault(name, time.perf_counter() - began)
    if process.returncode or len(seen) < 2:
        raise RuntimeError(f"training ended with exit code {process.returncode}: {last_words(''.join(lines))}")
    return Start(**seen)


def measure_import(modules: str, effort: Effort) -> dict[str, Any]:
    imported(modules)  # the first time, Python also writes its bytecode
    seconds = [imported(modules) for _ in range(effort.repetitions)]
    return {"seconds": rounded(statistics.median(seconds), 3), "best_seconds": rounded(min(seconds), 3)}


def measure_training(filled: bool, effort: Effort) -> dict[str, Any]:
    """The median of several starts, each with a cache of its own, or all with one that an earlier start has filled."""
    effort.say("imports")
    imports = statistics.median(imported(TRAINING) for _ in range(effort.repetitions))
    repetitions = max(1, effort.repetitions // 2)
    with tempfile.TemporaryDirectory() as folder:

        def run(number: int) -> Start:
            effort.say(f"start {number} of {repetitions}" if number else "filling the cache")
            out, cache = Path(folder) / f"run-{number}", Path(folder) / ("cache" if filled else f"cache-{number}")
            return started([sys.executable, "-m", "swarmbed", "train", *FLAGS, "--out", str(out)], cache)

        if filled:
            run(0)
        starts = [run(number) for number in range(1, repetitions + 1)]
    first = statistics.median(start.first for start in starts)
    message = statistics.median(start.message for start in starts)
    return {
        "seconds": rounded(first, 3),
        "import_seconds": rounded(imports, 3),
        "import_share": rounded(imports / first, 3),
        "message_seconds": rounded(message, 3),
        "iteration_seconds": rounded(first - message, 3),
        "repetitions": repetitions,
    }


GROUP = Group(
    title="Start-up",
    note="Seconds in fresh processes on one core, median. Training: from the command to its first iteration (of a "
    "small batch), of which imports; from the command to the message that it compiles; from there to the first "
    "iteration.",
    columns=(
        Column("seconds", "s", ".2f"),
        Column("import_seconds", "imports", ".2f"),
        Column("import_share", "share", ".0%"),
        Column("message_seconds", "to message", ".2f"),
        Column("iteration_seconds", "to iteration", ".2f"),
    ),
    rows=(
        Row("import-swarmbed", "import swarmbed", partial(measure_import, "swarmbed")),
        Row("import-training", "import what training needs", partial(measure_import, TRAINING)),
        Row("start-empty", "train, nothing compiled yet", partial(measure_training, False)),
        Row("start-filled", "train, compiled before", partial(measure_training, True)),
    ),
    position=45,
)
