"""Benchmarks: every file in this folder that holds a ``GROUP`` adds a table to ``swarmbed bench``.

A group is a title, a list of columns and a list of rows. A row is a name and a function that measures something and
returns what it found; it runs alone, in a process of its own that may use ``cores`` cores and nothing else:

    def measure(effort: Effort) -> dict[str, Any]:
        timing = timing.repeat(call, effort.repetitions)
        return {"steps_per_second": steps / timing.median, **timing.facts()}

    GROUP = Group(
        title="Simulator",
        columns=(Column("steps_per_second", "steps/s", ",.0f"),),
        rows=(Row("rendezvous-20", "rendezvous, N = 20", measure),),
    )

What a row returns must be JSON; columns name the keys to show. ``peak_memory_mib`` is added to every row. A row that
cannot be measured here (an extra is not installed, say) raises :class:`SwarmbedError`, and its sentence is shown in
place of numbers. Every benchmark imports all groups, so what a group needs beyond the base installation is imported
inside the functions that measure.
"""

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from swarmbed.spec.errors import SwarmbedError


@dataclass(frozen=True)
class Effort:
    """How thoroughly to measure, and where to report progress."""

    repetitions: int = 7
    quick: bool = False
    say: Callable[[str], None] = lambda text: None


@dataclass(frozen=True)
class Column:
    """A number to show: its key in what a row returns, its heading, and its format."""

    key: str
    heading: str
    format: str = ".3g"

    def show(self, facts: dict[str, Any]) -> str:
        """The number as text; nothing where a row has none."""
        value = facts.get(self.key)
        if value is None:
            return ""
        return str(value) if isinstance(value, str) else f"{value:{self.format}}"


@dataclass(frozen=True)
class Row:
    """One thing to measure. ``name`` is what ``--only`` asks for, ``title`` what the table shows."""

    name: str
    title: str
    measure: Callable[[Effort], dict[str, Any]]
    cores: int = 1


@dataclass(frozen=True)
class Group:
    """A table. ``note`` says in a sentence what the numbers mean; ``position`` orders the tables."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    note: str = ""
    position: int = 50


def groups() -> dict[str, Group]:
    """Every group by the name of its file."""
    found = {info.name: group_of(info.name) for info in pkgutil.iter_modules(__path__)}
    held = {name: group for name, group in found.items() if group is not None}
    return dict(sorted(held.items(), key=lambda item: (item[1].position, item[0])))


def group_of(name: str) -> Group | None:
    """The group that a file of this folder holds, if it holds one."""
    group = getattr(importlib.import_module(f"{__name__}.{name}"), "GROUP", None)
    return group if isinstance(group, Group) else None


def chosen(names: list[str] | None) -> dict[str, Group]:
    """What to measure: all groups, or only the rows whose own or group's name is given."""
    everything = groups()
    if not names:
        return everything
    known = [*everything, *(row.name for group in everything.values() for row in group.rows)]
    for name in names:
        if name not in known:
            raise SwarmbedError(f"benchmark {name!r} does not exist; --only takes some of: {', '.join(known)}")
    picked = {}
    for name, group in everything.items():
        rows = tuple(row for row in group.rows if name in names or row.name in names)
        if rows:
            picked[name] = replace(group, rows=rows)
    return picked
