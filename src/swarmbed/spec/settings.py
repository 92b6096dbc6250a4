"""Settings of a spec: declared once as dataclass fields, then checked, turned into flags, saved and documented.

A spec is a frozen dataclass that derives from :class:`Spec`. Each field is made by :func:`setting`, which holds the
help text, the bounds and the choices. The command line, configuration files, the reference, Python and the viewer's
messages all read this one declaration and use one check.
"""

import math
import types
from collections import abc
from dataclasses import MISSING, Field, dataclass, field, fields
from difflib import get_close_matches
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self, TypeVar, Union, get_args, get_origin, get_type_hints

from swarmbed.spec.errors import SwarmbedError, shown

Kind = TypeVar("Kind")
_WORDS: dict[Any, str] = {
    int: "a whole number", float: "a number", bool: "true or false", str: "a word",
    abc.Sequence: "a list", abc.Mapping: "a dictionary", abc.Callable: "a function", Path: "a path",
}  # fmt: skip
_FIELDS = "__dataclass_fields__"
LAST_SEED = 2**32 - 1  # random numbers are made from so many bits
_LARGEST = {
    True: 2**31 - 1,
    False: 3.4e38,
}  # whole numbers and others that arrays hold: beyond, counts overflow and numbers are infinite


class Bounds(NamedTuple):
    """What a number may be; for a list, what each of its items may be. None: no bound on that side."""

    at_least: float | None = None
    above: float | None = None
    at_most: float | None = None
    below: float | None = None

    @property
    def has_end(self) -> bool:
        """Whether there is a bound on large values."""
        return self.at_most is not None or self.below is not None

    def hold(self, value: float) -> bool:
        return (
            (self.at_least is None or value >= self.at_least)
            and (self.above is None or value > self.above)
            and (self.at_most is None or value <= self.at_most)
            and (self.below is None or value < self.below)
        )

    def __str__(self) -> str:
        """`` of at least 1``, `` between 0 and 1``, `` above 0``; nothing where there is no bound."""
        low, high = (self.at_least, self.above), (self.at_most, self.below)
        if low != (None, None) and high != (None, None):
            least, most = (next(end for end in ends if end is not None) for ends in (low, high))
            without = [_short(end) for end in (self.above, self.below) if end is not None]
            return f" between {_short(least)} and {_short(most)}" + "".join(f" (not {end})" for end in without)
        words = {"at_least": "of at least", "above": "above", "at_most": "of at most", "below": "below"}
        return "".join(f" {words[n]} {_short(v)}" for n, v in self._asdict().items() if v is not None)


