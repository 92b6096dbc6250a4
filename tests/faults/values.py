"""What to try in place of a right value: numbers, words and things that are neither."""

import random
from dataclasses import is_dataclass
from typing import Any

from swarmbed.learn.learner import BatchSettings
from swarmbed.run.settings import Outputs, RunSettings
from swarmbed.spec import registry

NUMBERS: tuple[Any, ...] = (
    -1, 0, 1, 2, 3.5, -0.0, 1e-320, 1e39, 1e308, float("inf"), float("nan"), 2**31 - 1, 2**31, 2**63, 2**64, 10**12,
    10**30, 10**400,
)  # fmt: skip
WORDS: tuple[Any, ...] = (
    "", " ", "-", "--", "0", "1", "nan", "1e999", "x" * 300, "x" * 5000, "é", "\u202e", "a\x00b", "../../etc/passwd",
    "/dev/null", "/dev/full", "/proc/self/mem", "rendezvous", "pursuit", "neural", "None", "true", "[1", "{}", "%s%n",
    "$(id)", "\n", "\ud800",
)  # fmt: skip
OTHERS: tuple[Any, ...] = (
    None,
    True,
    False,
    b"x",
    [],
    [1],
    ["x"],
    [[1]],
    (),
    {},
    {"a": 1},
    object(),
    print,
    1j,
    [10**400],
)
SPECS: tuple[type, ...] = (RunSettings, BatchSettings, Outputs)


def anything(chance: random.Random) -> Any:
    return chance.choice(chance.choice((NUMBERS, WORDS, OTHERS)))


def specs() -> list[type]:
    members = [kind for family in registry.FAMILIES for kind in family.all().values()]
    return [*SPECS, *(kind for kind in members if is_dataclass(kind) and kind.__module__.startswith("swarmbed."))]


def tomlable(chance: random.Random) -> Any:
    while True:
        value = anything(chance)
        if isinstance(value, (bool, int, float, str)) and "\ud800" not in str(value)[:10] and value not in (10**400,):
            return value
        if isinstance(value, list) and value not in ([10**400],):
            return value
