"""What a page must know to draw a task, live or recorded: the world, its radii, and which number to follow."""

from math import isfinite
from typing import Any

import numpy as np

from swarmbed.draw.shapes import stage_of
from swarmbed.draw.story import axis_of, followed
from swarmbed.tasks.base import State, Task
from swarmbed.tasks.swarm import SwarmTask


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
        "metric": metric(task),
        # An agent that is farther away from one step to the next was put there, and leaves no trace.
        "longest_step": 1.5 * task.max_speed * task.control_seconds * max(getattr(task, "evader_speed_ratio", 1.0), 1.0)
        if isinstance(task, SwarmTask)
        else None,
    }


def metric(task: Task) -> dict[str, Any] | None:
    """What the chart follows, as the task declares it; None for a task that measures nothing."""
    found = followed(task)
    if found is None:
        return None
    return {
        "label": found.label,
        "unit": found.unit,
        "kind": found.kind,
        "axis": axis_of(found),
        "log": found.log,
    }


def plain(values: Any, digits: int = 3) -> Any:
    """Numbers as short lists."""
    return np.round(np.asarray(values, float), digits).tolist()


def number(value: Any) -> float | None:
    """Six digits; JSON has no NaN or infinity."""
    number = float(value)
    return float(f"{number:.6g}") if isfinite(number) else None


def numbers(values: Any) -> list[float | None]:
    return [number(value) for value in values]
