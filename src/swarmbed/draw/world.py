"""What a page must know to draw a task, live or recorded: the world, its radii, and which number to follow."""

from collections.abc import Iterable
from math import isfinite
from typing import Any

import numpy as np

from swarmbed.draw.shapes import stage_of
from swarmbed.tasks.base import State, Task
from swarmbed.tasks.swarm import SwarmTask

# The number that tells how it goes: metric, what it is called, its unit.
HEADLINES = (
    ("mean_distance", "mean distance", "units"),
    ("evader_distance", "distance to the evader", "units"),
    ("captures", "evaders caught", ""),
)


def world(task: Task, state: State) -> dict[str, Any]:
    """What is needed to draw a state of this task."""
    stage = stage_of(task, state)
    return {
        "low": plain(stage.low),
        "high": plain(stage.high),
        "torus": stage.period is not None,
        "comm_radius": getattr(task, "comm_radius", None),
        "sight_radius": getattr(task, "sight_radius", None),
        "capture_radius": getattr(task, "capture_radius", None),
        "has_evaders": state.evaders is not None,
        "seconds": task.control_seconds if isinstance(task, SwarmTask) else None,
        "horizon": task.horizon,
        # Whoever is farther away from one step to the next has been put there, and leaves no trace.
        "longest_step": 1.5 * task.max_speed * task.control_seconds * max(getattr(task, "evader_speed_ratio", 1.0), 1.0)
        if isinstance(task, SwarmTask)
        else None,
    }


def headline(metrics: Iterable[str]) -> dict[str, Any]:
    """Name and unit of the number that the chart follows."""
    names = list(metrics)
    for name, label, unit in HEADLINES:
        if name in names:
            return {"metric": name, "metric_label": label, "metric_unit": unit}
    name = names[0] if names else ""
    return {"metric": name, "metric_label": name.replace("_", " "), "metric_unit": ""}


def plain(values: Any, digits: int = 3) -> Any:
    """Numbers as short lists."""
    return np.round(np.asarray(values, float), digits).tolist()


def number(value: Any) -> float | None:
    """Six digits; what is no finite number has no place in JSON."""
    number = float(value)
    return float(f"{number:.6g}") if isfinite(number) else None


def numbers(values: Any) -> list[float | None]:
    return [number(value) for value in values]
