"""Command lines that must be refused with one sentence: every command, its own flags, values of their form or not."""

import argparse
import contextlib
import io
import random
from dataclasses import fields
from functools import cache

from faults.campaign import Outcome, described
from faults.values import NUMBERS, anything, specs
from swarmbed.cli.flags import count, parser_of
from swarmbed.cli.main import command_names, main
from swarmbed.run.distributed import Cluster
from swarmbed.spec import registry

# What makes a command line wrong however good the rest is, after its values have been read: nothing is ever run.
REFUSED = {
    "train": ("--out=/dev/null/run",), "evaluate": ("no-such-thing",), "compare": ("no-such-thing",),
    "render": ("no-such-thing",), "export": ("no-such-thing",), "stress": ("no-such-thing",),
    "submit": ("no-such-thing",), "leaderboard": ("no-such-board",),
}  # fmt: skip
COMMANDS = ("train", "train", "train", *command_names())
CLUSTER = {field.name for field in fields(Cluster)}  # these would wait for other machines


def flags(chance: random.Random) -> Outcome:
    """A command line that must be refused: any command, its own flags, values of their form or of any other."""
    command = chance.choice(COMMANDS)
    chosen = _choices(chance, command)
    options = [action for action in _parser(command, chosen)._actions if action.option_strings]
    end = REFUSED.get(command, ("--no-such-flag",)) if chance.random() < 0.7 else ("--no-such-flag",)
    if end != ("--no-such-flag",):
        options = [action for action in options if action.dest not in CLUSTER | {"help"}]
    arguments = [command, *chosen]
    for action in chance.sample(options, min(len(options), chance.randrange(4))):
        arguments += _option(action, chance)
    if chance.random() < 0.1:
        arguments += [text for text in _texts(chance, 1) if text != "--"]  # after which flags are none
    return _refused([*arguments, *end])


# Command lines that would run, but for a number that nobody can mean: too large for any machine, or below zero.
WOULD_RUN = {
    "evaluate": ("consensus", "--task", "rendezvous"), "compare": ("consensus", "random", "--task", "rendezvous"),
    "render": ("consensus", "--task", "rendezvous", "--out=/dev/null/film.gif"), "tune": ("consensus",),
    "stress": ("consensus", "--task", "rendezvous-local", "--out=/dev/null/card"),
    "train": ("rendezvous", "--out=/dev/null/run"), "leaderboard": ("--run", "--results=/dev/null"),
}  # fmt: skip
NOBODY_MEANS = (-1, -(10**12), 10**12, 2**63, 10**23, 10**30)


def counts(chance: random.Random) -> Outcome:
    """A whole number that is refused by its bounds or by the estimate, before anything is compiled or written."""
    command = chance.choice(list(WOULD_RUN))
    whole = [
        a for a in _parser(command, WOULD_RUN[command])._actions if a.type in (int, count) and a.dest not in CLUSTER
    ]
    action = chance.choice(whole)
    return _refused([command, *WOULD_RUN[command], f"{action.option_strings[0]}={chance.choice(NOBODY_MEANS)}"])


def _choices(chance: random.Random, command: str) -> tuple[str, ...]:
    """What decides which flags a command has."""
    if command != "train" or chance.random() < 0.2:
        return ()
    kinds = chance.sample((registry.embeddings, registry.networks, registry.algorithms), chance.randrange(3))
    members = [word for family in kinds for word in (f"--{family.kind}", chance.choice(list(family.all())))]
    return chance.choice(list(registry.tasks.all())), *members


@cache
def _parser(command: str, chosen: tuple[str, ...]) -> argparse.ArgumentParser:
    return parser_of(command, chosen)


def _option(action: argparse.Action, chance: random.Random) -> list[str]:
    flag = chance.choice([*action.option_strings, "--nonsense"] if chance.random() < 0.05 else action.option_strings)
    if action.nargs == 0 and chance.random() < 0.9:
        return [flag]
    several = isinstance(action.nargs, str) and action.nargs in "*+"
    values = [_formed(action, chance) for _ in range(chance.randrange(3) if several else 1)]
    return [f"{flag}={values[0]}"] if len(values) == 1 and chance.random() < 0.5 else [flag, *values]


def _formed(action: argparse.Action, chance: random.Random) -> str:
    """A value of the flag's own form with something wrong inside, or anything."""
    first, second, third, name = _texts(chance, 4)
    if chance.random() < 0.3:
        return first
    if action.choices is not None:
        return chance.choice([*map(str, action.choices), first])
    if action.dest == "schedule":
        names = [field.name for spec in specs() for field in fields(spec)]
        points = (f"{chance.choice((first, '1', '0.5'))}:0", f"{second}:{chance.choice((third, '5'))}")
        return f"{chance.choice([*names, name])}={','.join(points[: chance.randrange(1, 3)])}"
    if action.dest == "num_agents" or ".." in str(action.metavar):
        return chance.choice((f"{first}..{second}", f"1..{first}", f"{first},{second}", f"{first}..", "3..1"))
    return str(chance.choice((*NUMBERS[:-1], first)))


def _texts(chance: random.Random, number: int) -> list[str]:
    """What a shell can pass on: neither a zero byte nor half a character."""
    found: list[str] = []
    while len(found) < number:
        text = str(anything(chance))
        if "\x00" not in text and "\ud800" not in text:
            found.append(text)
    return found


def _refused(arguments: list[str]) -> Outcome:
    said = io.StringIO()
    what = f"swarmbed {' '.join(arguments)[:300]!r}"
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            code = main(arguments)
    except SystemExit as ended:
        code = ended.code  # --help
    except Exception as error:
        return f"{what}: {described(error)}"
    if code == 0 and {"-h", "--help"} & set(arguments):
        return None
    lines = said.getvalue().splitlines()
    if code != 2 or len(lines) != 1 or not lines[0].startswith("swarmbed: "):
        return f"{what}: exit code {code}, it said {said.getvalue()[:200]!r}"
    return None
