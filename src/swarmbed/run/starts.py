"""Several short starts of one run, of which the most promising continues: ``--starts 4:30``.

Some tasks have a local optimum in which half of all runs end, and early metrics tell which: in pursuit, a swarm that
has begun to close in is predictable, so its critic explains more of the returns. Each start is a run of its own in
``starts/K`` inside the run's folder, with its own seed, so a stopped search is resumed like any run. The cost of the
other starts is counted in the table of the run that continues.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import jax
import numpy as np

from swarmbed.run.checkpoint import Checkpoint
from swarmbed.run.settings import RunSettings
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.table import Row
from swarmbed.tasks.base import Task

LAST = 5  # iterations over which a start is judged
COSTS = ("env_steps", "samples", "seconds", "processor_seconds")
STRIDE = 0x9E3779B9  # between the seeds of starts: far enough that runs with neighbouring seeds share none


class Starts(NamedTuple):
    """``number`` starts of ``iterations`` iterations each."""

    number: int
    iterations: int


def parse(text: str) -> Starts:
    """``4:30`` is four starts of thirty iterations."""
    count, colon, iterations = text.partition(":")
    if not (colon and count.isdecimal() and iterations.isdecimal()) or int(count) < 2 or int(iterations) < 1:
        raise SwarmbedError(f"starts must be COUNT:ITERATIONS with at least two starts, such as 4:30, not {text!r}")
    return Starts(int(count), int(iterations))


def settings_of(run: RunSettings, number: int) -> RunSettings:
    """The settings of one start; the first has the run's own seed."""
    assert run.starts is not None
    seed = (run.seed + number * STRIDE) % 2**32
    return replace(run, seed=seed, iterations=parse(run.starts).iterations, starts=None, until_flat=False)


def check(run: RunSettings, columns: tuple[str, ...], not_measured: Sequence[str] = ()) -> None:
    """Raise an error if a run cannot have the starts it asks for."""
    if run.starts is None:
        return
    if jax.process_count() > 1:
        raise SwarmbedError("starts are trained by one process: leave --starts out, or --coordinator and --processes")
    if parse(run.starts).iterations > run.iterations:
        raise SwarmbedError(f"starts must not be longer than the run's {run.iterations} iterations, not {run.starts}")
    if run.start_criterion not in columns:
        raise SwarmbedError(f"start_criterion must be one of {', '.join(columns)}, not {run.start_criterion!r}")
    if run.start_criterion in not_measured:
        raise SwarmbedError(
            f"start_criterion: the algorithm does not measure {run.start_criterion}; take another, such as mean_return"
        )


def promise(rows: list[Row], criterion: str, task: Task) -> float:
    """How promising a start looks: the mean of the criterion over its last iterations, the larger the better."""
    known = [row[criterion] for row in rows[-LAST:] if not math.isnan(row[criterion])]
    if not known:
        return -math.inf
    lower = any(metric.name == criterion and metric.better == "lower" for metric in task.metrics)
    return float(-np.mean(known) if lower else np.mean(known))


def winner(points: list[Checkpoint], criterion: str, task: Task) -> int:
    """The number of the most promising start; the first of equal ones."""
    promises = [promise(point.rows or [], criterion, task) for point in points]
    if max(promises) == -math.inf:
        raise SwarmbedError(f"no start has a value of {criterion} yet, so none can be chosen: make the starts longer")
    return promises.index(max(promises))


def adopted(points: list[Checkpoint], chosen: int) -> Checkpoint:
    """The chosen start as the run's own past, as if the others had been run before it."""
    others = [point.rows[-1] for number, point in enumerate(points) if number != chosen and point.rows]
    spent = {name: sum(row[name] for row in others) for name in COSTS}
    point = points[chosen]
    rows = [{**row, **{name: row[name] + spent[name] for name in COSTS}} for row in point.rows or []]
    return point._replace(rows=rows, seconds=point.seconds + spent["seconds"])


def report(points: list[Checkpoint], chosen: int, run: RunSettings, task: Task, say: Callable[[str], None]) -> None:
    """One sentence about how the starts compare, with the numbers that their folders have."""
    found = [f"{promise(point.rows or [], run.start_criterion, task):.3g}" for point in points]
    each = ", ".join(f"start {number}: {value}" for number, value in enumerate(found))
    say(f"{run.start_criterion} of {each}; start {chosen} continues")
