"""The progress of the study: a live table on a terminal, plain lines in a log."""

import math
import time
from collections.abc import Callable
from typing import Protocol

from rich.table import Table

from swarmbed.study.plan import Evaluation, Work
from swarmbed.study.store import Store

PLAIN_EVERY = 300.0  # seconds between reports on the runs under way


class Pool(Protocol):
    """What is shown of a pool, wherever it runs."""

    waiting: list[Work]
    finished: list[Work]
    failed: dict[str, str]

    @property
    def jobs_under_way(self) -> list[Work]: ...


def progress_table(pool: Pool, store: Store) -> Table:
    """The current runs and when they will end."""
    table = Table(box=None, title_justify="left")
    table.title = _counts(pool)
    for heading in ("run", "iteration", "return", "time left"):
        table.add_column(heading)
    for job in pool.jobs_under_way:
        table.add_row(f"{job}", *_standing(job, store))
    return table


class PlainProgress:
    """A line for every run that begins or ends, and now and then where the others are."""

    def __init__(self, store: Store, say: Callable[[str], None]) -> None:
        self.store, self.say = store, say
        self.known: list[Work] = []
        self.ended = 0
        self.last_report = time.monotonic()

    def __call__(self, pool: Pool) -> None:
        for job in pool.finished[self.ended :]:
            self.say(f"{job}: done  ({_counts(pool)})")
        self.ended = len(pool.finished)
        for job in pool.jobs_under_way:
            if job not in self.known:
                self.say(f"{job}: begins")
        self.known = list(pool.jobs_under_way)
        if time.monotonic() - self.last_report > PLAIN_EVERY:
            self.last_report = time.monotonic()
            for job in (job for job in self.known if not isinstance(job, Evaluation)):
                iteration, value, left = _standing(job, self.store)
                self.say(f"{job}: {iteration}, return {value}, {left} left")


def minutes_or_hours(seconds: float | None) -> str:
    if seconds is None:
        return "unknown until one has run"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 100 else f"{minutes / 60:.1f} h"


def _counts(pool: Pool) -> str:
    return f"{len(pool.finished)} done, {len(pool.waiting)} waiting, {len(pool.failed)} failed"


def _standing(job: Work, store: Store) -> tuple[str, str, str]:
    """Iterations, return and time left of a run."""
    if isinstance(job, Evaluation):
        return "…", "…", "…"
    rows = store.run_folder(job.training, job.seed).read_metrics()
    left = (job.iterations - len(rows)) * rows[-1]["seconds"] / rows[-1]["iteration"] if rows else None
    value = rows[-1]["mean_return"] if rows else math.nan
    return f"{len(rows)}/{job.iterations}", "…" if math.isnan(value) else f"{value:.2f}", minutes_or_hours(left)
