"""Two installed versions of swarmbed, measured in turn in one run, so that a busy machine slows both alike.

python benchmarks/side_by_side.py OLD_PYTHON NEW_PYTHON [--pairs 9] [--json FILE] [ROW ...]

OLD_PYTHON and NEW_PYTHON are the interpreters of two environments. Each row is one process per version that has
compiled before the clock starts; they take turns of a second or so, and what is reported is the median of the pairs'
ratios with the quartiles beside it. Nothing else should run.
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

ROWS = {
    **{
        f"simulate-{name}": ("simulate", name)
        for name in ("rendezvous", "rendezvous-local", "pursuit", "pursuit-local", "multi-pursuit")
    },
    **{f"kernel-{kind}": ("kernel", kind) for kind in ("forward", "gradient", "fisher")},
    **{f"train-{name}": ("train", name) for name in ("rendezvous", "pursuit", "multi-pursuit")},
    **{f"train-{name}-two": ("train on two devices", name) for name in ("rendezvous", "pursuit", "multi-pursuit")},
}

# Runs in either version: it uses what the benchmarks of both have in common.
WORKER = """
import sys, time
kind, name = sys.argv[1:]
try:
    from swarmbed.compute import devices
except ImportError:
    from swarmbed import devices
count = 2 if kind.endswith("two devices") else 1
devices.set_up(count, cache=False)
import jax
from swarmbed import tasks
from swarmbed.benchmarks import kernels, simulator, training
if kind == "simulate":
    make = getattr(tasks, "make", None) or tasks.make_task
    call = simulator.stepper(make(name), 64, 64)
elif kind == "kernel":
    call = kernels._kernel(name)[0]
else:
    iterations = getattr(training, "iterations", None) or training._iterations
    call = iterations(training.learner_of(name), count)
def run(calls):
    began = time.perf_counter()
    for _ in range(calls):
        jax.block_until_ready(call())
    return time.perf_counter() - began
run(2)
calls = max(1, round(1.0 / run(1)))
print(calls, flush=True)
for line in sys.stdin:
    print(run(int(line)) / int(line), flush=True)
"""


class Version:
    """One row in one environment, ready to run."""

    def __init__(self, python: str, kind: str, name: str) -> None:
        pipe = subprocess.PIPE
        command = [python, "-c", WORKER, kind, name]
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, bufsize=1)
        self.calls = int(self._line())

    def seconds(self, calls: int) -> float:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{calls}\n")
        return float(self._line())

    def _line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def measure(old_python: str, new_python: str, row: str, pairs: int) -> dict[str, Any]:
    """Seconds of both, and how many times as fast the new one is."""
    old, new = (Version(python, *ROWS[row]) for python in (old_python, new_python))
    calls = max(1, (old.calls + new.calls) // 2)
    times = [(old.seconds(calls), new.seconds(calls)) for _ in range(pairs)]
    old.close(), new.close()
    ratios = [before / after for before, after in times]
    low, middle, high = statistics.quantiles(ratios, n=4)
    before, after = (statistics.median(column) for column in zip(*times, strict=True))
    return {"old_seconds": before, "new_seconds": after, "ratio": middle, "quartiles": [low, high], "pairs": pairs}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"some of {', '.join(ROWS)}; all by default")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--json", type=Path)
    options = parser.parse_intermixed_args()
    unknown = set(options.rows) - set(ROWS)
    if unknown:
        sys.exit(f"no such row: {', '.join(sorted(unknown))}")
    results: dict[str, Any] = {}
    for row in options.rows or ROWS:
        results[row] = found = measure(options.old, options.new, row, options.pairs)
        low, high = found["quartiles"]
        print(
            f"{row:28} {1000 * found['old_seconds']:9.2f} ms → {1000 * found['new_seconds']:9.2f} ms   "
            f"{found['ratio']:.3f} times as fast (quartiles {low:.3f} … {high:.3f})",
            flush=True,
        )
        if options.json:
            options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
