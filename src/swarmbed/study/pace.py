"""How long runs will take, judged by those that were made."""

import math
import statistics
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from swarmbed import __version__
from swarmbed.run.folder import read_rows
from swarmbed.study.experiments.base import Training
from swarmbed.study.generation import made_by
from swarmbed.study.plan import Job
from swarmbed.study.store import Store


@dataclass(frozen=True)
class Measured:
    """What one iteration of a run took, and the version that made it.

    Processor time where it was recorded: a run has a core of its own, and the clock counts what else went on.
    """

    version: str
    seconds: float
    on_the_processor: bool


class Pace:
    """Reads every run once; the estimates then cost nothing.

    Earlier versions were slower. A run of theirs counts for as much as this version's runs of the same methods take
    compared with theirs, at the median of the methods that both have trained.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.runs: dict[str, list[Measured]] = defaultdict(list)  # by training, in the order of the seeds
        for path in sorted((store.results / "runs").glob("*/seed-*.csv"), key=_seed):
            if measured := _measured(path):
                self.runs[path.parent.name].append(measured)
        self.ratios = {version: self._ratio(version) for version in {m.version for r in self.runs.values() for m in r}}

    def duration(self, jobs: list[Job], workers: int = 1) -> float | None:
        """Seconds that the jobs will take; None if nothing like one of them was ever run here."""
        total = 0.0
        for job in jobs:
            each = self.seconds_per_iteration(job.training)
            if each is None:
                return None
            done = len(self.store.run_folder(job.training, job.seed).read_metrics())
            total += each * (job.iterations - done)
        return total / max(workers, 1)

    def seconds_per_iteration(self, training: Training) -> float | None:
        """Of the last seed of this training (earlier ones may come from another machine) or, failing that, the median
        of other methods on the same task; None if there are none."""
        if own := _comparable(self.runs.get(training.name, [])):
            return self._today(own[-1])
        others = [m for name, runs in self.runs.items() if name.startswith(f"{training.variant}-") for m in runs]
        return statistics.median(map(self._today, _comparable(others))) if others else None

    def _today(self, measured: Measured) -> float:
        return measured.seconds * self.ratios[measured.version]

    def _ratio(self, version: str) -> float:
        """What this version's runs take, as a multiple of that version's."""
        if version == __version__:
            return 1.0
        ratios = []
        for runs in self.runs.values():
            comparable = _comparable(runs)
            ours, theirs = ([m.seconds for m in comparable if m.version == v] for v in (__version__, version))
            if ours and theirs:
                ratios.append(ours[-1] / statistics.median(theirs))
        return statistics.median(ratios) if ratios else 1.0


def _comparable(runs: list[Measured]) -> list[Measured]:
    """Those with processor time if there are any, else all."""
    return [measured for measured in runs if measured.on_the_processor] or runs


def _measured(path: Path) -> Measured | None:
    """None for a run without a clock."""
    last = rows[-1] if (rows := read_rows(path)) else {}
    for clock in ("processor_seconds", "seconds"):
        if not math.isnan(seconds := last.get(clock, math.nan)):
            version = made_by(path.with_suffix(".toml")).version
            return Measured(version, seconds / last["iteration"], clock == "processor_seconds")
    return None


def _seed(path: Path) -> int:
    return int(path.stem.removeprefix("seed-"))
