"""swarmbed check: does a task, embedding, network, algorithm or controller satisfy its contract?"""

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from swarmbed.cli.flags import Parser
from swarmbed.compute import devices
from swarmbed.contracts import Outcome, Subject, check_spec, named, subjects_of_file
from swarmbed.spec import config, registry
from swarmbed.spec.errors import SwarmbedError, did_you_mean
from swarmbed.spec.settings import flag_name

SUMMARY = "Check your own task, embedding, network, algorithm or controller"
EXAMPLE = """
swarmbed check examples/dispersion.py
swarmbed check rendezvous            # an installed one, by name
"""


def run(argv: Sequence[str]) -> None:
    parser = Parser("check", SUMMARY, EXAMPLE)
    parser.add_argument(
        "what", metavar="FILE", nargs="+", help="a Python file, or the name of an installed task, embedding, …"
    )
    options = parser.parse(argv)
    console = Console(highlight=False)
    subjects = [subject for what in options.what for subject in _subjects(what)]
    devices.set_up(1)
    failed = [subject.name for subject in subjects if not _check(subject, console)]
    if failed:
        raise SwarmbedError(f"check: {', '.join(failed)} {'does' if len(failed) == 1 else 'do'} not keep the contract")


def taken_flags() -> set[str]:
    """The flags of swarmbed train that no setting may use a second time."""
    from swarmbed.cli.commands.train import SPECS

    own = ("preset", "config", "plugin", "out", "resume", "overwrite", "seeds", "devices")
    return {*own, *config.DEFAULTS, *(flag_name(declared) for spec, _ in SPECS for declared in fields(spec))}


def _subjects(what: str) -> list[Subject]:
    if Path(what).is_file():
        return subjects_of_file(what)
    found = named(what)
    if found:
        return found
    if Path(what).is_dir():
        raise SwarmbedError(f"check: {what} is a folder; name the Python files in it")
    if what.endswith(".py") or len(Path(what).parts) > 1:
        raise SwarmbedError(f"check: file {what} does not exist")
    known = [name for family in registry.FAMILIES for name in family.all()]
    raise SwarmbedError(
        f"check: {what!r} is neither a file nor the name of a task, embedding, network, algorithm or controller"
        f"{did_you_mean(what, known)}"
    )


def _check(subject: Subject, console: Console) -> bool:
    """Check one spec and print the outcome; whether every check passed."""
    kind = next(family.kind for family in registry.FAMILIES if family.folder == subject.family)
    console.print(f"[bold]{kind} {subject.name}[/bold]")
    if subject.trouble is not None:
        console.print(f"  [red]✗[/red] {_escaped(subject.trouble)}")
        return False
    outcomes = []
    for outcome in check_spec(subject.family, subject.name, subject.spec, taken_flags()):
        _show(outcome, console)
        outcomes.append(outcome)
    broken = sum(outcome.found is not None for outcome in outcomes)
    passed = sum(outcome.passed for outcome in outcomes)
    rest = len(outcomes) - passed - broken
    console.print(f"  {passed} passed, {broken} failed" + (f", {rest} not run" if rest else ""))
    return broken == 0


def _show(outcome: Outcome, console: Console) -> None:
    check = outcome.check
    if outcome.skipped:
        console.print(f"  [dim]· {_escaped(check.name)} (not run)[/dim]")
    elif outcome.found is None:
        console.print(f"  [green]✓[/green] {_escaped(check.name)}")
    else:
        console.print(f"  [red]✗[/red] [bold]{_escaped(check.name)}[/bold]")
        lines = Table.grid(padding=(0, 2, 0, 0))
        for label, text in (("found", outcome.found), ("why", check.why), ("do", check.remedy)):
            lines.add_row(f"[dim]{label}[/dim]", _escaped(text))
        console.print(Padding(lines, (0, 0, 0, 6), expand=False))


def _escaped(text: str) -> str:
    """Square brackets as they are: rich would read them as colours."""
    return text.replace("[", r"\[")
