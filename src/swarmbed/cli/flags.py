"""The fields of a spec as command-line flags."""

import argparse
import importlib
import types
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import fields
from difflib import get_close_matches
from typing import Any, NoReturn, Union, get_args, get_origin, get_type_hints

from swarmbed.spec.errors import SwarmbedError, shown
from swarmbed.spec.settings import check, default_of, flag_name, is_range

MOST_SIZES = 10_000  # numbers of agents that one range may stand for


class Asked(Exception):  # noqa: N818  not an error
    """Raised instead of parsing when only the parser is needed."""

    def __init__(self, parser: "Parser") -> None:
        self.parser = parser


_only_asked: ContextVar[bool] = ContextVar("only_asked", default=False)


def parser_of(command: str, argv: Sequence[str] = ()) -> "Parser":
    """The parser of a command, for completion and the reference. Nothing runs: it ends where it would parse."""
    token = _only_asked.set(True)
    try:
        importlib.import_module(f"swarmbed.cli.commands.{command}").run(list(argv))
    except Asked as asked:
        return asked.parser
    finally:
        _only_asked.reset(token)
    raise AssertionError(f"the command {command} does not parse its arguments")


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one sentence."""

    def __init__(self, command: str, summary: str, example: str, *, add_help: bool = True) -> None:
        super().__init__(
            add_help=add_help,
            prog=f"swarmbed {command}",
            description=summary,
            epilog="example:\n" + "\n".join(f"  {line}" for line in example.strip().splitlines()),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    def format_help(self) -> str:
        """Help whose usage names what must be given; the dozens of optional flags follow below it."""
        needed = [action for action in self._actions if not action.option_strings or action.required]
        self.usage = " ".join([self.prog, *(self._written(action) for action in needed), "[options]"])
        return super().format_help()

    def _written(self, action: argparse.Action) -> str:
        value = self._get_formatter()._format_args(action, action.dest.upper())
        return " ".join([*action.option_strings[:1], value])

    def error(self, message: str) -> NoReturn:
        raise SwarmbedError(f"{self.prog.removeprefix('swarmbed ')}: {message}")

    def parse(self, argv: Sequence[str]) -> argparse.Namespace:
        """Parse all of argv; an error names the unknown flag and the one that was probably meant."""
        if _only_asked.get():
            raise Asked(self)
        options, unknown = self.parse_known_args(argv)
        if unknown:
            known = [name for action in self._actions for name in action.option_strings]
            close = get_close_matches(unknown[0].split("=")[0], known, n=1)
            guess = f"; did you mean {close[0]}?" if close else f"; '{self.prog} --help' lists the options"
            self.error(f"{unknown[0]!r} is not an option here{guess}")
        return options


def add_flags(parser: argparse.ArgumentParser, spec: type, title: str, defaults: dict[str, Any] | None = None) -> None:
    """One flag per field of a spec. Flags that are not given do not appear in the result, so layers can be stacked."""
    groups = {None: parser.add_argument_group(title)}
    hints = get_type_hints(spec)
    for spec_field in fields(spec):
        default = (defaults or {}).get(spec_field.name, default_of(spec_field))
        shown = "the task's" if spec_field.metadata.get("varies") else _show(default)
        meaning = spec_field.metadata.get("help", "")
        kind = _kind(hints[spec_field.name], spec_field.metadata.get("choices") or None)
        if _may_be_several(spec, spec_field.name):
            meaning, kind = (
                f"{meaning}; 5..20 or 5,10,20: every episode draws one",
                {"type": swarm_sizes, "metavar": "INT"},
            )
        within = spec_field.metadata.get("group")
        if within not in groups:
            groups[within] = parser.add_argument_group(within)
        groups[within].add_argument(
            f"--{flag_name(spec_field)}",
            dest=spec_field.name,
            default=argparse.SUPPRESS,
            help=f"{meaning} (default: {shown})".replace("%", "%%"),
            **kind,
        )


def given(options: argparse.Namespace, spec: type) -> dict[str, Any]:
    """The settings of a spec that were given on the command line."""
    values = {f.name: getattr(options, f.name) for f in fields(spec) if hasattr(options, f.name)}
    agents = values.get("num_agents")
    if agents is not None and _may_be_several(spec, "num_agents"):
        several = isinstance(agents, tuple)
        # One number also takes the place of the sizes that a file or a trained policy brings along.
        values = {"sizes": agents if several else (), **values, "num_agents": max(agents) if several else agents}
    # Checked here, so the error names the flag as it was typed.
    hints, declared = get_type_hints(spec), {f.name: f for f in fields(spec)}
    flags = {name: flag_name(declared["num_agents" if name == "sizes" else name]) for name in values}
    return {name: check(declared[name], hints[name], value, f"--{flags[name]}") for name, value in values.items()}


def count(text: str) -> int:
    """A whole number of at least one, for flags that are not fields of a spec."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, not {text!r}")
    return int(text)


def _kind(hint: Any, choices: tuple[str, ...] | None) -> dict[str, Any]:
    if is_range(hint):
        number = get_args(hint)[0]
        return {"type": lambda text: _range(text, number), "metavar": f"{_metavar(number)}[..{_metavar(number)}]"}
    if get_origin(hint) in (Union, types.UnionType):
        (hint,) = (option for option in get_args(hint) if option is not type(None))
    if hint is bool:
        return {"action": argparse.BooleanOptionalAction}
    if get_origin(hint) is tuple:
        # A flag that is given twice adds to itself; that the second should replace the first is nobody's guess.
        part = get_args(hint)[0]
        return {"action": "extend", "nargs": "*", "type": part, "metavar": _metavar(part)}
    return {"type": hint, "choices": choices, "metavar": None if choices else _metavar(hint)}


def _range(text: str, number: type) -> Any:
    """``0.3``, or ``0..0.3``: every episode draws a number in this range."""
    low, dots, high = text.partition("..")
    try:
        return (number(low), number(high)) if dots else number(text)
    except ValueError:
        kind = {int: "a whole number", float: "a number"}[number]
        raise argparse.ArgumentTypeError(f"must be {kind}, or a range such as 0..3, not {text!r}") from None


def _may_be_several(spec: type, name: str) -> bool:
    """Whether a field is the number of agents of a task whose episodes can draw it."""
    return name == "num_agents" and any(field.name == "sizes" for field in fields(spec))


def swarm_sizes(text: str) -> int | tuple[int, ...]:
    """``20``, ``5..20`` or ``5,10,20``."""
    low, dots, high = text.partition("..")
    try:
        if dots:
            between = range(int(low), int(high) + 1)
            if between[MOST_SIZES:]:
                raise argparse.ArgumentTypeError(f"must name at most {MOST_SIZES} sizes, not {shown(text)}")
            sizes = tuple(between)
        elif "," in text:
            sizes = tuple(int(part) for part in text.split(","))
        else:
            return int(text)
    except ValueError:
        sizes = ()
    if not sizes or min(sizes) < 1:
        raise argparse.ArgumentTypeError(
            f"must be a whole number, a range such as 5..20 or a list such as 5,10,20, not {text!r}"
        )
    return sizes


def _metavar(hint: Any) -> str:
    return {int: "INT", float: "NUMBER", str: "WORD"}.get(hint, "VALUE")


def _show(value: Any) -> str:
    if isinstance(value, tuple):
        return " ".join(map(str, value)) or "none"
    if isinstance(value, float):
        return f"{value:.6g}"
    return "none" if value is None else str(value)