def setting(
    default: Any,
    help: str,
    *,
    flag: str | None = None,
    choices: tuple[str, ...] = (),
    at_least: float | None = None,
    above: float | None = None,
    at_most: float | None = None,
    below: float | None = None,
    not_empty: bool = False,
    group: str | None = None,
) -> Any:
    """A field of a spec: its default, what it may be, and the sentence that the command line and the reference show.

    ``flag`` is a shorter name on the command line (``--agents`` for ``num_agents``); Python uses the field's name.
    ``not_empty`` asks a list for at least one item. ``group`` puts it under a title of its own in help and reference.
    Leave ``default`` out (``...``) for a field that must be given.
    """
    metadata = {
        "help": help,
        "flag": flag,
        "choices": choices,
        "bounds": Bounds(at_least, above, at_most, below),
        "not_empty": not_empty,
        "group": group,
    }
    return field(metadata=metadata) if default is ... else field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Spec:
    """A frozen dataclass whose fields are settings. Making one checks them all.

    A class that declares settings need not say ``@dataclass(frozen=True)``: it is made one when it is first used.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for base in cls.__bases__:
            complete(base)

    def __new__(cls, *_: Any, **__: Any) -> Self:
        complete(cls)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        hints = type_hints(type(self))
        for declared in fields(self):
            value = check(declared, hints[declared.name], getattr(self, declared.name), declared.name)
            object.__setattr__(self, declared.name, value)


def complete(kind: Any) -> None:
    """Make a class that declares settings a frozen dataclass, if nobody has. A decorator runs only after a class has
    been made, so this cannot be done before the class is used, or another derives from it."""
    _completed(kind)


@cache
def _completed(kind: Any) -> None:
    if not issubclass(kind, Spec):
        return
    if any(isinstance(value, Field) for value in vars(kind).values()):
        dataclass(frozen=True)(kind)
    inherited = {id(declared) for base in kind.__mro__[1:] for declared in vars(base).get(_FIELDS, {}).values()}
    for name in (declared.name for declared in fields(kind) if id(declared) in inherited):
        if name in vars(kind):
            default = f"{name}: {_word(type_hints(kind)[name])} = setting({shown(vars(kind)[name])}, …)"
            raise SwarmbedError(
                f"{kind.__name__} sets {name}, which is a setting: declare its default with {default}, or pass {name}=…"
            )


def check(declared: "Field[Any]", hint: Any, value: Any, name: str) -> Any:
    """``value`` in the type, the bounds and the choices of a declared field, or an error that says what is allowed."""
    try:
        converted = convert(value, hint)
    except (TypeError, OverflowError):  # the latter: a whole number too large to be a float
        raise SwarmbedError(f"{name} must be {allowed(declared, hint)}, not {shown(value)}") from None
    choices = declared.metadata.get("choices") or ()
    bounds: Bounds = declared.metadata.get("bounds", Bounds())
    items = converted if isinstance(converted, tuple) else (converted,)
    numbers = [item for item in items if isinstance(item, (int, float)) and not isinstance(item, bool)]
    if (
        (choices and any(item not in choices for item in items if item is not None))
        or not all((isinstance(number, int) or math.isfinite(number)) and bounds.hold(number) for number in numbers)
        or (declared.metadata.get("not_empty") and converted == ())
    ):
        raise SwarmbedError(f"{name} must be {allowed(declared, hint)}, not {shown(value)}")
    if any(not bounds.has_end and abs(number) > _LARGEST[isinstance(number, int)] for number in numbers):
        raise SwarmbedError(f"{name} must be a number that fits into 32 bits, not {shown(value)}")
    return converted


def allowed(declared: "Field[Any]", hint: Any) -> str:
    """What a setting may be, in words: ``a whole number of at least 1``, ``one of closed, torus``."""
    if choices := declared.metadata.get("choices"):
        optional = " or left out" if type(None) in _options(hint) else ""
        return f"one of {', '.join(choices)}{optional}"
    return describe(hint, str(declared.metadata.get("bounds", Bounds())), declared.metadata.get("not_empty", False))


def check_count(name: str, value: Any, least: int, most: float = math.inf) -> None:
    """The same for an argument of a function that counts something."""
    if not (is_number(value, whole=True) and least <= value <= most):
        bounds = f"of at least {least}" if most == math.inf else f"between {least} and {most}"
        raise SwarmbedError(f"{name} must be a whole number {bounds}, not {shown(value)}")


def check_seed(seed: Any, name: str = "seed") -> None:
    """The same for what random numbers are made of, such as a seed or the number of an episode."""
    check_count(name, seed, 0, LAST_SEED)


def flag_name(spec_field: "Field[Any]") -> str:
    """``num_agents`` → ``agents`` where it has a short name, ``comm_radius`` → ``comm-radius`` otherwise."""
    return str(spec_field.metadata.get("flag") or spec_field.name).replace("_", "-")


def build(spec: type[Kind], values: dict[str, Any], what: str) -> Kind:
    """Make a spec from settings by name, refusing names and types it does not have. ``what`` names it in errors."""
    return spec(**checked(spec, values, what))


def checked(spec: type, values: dict[str, Any], what: str) -> dict[str, Any]:
    """Settings by name and in their declared types; ``what`` says in errors whose settings they are."""
    complete(spec)
    known = {f.name: f for f in fields(spec)}
    hints = type_hints(spec)
    chosen: dict[str, Any] = {}
    for name, value in values.items():
        if name not in known:
            raise SwarmbedError(f"{what} has no setting {shown(name)}{_hint(name, known)}")
        chosen[name] = check(known[name], hints[name], value, f"{what}: {name}")
    return chosen


def as_dict(spec: Any) -> dict[str, Any]:
    """All settings that are not None; TOML has no word for None, and None is always the default where it is allowed."""
    values = {f.name: getattr(spec, f.name) for f in fields(spec)}
    return {name: list(v) if isinstance(v, tuple) else v for name, v in values.items() if v is not None}


@cache
def _hints(spec: Any) -> dict[str, Any]:
    return get_type_hints(spec)


def type_hints(spec: type) -> dict[str, Any]:
    """The declared types of a spec's fields."""
    return _hints(spec)


