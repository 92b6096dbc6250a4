"""What fits: an estimate of memory and time, made before anything is compiled or allocated, against what there is.

A settings file is text: a billion agents are a few characters in it. So everything estimates what it needs before it
runs, and what cannot fit is refused in one sentence with the estimate. The limits are the machine's memory and a
thousand hours; the environment variables SWARMBED_MEMORY_GB and SWARMBED_HOURS change them.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.settings import Spec, build, setting

GIGABYTE = 10**9
_CGROUPS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


@dataclass(frozen=True)
class Limits(Spec):
    """The most that one call may need."""

    memory_gb: float | None = setting(None, "memory, in gigabytes; left out: what the machine has", above=0)
    hours: float = setting(1000.0, "hours of one evaluation, one film or one training iteration", above=0)


def limits() -> Limits:
    """The limits, as the environment sets them."""
    given = {name: text for name in ("memory_gb", "hours") if (text := os.environ.get(f"SWARMBED_{name.upper()}"))}
    numbers: dict[str, float] = {}
    for name, text in given.items():
        try:
            numbers[name] = float(text)
        except ValueError:
            raise SwarmbedError(f"SWARMBED_{name.upper()} must be a number above 0, not {text!r}") from None
    return build(Limits, numbers, "environment variables SWARMBED_…")


def memory_of_this_machine() -> float:
    """In bytes: the machine's memory, or the part that this process may use. Infinite if unknown."""
    found = []
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        found.append(float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")))
    for path in map(Path, _CGROUPS):
        try:
            found.append(float(path.read_text()))
        except (OSError, ValueError):  # not this kind of system, or "max"
            continue
    return min(found, default=float("inf"))


def check_memory(what: str, needed: float) -> None:
    """Raise an error if ``what`` needs more bytes than there are."""
    chosen = limits().memory_gb
    there = memory_of_this_machine() if chosen is None else chosen * GIGABYTE
    if needed > there:
        raise SwarmbedError(
            f"{what} needs about {_amount(needed)} of memory, but there are {_amount(there)}; use fewer, or raise the "
            f"limit with SWARMBED_MEMORY_GB={needed / GIGABYTE:.3g} if you know better"
        )


def check_time(what: str, seconds: float) -> None:
    """Raise an error if ``what`` would take longer than the limit."""
    most = limits().hours
    if seconds > 3600 * most:
        raise SwarmbedError(
            f"{what} would take about {seconds / 3600:.2g} hours, more than the {most:g} that are allowed; use fewer, "
            f"or raise the limit with SWARMBED_HOURS={seconds / 3600:.3g}"
        )


def _amount(count: float) -> str:
    units = ("bytes", "kB", "MB", "GB", "TB", "PB", "EB")
    power = 0
    while count >= 1000 and power < len(units) - 1:
        count, power = count / 1000, power + 1
    return f"{count:.3g} {units[power]}"
