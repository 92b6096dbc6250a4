"""Numbers that change during a run: ``evader_speed_ratio=1.2:0,2.0:60`` is 1.2 at the start, 2.0 from iteration 60 on.

Between two points the number is interpolated linearly; before the first and after the last it is constant. It depends
only on the iteration, so a resumed run continues exactly. A scheduled number is an argument of the compiled iteration:
no value recompiles anything, and only numbers that determine no shape and no branch can be scheduled.
"""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, NamedTuple, TypeVar

import numpy as np

from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.settings import check, convert, type_hints

ONLY_AT_THE_START = ("initial_log_std",)
Kind = TypeVar("Kind")


class Schedule(NamedTuple):
    """One number over the iterations; the points are in order of time."""

    name: str
    values: tuple[float, ...]
    iterations: tuple[int, ...]

    def at(self, iteration: int) -> float:
        """The value in the iteration that follows this many."""
        return float(np.interp(iteration, self.iterations, self.values))

    @property
    def settled(self) -> int:
        """The iterations after which it no longer changes."""
        changing = [
            time for value, time in zip(self.values, self.iterations[1:], strict=False) if value != self.values[-1]
        ]
        return changing[-1] if changing else 0


def parse(text: str) -> Schedule:
    """``name=value:iteration,value:iteration,…``."""
    name, equals, points = text.partition("=")
    try:
        pairs = [(float(value), int(time)) for value, time in (point.split(":") for point in points.split(","))]
    except ValueError:
        pairs = []
    times = [time for _, time in pairs]
    if not (name and equals and pairs) or times[0] < 0 or sorted(set(times)) != times:
        raise SwarmbedError(
            "schedule must be NAME=VALUE:ITERATION,VALUE:ITERATION,… with growing iterations, such as "
            f"evader_speed_ratio=1.2:0,2.0:60, not {text!r}"
        )
    return Schedule(name, tuple(value for value, _ in pairs), tuple(times))


def combined(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
    """Both, as written; of two schedules of one setting the second counts."""
    names = [text.partition("=")[0] for text in second]
    return (*(text for text in first if text.partition("=")[0] not in names), *second)


def schedules_for(texts: tuple[str, ...], *specs: Any) -> tuple[Schedule, ...]:
    """The schedules, every value checked against the declaration of the setting that it is for."""
    found = tuple(parse(text) for text in texts)
    names = [schedule.name for schedule in found]
    for schedule in found:
        if names.count(schedule.name) > 1:
            raise SwarmbedError(f"schedule names {schedule.name} twice")
        owners = [spec for spec in specs if any(f.name == schedule.name for f in fields(spec))]
        if not owners:
            raise SwarmbedError(f"schedule: neither task nor algorithm has a setting {schedule.name!r}")
        for owner in owners:
            _check(schedule, owner)
    return found


def _check(schedule: Schedule, spec: Any) -> None:
    if schedule.name in ONLY_AT_THE_START:
        raise SwarmbedError(f"schedule: {schedule.name} counts only at the start of a run")
    declared = next(f for f in fields(spec) if f.name == schedule.name)
    hint = type_hints(type(spec))[schedule.name]
    if not isinstance(getattr(spec, schedule.name), float) or not isinstance(convert(0.5, hint), float):
        raise SwarmbedError(f"schedule: {schedule.name} is not a number that can change during a run")
    for value in schedule.values:
        check(declared, hint, value, f"schedule: {schedule.name}")


def settled(schedules: tuple[Schedule, ...], spec: Any) -> int:
    """The iterations after which none of the scheduled settings of a spec changes any more."""
    names = [field.name for field in fields(spec)]
    return max((schedule.settled for schedule in schedules if schedule.name in names), default=0)


def numbers_at(schedules: tuple[Schedule, ...], iteration: int) -> dict[str, np.float32]:
    """Every scheduled number after this many iterations."""
    return {schedule.name: np.float32(schedule.at(iteration)) for schedule in schedules}


def with_numbers(spec: Kind, numbers: dict[str, Any]) -> Kind:
    """The spec with arrays in place of some of its numbers, for use inside a compiled iteration only."""
    clone: Kind = object.__new__(type(spec))
    for declared in fields(spec):  # type: ignore[arg-type]
        value = numbers.get(declared.name, getattr(spec, declared.name))
        object.__setattr__(clone, declared.name, value)
    return clone
