"""The progress of training: a live line on a terminal, plain lines in a log or a notebook."""

import math
import sys
import time
from contextlib import AbstractContextManager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

from swarmbed.evaluation.progress import Bar
from swarmbed.spec.errors import say
from swarmbed.tasks.metric import Metric

NARROW = 80  # columns below which a terminal shows the return alone
PLAIN_EVERY = 10.0  # seconds between lines where there is no terminal


class TrainingProgress(AbstractContextManager["TrainingProgress"]):
    """Shows compiling, then iterations."""

    def __init__(
        self, title: str, iterations: int, done: int, metric: Metric | None = None, *, enabled: bool = True
    ) -> None:
        self.enabled = enabled
        self.title, self.metric = title, metric
        self.iterations = iterations
        self.done = done
        self.console = Console(file=sys.stderr)
        self.live = enabled and self.console.is_terminal
        self.last_line = 0.0
        self.narrow = self.live and self.console.width < NARROW
        self.bar = Bar(
            TextColumn("[bold]{task.description}"),
            *([] if self.narrow else [BarColumn(bar_width=20)]),
            TextColumn("{task.completed}/{task.total}  {task.fields[note]}"),
            TimeRemainingColumn(compact=True),
            console=self.console,
            disable=not self.live,
        )
        self.task = self.bar.add_task(title, total=iterations, completed=done, note="", start=False)

    def __enter__(self) -> "TrainingProgress":
        self.bar.start()
        return self

    def __exit__(self, *exception: Any) -> None:
        self.bar.stop()

    def say(self, text: str) -> None:
        """A sentence that stays."""
        if self.enabled:
            self.console.print(text, style="dim", highlight=False, soft_wrap=True)

    def warn(self, text: str) -> None:
        """A sentence that appears even if progress is switched off."""
        if self.enabled:
            self.say(text)
        else:
            say(text)

    def compiling(self) -> None:
        self.say("compiling (about 15 seconds for new settings, cached for known ones) …")

    def running(self) -> None:
        self.bar.start_task(self.task)

    def iteration(self, row: dict[str, float], steps_per_second: float) -> None:
        """One more iteration is done."""
        if not self.enabled:
            return
        value = row["mean_return"]
        shown = "return   …  " if math.isnan(value) else f"return {value:8.2f}"
        if self.narrow:  # more would be cut off
            self.bar.update(self.task, completed=row["iteration"], note=shown)
            return
        if self.metric is not None and not math.isnan(measured := row[self.metric.name]):
            words = f"{measured:4.0%}" if self.metric.is_share else f"{measured:.3g} {self.metric.unit}".rstrip()
            shown += f"  {self.metric.label} {words}"
        moved = "" if math.isnan(row["kl"]) else f"  KL {row['kl']:.4f}"  # not every algorithm measures it
        note = f"{shown}{moved}  {steps_per_second:,.0f} steps/s"
        if row["accepted"] == 0:
            note += "  (no step found)"
        self.bar.update(self.task, completed=row["iteration"], note=note)
        now = time.monotonic()
        if not self.live and (now - self.last_line > PLAIN_EVERY or row["iteration"] == self.iterations):
            self.last_line = now
            left = (self.iterations - row["iteration"]) * row["seconds"] / max(row["iteration"], 1)
            self.say(f"{self.title}  {row['iteration']:.0f}/{self.iterations}  {note}  {left:.0f} s left")
