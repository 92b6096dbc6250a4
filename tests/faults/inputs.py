"""Wrong input made from the settings' own types: flags, TOML and Python arguments, thousands in one process."""

import inspect
import random
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import tomli_w

import swarmbed
from faults import command_lines
from faults.campaign import Outcome, described
from faults.values import anything, specs, tomlable
from swarmbed.learn.learner import BatchSettings
from swarmbed.run.settings import Outputs, RunSettings
from swarmbed.run.train import learner_from
from swarmbed.spec import config, registry
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.settings import build


def wrong_inputs(chance: random.Random) -> Iterator[Outcome]:
    """One after the other: a spec in Python, a TOML file, a command line, a public function."""
    kinds = (_settings, _toml, command_lines.flags, command_lines.flags, command_lines.counts, _function)
    while True:
        yield chance.choice(kinds)(chance)


def _judged(call: Callable[[], Any], what: str) -> Outcome:
    try:
        call()
    except (SwarmbedError, OSError) as error:
        lines = str(error).splitlines()
        return None if len(lines) == 1 else f"{what}: an error of {len(lines)} lines"
    except Exception as error:
        return f"{what}: {described(error)}"
    return None


def _settings(chance: random.Random) -> Outcome:
    """Fields of a spec, right names and wrong values; sometimes a wrong name."""
    spec = chance.choice(specs())
    names = [field.name for field in fields(spec)] or ["nothing"]
    values = {chance.choice([*names, "nonsense"]): anything(chance) for _ in range(chance.randrange(1, 4))}
    return _judged(lambda: build(spec, values, spec.__name__), f"{spec.__name__}{str(values)[:200]}")


def _toml(chance: random.Random) -> Outcome:
    """Settings by section, well-formed or not."""
    sections: dict[str, Any] = {}
    plain = {"batch": BatchSettings, "run": RunSettings}
    for section in chance.sample((*config.SECTIONS, "strange"), 3):
        family = next((family for family in registry.FAMILIES if family.kind == section), None)
        name = chance.choice(list(family.all())) if family else None
        spec = family.all()[name] if family and name else plain.get(section, Outputs)
        names = [field.name for field in fields(spec)] if is_dataclass(spec) else []
        values = {chance.choice([*names, "nonsense"]): tomlable(chance) for _ in range(2)}
        sections[section] = ({"name": name} if name else {}) | values if chance.random() < 0.9 else tomlable(chance)
    text = tomli_w.dumps(sections)
    if chance.random() < 0.4:
        place = chance.randrange(len(text) + 1)
        text = text[:place] + chance.choice(('"', "[", "[" * 3000, "=", "\x00", "\n", "1e", "''' ")) + text[place:]

    def read() -> None:
        found = config.parse(text, "the text")
        found.pop("run", None)
        learner_from(found)

    return _judged(read, f"TOML {text[:300]!r}")


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "evaluate": swarmbed.evaluate, "compare": swarmbed.compare, "render": swarmbed.render, "stress": swarmbed.stress,
    "train": swarmbed.train, "load_policy": swarmbed.load_policy, "make": swarmbed.make,
    "auto_reset": swarmbed.auto_reset, "register": swarmbed.register, "Learner": swarmbed.Learner,
}  # fmt: skip
# What cannot be right, so that nothing is ever run. A train that has only right arguments finds no place for its run.
WRONG: dict[str, tuple[Any, ...]] = {
    "evaluate": ("no-such-thing", b"x", 3, None, ""), "render": ("no-such-thing", b"x", 3, None, ""),
    "compare": (["no-such-thing"], [], 3, {"a": "no-such-thing"}, [3], ""), "train": ("rendezvous", "no-such-thing"),
    "stress": (["no-such-thing"], [], 3, {"a": "no-such-thing"}, [3], ""), "register": (3, "x", print),
    "load_policy": ("no-such-thing", b"x", 3, None, ""), "make": ("no-such-thing", 3, None),
    "auto_reset": (3, "x"), "Learner": (3, None, "rendezvous"),
}  # fmt: skip


def _function(chance: random.Random) -> Outcome:
    """A public function with wrong arguments, among them one that cannot be right."""
    name, function = chance.choice(list(FUNCTIONS.items()))
    first, *others = inspect.signature(function).parameters
    if name == "make":
        others = [field.name for field in fields(swarmbed.make("pursuit"))]  # type: ignore[arg-type]
    given = {argument: anything(chance) for argument in chance.sample(others, min(len(others), chance.randrange(4)))}
    given[first] = chance.choice(WRONG[name])
    if name == "train":
        given |= chance.choice(({"out": "/dev/null/run"}, {"resume": "/nowhere/at/all"}))
    return _judged(lambda: function(**given), f"{name}({str(given)[:200]})")
