"""swarmbed doctor: what is installed, what JAX can use, how fast this machine is, and what is missing."""

import os
import platform
import re
import shutil
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, requires, version

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from swarmbed import __version__
from swarmbed.cli.flags import Parser

SUMMARY = "Report what is installed, the devices and their speed, and what is missing"
EXAMPLE = """
swarmbed doctor
swarmbed doctor --no-speed        # without the measurement, which takes half a minute
"""
EDITABLE = "swarmbed is not installed as a package, so its extras are unknown"
GOOD, MISSING = "✓", "✗"
FOR_DEVELOPERS = ("dev", "docs", "test")


def run(argv: Sequence[str]) -> None:
    parser = Parser("doctor", SUMMARY, EXAMPLE)
    parser.add_argument("--no-speed", action="store_true", help="do not measure how fast this machine is")
    options = parser.parse(argv)
    console = Console(highlight=False)
    for title, lines in (("installed", installed()), ("devices", devices()), ("extras", extras()), ("tools", tools())):
        _print(console, title, lines)
    if not options.no_speed:
        _print(console, "speed of one core", speed())


def _print(console: Console, title: str, lines: Iterator[str]) -> None:
    console.print(Text(title, style="bold"))
    for line in lines:
        if console.is_terminal:  # words stay whole in a narrow one
            console.print(Padding(Text(line), (0, 0, 0, 2), expand=False))
        else:  # lines stay whole in a file
            console.print(Text(f"  {line}"), soft_wrap=True)


def installed() -> Iterator[str]:
    yield f"swarmbed {__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    for name in requirements().get("", ()):
        found = _version(name)
        yield f"{GOOD} {name} {found}" if found else f"{MISSING} {name} is missing; pip install {name}"


def devices() -> Iterator[str]:
    """What JAX finds; a command of ours makes one device of every core."""
    import jax

    from swarmbed.compute import devices, programs

    devices.set_up()
    for device in jax.devices():
        yield f"{GOOD} {device.platform} {device.id}: {device.device_kind}"
    if jax.default_backend() == "cpu":
        yield f"{devices.available_cores()} usable cores, no accelerator: JAX is installed for the CPU only"
    folder = programs.folder()
    writable = os.access(folder if folder.exists() else folder.parent, os.W_OK)
    kept = f"compiled programs are cached in {folder}"
    yield f"{GOOD} {kept}" if writable else f"{MISSING} {folder} cannot be written: every start compiles again"


def extras() -> Iterator[str]:
    """Every extra: what is installed of it, or what to install."""
    known = {extra: names for extra, names in requirements().items() if extra not in ("", "all")}
    if not known:
        yield EDITABLE
    for extra, names in known.items():
        missing = [name for name in names if _version(name) is None]
        if missing and extra in FOR_DEVELOPERS:
            yield f"{extra}: not installed; only for work on swarmbed itself"
        elif missing:
            yield f"{MISSING} {extra}: without {', '.join(missing)}; pip install 'swarmbed[{extra}]'"
        else:
            yield f"{GOOD} {extra}: {', '.join(names)}"


def tools() -> Iterator[str]:
    """Programs that are used if they are installed."""
    from swarmbed.compute.c_compiler import find_compiler

    found = find_compiler()
    yield (
        f"{GOOD} C compiler: {found}"
        if found
        else f"{MISSING} no C compiler: exported headers cannot be tested here, two devices train a little slower"
    )
    browser = next(filter(None, map(shutil.which, ("chromium", "google-chrome", "firefox"))), None)
    yield f"{GOOD} browser: {browser}" if browser else f"{MISSING} no browser: open the viewer's address by hand"


def speed() -> Iterator[str]:
    """Two short measurements, each alone in a process on one core, against the reference's."""
    from swarmbed.benchmarks import Effort, chosen
    from swarmbed.benchmarks.reference import MACHINE, REFERENCE
    from swarmbed.benchmarks.runner import run_row

    yield f"in processor time, against {MACHINE}; takes some seconds, and 'swarmbed bench' measures more"
    for name, (group, key, unit, reference) in REFERENCE.items():
        (row,) = chosen([name])[group].rows
        facts = run_row(group, row, Effort(repetitions=2, quick=True))
        if key not in facts:
            yield f"{MISSING} {row.title}: {facts.get('failed') or facts.get('unavailable')}"
            continue
        times = f"{facts[key] / reference:.2f} times the reference ({reference:,.0f})"
        yield f"{row.title}: {facts[key]:,.0f} {unit}, {times}"
        if facts.get("core_share", 1.0) < 0.8:
            yield f"  the machine is busy: this had {facts['core_share']:.0%} of a core"


def requirements() -> dict[str, list[str]]:
    """Names of packages by extra, the core's under an empty name; nothing where swarmbed is only on the path."""
    try:
        lines = requires("swarmbed") or []
    except PackageNotFoundError:
        return {}
    found: dict[str, list[str]] = {}
    for line in lines:
        name = re.split(r"[\s\[<>=!~;(]", line, maxsplit=1)[0]
        extra = re.search(r"extra\s*==\s*['\"]([^'\"]+)['\"]", line)
        if name != "swarmbed":
            found.setdefault(extra.group(1) if extra else "", []).append(name)
    return found


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
