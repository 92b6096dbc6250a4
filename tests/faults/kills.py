"""Processes killed without warning at random times: a resumed run ends as if nothing had happened."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from faults.campaign import Outcome
from faults.place import new_place
from faults.tiny_run import Reference

SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
WORKER = "import sys; from pathlib import Path; from faults import worker; worker.serve()"


class Workers:
    """A process that has everything imported forks into runs, so that a try does not have to import JAX again."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def ask(self, *words: str) -> str:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def kills(chance: random.Random) -> Iterator[Outcome]:
    place = new_place()
    workers = Workers()
    try:
        reference = Reference(place / "reference")
        run = place / "run"
        length = min(_whole(workers, place / name) for name in ("first", "second"))  # the first one compiles
        while True:
            shutil.rmtree(run, ignore_errors=True)
            how, after = chance.choice(SIGNALS), chance.uniform(0, 1.1 * length)
            process = int(workers.ask("begin", str(run)))
            time.sleep(after)
            os.kill(process, how)
            ended = workers.ask("wait", str(process))
            words = workers.ask("finish", str(run))
            wrong = words if words != "done" else reference.difference(run)
            allowed = {0, 128 + how, -how}
            if int(ended) not in allowed and wrong is None:
                wrong = f"it ended with {ended}"
            yield None if wrong is None else f"{how.name} after {after:.2f} s: {wrong}"
    finally:
        workers.close()
        shutil.rmtree(place, ignore_errors=True)


def _whole(workers: Workers, run: Path) -> float:
    """How long a run takes that nobody stops."""
    began = time.monotonic()
    workers.ask("wait", workers.ask("begin", str(run)))
    return time.monotonic() - began
