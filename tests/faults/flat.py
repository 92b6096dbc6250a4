"""Memory of a training and of an open viewer over hours: both at a low rate, so that they cost little time.

    python -m faults.flat training --hours 2
    python -m faults.flat viewer --hours 2

Writes JSON as it goes: how far the resident memory was, at most, from its value after everything had been used once.
The hours count from there.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from swarmbed.spec import files

EVERY = 10.0  # seconds between looks
WARMING, LATER = 8.0, 20.0  # seconds between two acts in the viewer, until everything was used once and after that
PACE = 40  # steps per second: the viewer's own
SIZES = (5, 10, 20, 30)  # of the swarm in the viewer


def resident(process: int) -> int:
    """Bytes of memory that a process holds (Linux)."""
    pages = Path(f"/proc/{process}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


class Watch:
    """Looks at a process every now and then."""

    def __init__(self, process: int, hours: float, out: Path) -> None:
        self.process, self.seconds, self.began, self.out = process, 3600 * hours, time.monotonic(), out
        self.samples: list[tuple[float, int]] = []
        self.settled: float | None = None

    def settle(self) -> None:
        """From here on everything has been compiled and used once."""
        if self.settled is None:
            self.settled = time.monotonic() - self.began
            self.samples.append((self.settled, resident(self.process)))

    def is_over(self, what: str, done: int) -> bool:
        """Whether the time is over; what has been seen so far is written every now and then."""
        now = time.monotonic() - self.began
        if not self.samples or now - self.samples[-1][0] >= EVERY:
            self.samples.append((now, resident(self.process)))
            files.write_atomically(self.out, json.dumps(self.report(what, done)).encode())
        return self.settled is not None and now - self.settled >= self.seconds

    def report(self, what: str, done: int) -> dict[str, Any]:
        begin = self.samples[-1][0] if self.settled is None else self.settled
        settled = [size for now, size in self.samples if now >= begin]
        first = settled[0]
        return {
            "what": what, "hours": round((self.samples[-1][0] - begin) / 3600, 2), "done": done,
            "settled_after_minutes": None if self.settled is None else round(self.settled / 60, 1),
            "megabytes": round(first / 1e6, 1),
            "highest_percent": round(100 * (max(settled) / first - 1), 2),
            "lowest_percent": round(100 * (min(settled) / first - 1), 2),
            "last_percent": round(100 * (settled[-1] / first - 1), 2),
            "megabytes_every_minute": [round(size / 1e6, 1) for size in settled[:: round(60 / EVERY)]],
        }  # fmt: skip


def training(hours: float, out: Path) -> None:
    """A tiny run, an iteration every two seconds, checkpoints as usual."""
    import swarmbed
    from swarmbed.algorithms.trpo import Trpo

    watch, done = Watch(os.getpid(), hours, out), [0]

    def look(iteration: Any) -> bool:
        time.sleep(2.0)
        done[0] = iteration.number
        if done[0] == 20:  # several checkpoints
            watch.settle()
        return watch.is_over("iterations", done[0])

    with TemporaryDirectory() as folder:
        batch = swarmbed.BatchSettings(environments=8, segment=16, sampled_agents=2)
        swarmbed.train(
            "rendezvous", num_agents=5, embedding="moments", algorithm=Trpo(value_epochs=1, cg_steps=2), batch=batch,
            iterations=10**9, out=Path(folder) / "run", progress=False, callback=look,
        )  # fmt: skip


def viewer(hours: float, out: Path) -> None:
    """A page that plays slowly and does something every twenty seconds: restarts, grows, looks, leaves, comes back."""
    from websockets.sync.client import connect

    from faults.clients import kind_of
    from swarmbed.viewer.launch import open_port

    with open_port(0) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "swarmbed", "view", "consensus", "--no-browser", "--port", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    chance, frames, acts, acted = random.Random(0), 0, 0, time.monotonic()

    def come() -> Any:
        for _ in range(120):
            try:
                page = connect(f"ws://127.0.0.1:{port}/live", open_timeout=60).__enter__()
            except OSError:
                time.sleep(1)
                continue
            for message in (
                {"type": "speed", "steps_per_second": PACE},
                {"type": "loop", "on": True},
                {"type": "play"},
            ):
                page.send(json.dumps(message))
            return page
        raise TimeoutError("the viewer cannot be reached")

    try:
        page, watch = come(), Watch(server.pid, hours, out)
        act: list[Callable[[], dict[str, Any]]] = [
            lambda: {"type": "restart", "seed": chance.randrange(1000)},
            lambda: {"type": "agents", "count": SIZES[acts // (len(act) + 1) % len(SIZES)]},
            lambda: {"type": "select", "arena": 0, "agent": 0},
            lambda: {"type": "setup", "task": "rendezvous-global", "who": "consensus", "agents": 16, "seed": acts},
            lambda: {"type": "play"},
        ]
        while not watch.is_over("frames", frames):
            try:
                if kind_of(page.recv(timeout=5)) == "frame":
                    frames += 1
                    page.send('{"type": "drawn"}')
            except TimeoutError:
                pass
            if time.monotonic() - acted > (WARMING if watch.settled is None else LATER):
                acted, acts = time.monotonic(), acts + 1
                if acts > (len(SIZES) + 1) * (len(act) + 1):  # every size, before and after another task is chosen
                    watch.settle()
                if acts % (len(act) + 1) == 0:
                    page.close()
                    page = come()
                else:
                    page.send(json.dumps(act[acts % (len(act) + 1) - 1]()))
        page.close()
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m faults.flat")
    parser.add_argument("what", choices=("training", "viewer"))
    parser.add_argument("--hours", type=float, default=2.0)
    parser.add_argument("--json", type=Path, default=Path("memory.json"), metavar="FILE", help="where the numbers go")
    options = parser.parse_args()
    {"training": training, "viewer": viewer}[options.what](options.hours, options.json)
