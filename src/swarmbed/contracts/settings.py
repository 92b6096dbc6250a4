"""What all families promise: settings that become flags, configuration files and help."""

import argparse
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

from swarmbed.cli.flags import add_flags
from swarmbed.contracts.check import Check, promise, require
from swarmbed.spec import config
from swarmbed.spec.settings import as_dict, build, flag_name


def settings_checks() -> list[Check]:
    """The checks with which every family's list begins."""
    checks: list[Check] = []
    for name, (why, remedy, function) in _CHECKS.items():
        promise(checks, name, why=why, remedy=remedy, essential=True)(function)
    return checks


def _is_a_frozen_dataclass(subject: Any) -> None:
    spec = subject.spec
    require(
        is_dataclass(spec) and "__dataclass_fields__" in vars(spec),
        f"class {spec.__name__} is not decorated itself, so its own settings are not settings at all",
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


def _becomes_flags(subject: Any) -> None:
    add_flags(argparse.ArgumentParser(add_help=False), subject.spec, "settings")
    taken = _taken_flags()
    for declared in fields(subject.spec):
        for word in {flag_name(declared), declared.name.replace("_", "-")}:
            require(word not in taken, f"setting {declared.name} would be the flag --{word}, which train has already")


def _survives_a_file(subject: Any) -> None:
    spec = subject.spec()
    written = config.parse(config.dump({"task": as_dict(spec)}), "the settings")["task"]
    require(
        build(subject.spec, written, "it") == spec, "written to a file and read again, its settings are not the same"
    )


def _taken_flags() -> set[str]:
    """Flags of swarmbed train that no spec may use a second time."""
    from swarmbed.cli.commands.train import SPECS

    own = {
        "task",
        "embedding",
        "algorithm",
        "preset",
        "config",
        "plugin",
        "out",
        "resume",
        "overwrite",
        "seeds",
        "devices",
    }
    return own | {flag_name(declared) for spec, _ in SPECS for declared in fields(spec)}


_CHECKS: dict[str, tuple[str, str, Callable[[Any], None]]] = {
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
