"""What all families promise: settings that become flags, configuration files and help."""

from collections.abc import Callable, Collection
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_args, get_origin

from swarmbed.contracts.check import Check, promise, require
from swarmbed.spec import config, registry
from swarmbed.spec.settings import as_dict, build, describe, flag_name, is_range, type_hints

PLAIN = (int, float, bool, str)


def settings_checks(family: str, taken: Collection[str] = ()) -> list[Check]:
    """The checks with which every family's list begins. ``taken`` are flags that the command line has already."""
    checks: list[Check] = []

    def becomes_flags(subject: Any) -> None:
        _becomes_flags(subject.spec, dict.fromkeys(taken, "train") | _flags_of_others(family))

    for name, (why, remedy, function) in _CHECKS.items():
        run = becomes_flags if function is _becomes_flags else function
        promise(checks, name, why=why, remedy=remedy, essential=True)(run)
    return checks


def _is_a_frozen_dataclass(subject: Any) -> None:
    spec = subject.spec
    require(
        is_dataclass(spec) and "__dataclass_fields__" in vars(spec),
        f"class {spec.__name__} is not decorated itself, so its own fields are not settings",
    )


def _has_defaults_and_help(subject: Any) -> None:
    for declared in fields(subject.spec):
        has_default = declared.default is not MISSING or declared.default_factory is not MISSING
        require(has_default, f"setting {declared.name} has no default")
        require(declared.metadata.get("help"), f"setting {declared.name} has no help text")
    doc = str(vars(subject.spec).get("__doc__") or "")
    # A dataclass without words of its own gets its signature for a docstring.
    has_words = doc.strip() and not doc.startswith(f"{subject.spec.__name__}(")
    require(has_words, f"class {subject.spec.__name__} has no docstring")


def _becomes_flags(spec: Any, taken: dict[str, str]) -> None:
    hints = type_hints(spec)
    for declared in fields(spec):
        require(
            _is_plain(hints[declared.name]),
            f"setting {declared.name} is {describe(hints[declared.name])}, which no flag can give",
        )
        for word in {flag_name(declared), declared.name.replace("_", "-")}:
            owner = taken.get(word)
            require(owner is None, f"setting {declared.name} would be the flag --{word}, which {owner} has already")


def _is_plain(hint: Any) -> bool:
    """A number, a word, true or false, a list of such, or a number or a range; each of them may be optional."""
    if is_range(hint):
        return True
    options = [option for option in (get_args(hint) if type(None) in get_args(hint) else (hint,)) if option]
    (option, *more) = [option for option in options if option is not type(None)]
    if get_origin(option) is tuple:
        option = get_args(option)[0]
    return not more and option in PLAIN


def _flags_of_others(family: str) -> dict[str, str]:
    """The flags of all that can be trained together with a member of the family."""
    others = [other for other in registry.FAMILIES if other.kind in config.DEFAULTS and other.folder != family]
    if family not in {f.folder for f in registry.FAMILIES if f.kind in config.DEFAULTS}:
        return {}  # controllers are not trained
    return {
        flag_name(declared): f"{other.kind} {name}"
        for other in others
        for name, spec in other.all().items()
        if is_dataclass(spec)
        for declared in fields(spec)
    }


def _survives_a_file(subject: Any) -> None:
    spec = subject.spec()
    written = config.parse(config.dump({"task": as_dict(spec)}), "the settings")["task"]
    require(
        build(subject.spec, written, "it") == spec, "its settings change when they are written to a file and read again"
    )


_CHECKS: dict[str, tuple[str, str, Callable[..., None]]] = {
    "is a frozen dataclass": (
        "settings are the fields of a frozen dataclass; only then can they be set, saved and compared",
        "write @dataclass(frozen=True) above the class",
        _is_a_frozen_dataclass,
    ),
    "every setting has a default and a help text": (
        "the command line shows the help, and 'swarmbed list' the class's docstring",
        'write name: type = setting(default, "what it is") for every field, and a docstring for the class',
        _has_defaults_and_help,
    ),
    "settings become flags": (
        "every setting can be given on the command line",
        "use int, float, bool, str, tuple[int, ...] or such a type | None, and names that are not taken",
        _becomes_flags,
    ),
    "settings survive a file": (
        "a run writes them to config.toml and a policy carries them; both must give the same spec back",
        "use plain types, and let __post_init__ check settings instead of changing them",
        _survives_a_file,
    ),
}
