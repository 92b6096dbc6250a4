"""Settings of a spec: declared once as dataclass fields, then checked, turned into flags, saved and documented.

A spec is a frozen dataclass. Each field is made by :func:`setting`, which also holds the help text, so that the command
line, the configuration files and the reference all come from one place.
"""

import types
from dataclasses import MISSING, Field, field, fields
from difflib import get_close_matches
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from swarmbed.spec.errors import SwarmbedError

Spec = TypeVar("Spec")


def setting(default: Any, help: str, *, flag: str | None = None, choices: tuple[str, ...] = ()) -> Any:
    """A field of a spec: its default, and the sentence that the command line and the reference show.

    ``flag`` is a shorter name by which the setting is known on the command line and in ``make_task``.
    """
    return field(default=default, metadata={"help": help, "flag": flag, "choices": choices})


def flag_name(spec_field: "Field[Any]") -> str:
    """``num_agents`` → ``agents`` where it has a short name, ``comm_radius`` → ``comm-radius`` otherwise."""
    return str(spec_field.metadata.get("flag") or spec_field.name).replace("_", "-")


def build(spec: type[Spec], values: dict[str, Any], what: str) -> Spec:
    """Make a spec from settings by name, refusing names and types it does not have. ``what`` names it in errors."""
    return spec(**checked(spec, values, what))


def checked(spec: type, values: dict[str, Any], what: str) -> dict[str, Any]:
    """Settings by their full names and in their declared types."""
    known = {f.name: f for f in fields(spec)}
    short = {flag_name(f).replace("-", "_"): name for name, f in known.items()}
    hints = get_type_hints(spec)
    chosen: dict[str, Any] = {}
    for given, value in values.items():
        name = short.get(given, given)
        if name not in known:
            raise SwarmbedError(f"{what} has no setting {given!r}{_hint(given, sorted({*known, *short}))}")
        chosen[name] = convert(value, hints[name], f"{what}: {given}")
    return chosen


def as_dict(spec: Any) -> dict[str, Any]:
    """All settings that are not None; TOML has no word for None, and None is always the default where it is allowed."""
    values = {f.name: getattr(spec, f.name) for f in fields(spec)}
    return {name: list(v) if isinstance(v, tuple) else v for name, v in values.items() if v is not None}


def convert(value: Any, hint: Any, what: str) -> Any:
    """``value`` as the type the setting declares; whole numbers pass as floats, lists as tuples, nothing else bends."""
    options = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    if value is None and type(None) in options:
        return None
    for option in options:
        if get_origin(option) is tuple:
            if isinstance(value, (list, tuple)):
                return tuple(convert(item, get_args(option)[0], what) for item in value)
        elif get_origin(option) is Literal:
            if value in get_args(option):
                return value
        elif option is float and isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value)
        elif (option is int and isinstance(value, int) and not isinstance(value, bool)) or (
            option in (bool, str) and isinstance(value, option)
        ):
            return value
    raise SwarmbedError(f"{what} must be {describe(hint)}, not {value!r}")


def describe(hint: Any) -> str:
    """A type in words."""
    if get_origin(hint) in (Union, types.UnionType):
        return " or ".join(describe(option) for option in get_args(hint))
    if get_origin(hint) is tuple:
        return f"a list, each item {describe(get_args(hint)[0])}"
    if get_origin(hint) is Literal:
        return "one of " + ", ".join(map(str, get_args(hint)))
    words = {int: "a whole number", float: "a number", bool: "true or false", str: "a word", type(None): "nothing"}
    return words.get(hint, str(hint))


def default_of(spec_field: "Field[Any]") -> Any:
    """The default of a field; every setting has one."""
    if spec_field.default is not MISSING:
        return spec_field.default
    if spec_field.default_factory is not MISSING:
        return spec_field.default_factory()
    return None


def _hint(given: str, known: list[str]) -> str:
    close = get_close_matches(given, known, n=1)
    guess = f"; did you mean {close[0]!r}?" if close else ";"
    return f"{guess} it has: {', '.join(known)}"