def convert(value: Any, hint: Any) -> Any:
    """``value`` as the declared type: whole numbers pass as floats, lists as tuples, NumPy's numbers as Python's, and
    nothing else is converted."""
    options = _options(hint)
    if Any in options or (value is None and type(None) in options):
        return value
    for option in options:
        if get_origin(option) is tuple:
            if isinstance(value, (list, tuple)):
                return tuple(convert(item, get_args(option)[0]) for item in value)
        elif get_origin(option) is Literal:
            if value in get_args(option):
                return value
        elif option is float and is_number(value):
            return float(value)
        elif option is int and is_number(value, whole=True):
            return int(value)
        elif (option in (bool, str) and isinstance(value, option)) or (
            option not in (int, float, bool, str) and isinstance(option, type) and isinstance(value, option)
        ):
            return value
    raise TypeError(f"not {describe(hint)}")


def is_number(value: Any, *, whole: bool = False) -> bool:
    """Whether this is a number (a whole one), Python's own or NumPy's; true and false are none."""
    return isinstance(value, Integral if whole else Real) and not isinstance(value, bool)


def describe(hint: Any, bounds: str = "", not_empty: bool = False) -> str:
    """A type in words."""
    options = [option for option in _options(hint) if option is not type(None)]
    optional = " or left out" if len(options) < len(_options(hint)) else ""
    if is_range(hint):
        return f"{describe(options[0], bounds)}, or a range of two{optional}"
    if len(options) > 1:
        return " or ".join(describe(option, bounds) for option in options) + optional
    if get_origin(options[0]) is tuple:
        list_of = "a list of one or more, each" if not_empty else "a list, each item"
        return f"{list_of} {describe(get_args(options[0])[0], bounds)}{optional}"
    if get_origin(options[0]) is Literal:
        return "one of " + ", ".join(map(str, get_args(options[0]))) + optional
    kind = get_origin(options[0]) or options[0]
    return _WORDS.get(kind, getattr(options[0], "__name__", str(options[0]))) + bounds + optional


def is_range(hint: Any) -> bool:
    """Whether a setting is one number, or a range (low, high) of which something is drawn."""
    options = _options(hint)
    return options[0] in (int, float) and options[1:] == (tuple[options[0], ...],)  # type: ignore[valid-type]


def default_of(spec_field: "Field[Any]") -> Any:
    """The default of a field; None where it has none."""
    if spec_field.default is not MISSING:
        return spec_field.default
    if spec_field.default_factory is not MISSING:
        return spec_field.default_factory()
    return None


def _options(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def _word(hint: Any) -> str:
    """A type as one writes it."""
    return hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint)


def _short(number: float | None) -> str:
    """Whole numbers are written out, however large."""
    return f"{number:.0f}" if number is not None and number == int(number) else f"{number:g}"


def _hint(given: str, known: dict[str, "Field[Any]"]) -> str:
    """The name that was probably meant: misspelt, or the command line's short flag."""
    flags = {flag_name(f).replace("-", "_"): name for name, f in known.items()}
    close = flags.get(given) or next(iter(get_close_matches(given, known, n=1)), None)
    guess = f"; did you mean {close!r}?" if close else ";"
    return f"{guess} it has: {', '.join(sorted(known))}"
