"""What has been tried so far: on the disk every few seconds, so that a run that is cut short has its counts."""

import json
import time
from pathlib import Path
from typing import Any

from faults.campaign import Count

GOALS = {  # tries of one long run
    "crash_points": None, "failing_calls": None, "corruptions": 2000, "kills": 200, "wrong_inputs": 20_000,
    "hostile_policies": 2000, "hostile_clients": 100_000,
}  # fmt: skip
EVERY = 10.0  # seconds


class Report:
    """Counts of the campaigns, and the memory of what runs beside them."""

    def __init__(self, seed: int, out: Path | None, watched: dict[str, Path]) -> None:
        self.seed, self.out, self.watched = seed, out, watched
        self.campaigns: dict[str, Any] = {}
        self.began, self.written = time.monotonic(), 0.0

    def now(self, name: str, count: Count) -> None:
        """After each try."""
        if time.monotonic() - self.written > EVERY:
            self.write(name, count)

    def told(self, name: str, count: Count) -> None:
        """After a campaign's share of the time."""
        self.write(name, count)
        end = "" if count.complete else f" (of {GOALS[name] or 'all'})"
        print(
            f"{name:<18}{count.tries - count.failed:>8} of {count.tries:<8}{end:<14}{count.seconds:>8.0f} s", flush=True
        )
        for complaint in count.complaints:
            print(f"    {complaint}", flush=True)

    def end(self) -> None:
        self.write()
        for what, facts in self._memory().items():
            print(f"memory of a {what}: {json.dumps(facts)}", flush=True)

    def write(self, name: str | None = None, count: Count | None = None) -> None:
        if name is not None and count is not None:
            self.campaigns[name] = {
                "tries": count.tries, "failed": count.failed, "goal": GOALS[name] or "all",
                "seconds": round(count.seconds, 1), "complete": count.complete, "complaints": count.complaints,
            }  # fmt: skip
        self.written = time.monotonic()
        if self.out is not None:
            from swarmbed.spec.files import write_atomically  # not before the shim has started us anew

            hours = round((self.written - self.began) / 3600, 2)
            document = {"seed": self.seed, "hours": hours, "campaigns": self.campaigns, "memory": self._memory()}
            write_atomically(self.out, (json.dumps(document, indent=1) + "\n").encode())

    def _memory(self) -> dict[str, Any]:
        return {what: json.loads(path.read_text()) for what, path in self.watched.items() if path.is_file()}
