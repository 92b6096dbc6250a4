"""Wrong input made from the settings' own types: flags, TOML and Python arguments, thousands in one process."""

import contextlib
import io
import random
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import tomli_w

import swarmbed
from faults.campaign import Outcome, described
from swarmbed.cli.main import main
from swarmbed.learn.learner import BatchSettings, Learner
from swarmbed.policy.find import load_policy
from swarmbed.run.settings import Outputs, RunSettings
from swarmbed.run.train import learner_from
from swarmbed.spec import config, registry
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.settings import build, flag_name

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


def wrong_inputs(chance: random.Random) -> Iterator[Outcome]:
    """One after the other: a spec in Python, a TOML file, a command line, a public function."""
    kinds = (_settings, _toml, _flags, _flags, _function)
    while True:
        yield chance.choice(kinds)(chance)


def _any(chance: random.Random) -> Any:
    return chance.choice(chance.choice((NUMBERS, WORDS, OTHERS)))


def _specs() -> list[type]:
    members = [kind for family in registry.FAMILIES for kind in family.all().values()]
    return [*SPECS, *(kind for kind in members if is_dataclass(kind) and kind.__module__.startswith("swarmbed."))]


def _judged(call: Callable[[], Any], what: str) -> Outcome:
    try:
        call()
    except (SwarmbedError, OSError) as error:
        return None if str(error).strip() else f"{what}: an error without a word"
    except Exception as error:
        return f"{what}: {described(error)}"
    return None


def _settings(chance: random.Random) -> Outcome:
    """Fields of a spec, right names and wrong values; sometimes a wrong name."""
    spec = chance.choice(_specs())
    names = [field.name for field in fields(spec)] or ["nothing"]
    values = {chance.choice([*names, "nonsense"]): _any(chance) for _ in range(chance.randrange(1, 4))}
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
        values = {chance.choice([*names, "nonsense"]): _tomlable(chance) for _ in range(2)}
        sections[section] = ({"name": name} if name else {}) | values if chance.random() < 0.9 else _tomlable(chance)
    text = tomli_w.dumps(sections)
    if chance.random() < 0.4:
        place = chance.randrange(len(text) + 1)
        text = text[:place] + chance.choice(('"', "[", "[" * 3000, "=", "\x00", "\n", "1e", "''' ")) + text[place:]

    def read() -> None:
        found = config.parse(text, "the text")
        found.pop("run", None)
        learner_from(found)

    return _judged(read, f"TOML {text[:300]!r}")


def _tomlable(chance: random.Random) -> Any:
    while True:
        value = _any(chance)
        if isinstance(value, (bool, int, float, str)) and "\ud800" not in str(value)[:10] and value not in (10**400,):
            return value
        if isinstance(value, list) and value not in ([10**400],):
            return value


def _flags(chance: random.Random) -> Outcome:
    """A command line that must be refused: it names what does not exist, or a value no setting has."""
    command = chance.choice(("train", "evaluate", "compare", "render", "tune", "export", "check", "list", "view"))
    task = chance.choice([*registry.tasks.all(), "nonsense"])
    flags = [
        f"--{flag_name(field)}"
        for spec in (*SPECS, registry.tasks.all().get(task, RunSettings))
        for field in fields(spec)
    ]
    chosen = [chance.choice([*flags, "--out", "--resume", "--config", "--plugin", "--task", "--nonsense", "--seed"])]
    words = [text for text in map(str, (_any(chance) for _ in range(2))) if "\x00" not in text and "\ud800" not in text]
    arguments = [command, *([task] if command == "train" else []), *chosen, *words, "--no-such-flag"]
    said = io.StringIO()
    what = f"swarmbed {' '.join(arguments)[:300]}"
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            code = main(arguments)
    except SystemExit as ended:
        code = ended.code  # --help
    except Exception as error:
        return f"{what}: {described(error)}"
    if code not in (0, 2):
        return f"{what}: exit code {code}"
    lines = said.getvalue().strip().splitlines()
    if code == 2 and not (lines and lines[-1].startswith("swarmbed: ")):
        return f"{what}: it said {said.getvalue()[:200]!r}"
    return f"{what}: a traceback" if "Traceback" in said.getvalue() else None


FUNCTIONS: dict[str, tuple[Callable[..., Any], tuple[str, ...]]] = {
    "evaluate": (swarmbed.evaluate, ("who", "task", "episodes", "seed", "num_agents", "stochastic", "progress")),
    "compare": (swarmbed.compare, ("policies", "task", "num_agents", "episodes", "seed", "stochastic")),
    "render": (swarmbed.render, ("who", "task", "out", "format", "seed", "episode", "num_agents", "steps", "look")),
    "train": (swarmbed.train, ("task", "embedding", "network", "algorithm", "batch", "preset", "num_agents",
                               "observation", "iterations", "seed", "seeds", "init", "out", "resume", "overwrite",
                               "callback")),
    "load_policy": (load_policy, ("name_or_path",)),
    "make": (swarmbed.make, ("name", "num_agents", "horizon", "comm_radius")),
    "auto_reset": (swarmbed.auto_reset, ("task",)),
    "register": (swarmbed.register, ("kind", "name")),
    "Learner": (Learner, ("task", "embedding", "algorithm", "batch", "network")),
}  # fmt: skip


def _function(chance: random.Random) -> Outcome:
    """A public function with one argument that cannot be right, so that nothing is ever run."""
    name, (function, names) = chance.choice(list(FUNCTIONS.items()))
    given: dict[str, Any] = (
        {names[0]: "no-such-thing"} if name not in ("auto_reset", "register", "Learner") else {names[0]: 3}
    )
    for argument in chance.sample(names, min(len(names), chance.randrange(1, 3))):
        given[argument] = _any(chance)
    if name == "train":
        given["resume"] = "/nowhere/at/all"
    if name in ("evaluate", "render"):
        given["who"] = chance.choice(("no-such-thing", b"x", 3, None, ""))
    if name == "compare":
        given["policies"] = chance.choice((["no-such-thing"], [], 3, {"a": "no-such-thing"}, [3], ""))
    if name == "register" and callable(given.get("kind")) and isinstance(given["kind"], type):
        given["kind"] = 3
    return _judged(lambda: function(**given), f"{name}({str(given)[:200]})")
