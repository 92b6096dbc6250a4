"""What a task's declared metrics tell about one episode: the number to follow, and the events that happened.

Recordings and the viewer share this, so a film, a page and the live picture use the same words. Nothing here knows a
metric's name: any metric that a task declares is drawn.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from swarmbed.tasks.base import Metric, Task


def followed(task: Task) -> Metric | None:
    """The metric that is plotted over an episode: the first that is not an event, else the first."""
    return next((metric for metric in task.metrics if metric.kind != "event"), task.headline)


def axis_of(metric: Metric) -> str:
    """The label of its axis; in one episode an event is not a share: it has happened or not."""
    return metric.label if metric.is_share else metric.axis


def in_words(metric: Metric, value: float) -> str:
    """``mean distance: 51.2 units``, ``evaders caught so far: 3``, ``captured: not yet``."""
    if metric.kind == "event":
        return f"{metric.label}: {'yes' if value > 0 else 'not yet'}"
    what = f"{metric.label} so far" if metric.kind == "count" else metric.label
    if not metric.unit or metric.kind == "count":
        amount = f"{value:.4g}"
    elif 0 < value < 0.001:
        amount = "under 0.001"
    else:
        amount = f"{value:.{1 if abs(value) >= 1 else 3}f}"
    return f"{what}: {amount} {metric.unit}".strip()


def after(what: str, step: int) -> str:
    """``captured after 120 steps``."""
    return f"{what} after {step} step{'s' if step != 1 else ''}"


@dataclass
class Story:
    """The metrics of a running episode: give it what the task measures, moment by moment.

    ``value`` is the followed number now: counts are added up, events stay once they have happened. ``news`` says
    what happened last, and is empty as long as nothing has.
    """

    task: Task
    value: float | None = None
    news: str = ""
    _happened: set[str] = field(default_factory=set)

    @property
    def metric(self) -> Metric | None:
        return followed(self.task)

    def tell(self, measured: Mapping[str, Any], step: int, *, moved: bool) -> None:
        """One more moment, ``step`` steps after the start; ``moved`` if a step has led there.

        What exists at the start, or was put there by hand, does not count as an event.
        """
        if (metric := self.metric) is not None:
            now = float(measured[metric.name])
            if metric.kind == "count":
                now = (self.value or 0.0) + (now if moved else 0.0)
            elif metric.kind == "event":
                now = max(self.value or 0.0, now)
            self.value = now
        for event in self.task.metrics:
            if event.kind == "event" and event.name not in self._happened and measured[event.name] > 0:
                self._happened.add(event.name)
                self.news = after(event.label, step)

    def end(self, step: int) -> None:
        """The episode has reached its end; if no event says so, this does."""
        self.news = self.news or after("ended", step)
