"""What every task, embedding, network, algorithm and controller promises, as checks that run and explain themselves.

    for outcome in check_spec("tasks", "dispersion", Dispersion):
        print(outcome.check.name, outcome.found or "passed")

``swarmbed check FILE.py`` runs them on everything that a file defines.
"""

import inspect
import sys
from collections.abc import Collection, Iterator
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, NamedTuple

from swarmbed.contracts.check import Broken, Check, Outcome, run_checks
from swarmbed.spec import registry
from swarmbed.spec.errors import SwarmbedError

__all__ = ["Broken", "Check", "Outcome", "Subject", "check_spec", "named", "subjects_of_file"]


class Subject(NamedTuple):
    """A spec to be checked: its family's folder, the name it is known by, its class, and what is already wrong."""

    family: str
    name: str
    spec: type
    trouble: str | None = None


def check_spec(family: str, name: str, spec: type[Any], taken_flags: Collection[str] = ()) -> Iterator[Outcome]:
    """Run every check of a family on a spec, one by one. Essential checks come first: if one fails, the rest is not
    run.

    ``taken_flags`` are those of ``swarmbed train``, which no setting may use a second time.
    """
    from swarmbed.contracts import algorithms, controllers, embeddings, networks, tasks
    from swarmbed.contracts.settings import settings_checks
    from swarmbed.contracts.task_subject import TaskSubject

    makers: dict[str, tuple[list[Check], type[Any]]] = {
        "tasks": (tasks.CHECKS, TaskSubject),
        "embeddings": (embeddings.CHECKS, embeddings.EmbeddingSubject),
        "networks": (networks.CHECKS, networks.NetworkSubject),
        "algorithms": (algorithms.CHECKS, algorithms.AlgorithmSubject),
        "controllers": (controllers.CHECKS, controllers.ControllerSubject),
    }
    checks, make = makers[family]
    # A network from another library keeps its settings to itself.
    foreign = family == "networks" and not is_dataclass(spec)
    first = [] if foreign else settings_checks(family, taken_flags)
    return run_checks([*first, *checks], make(spec), name)


def subjects_of_file(path: str | Path) -> list[Subject]:
    """Load a plug-in and list the specs in it, including unusable ones."""
    installed = _installed_from(Path(path))
    if installed:
        return installed
    known = {family.folder: dict(family.all()) for family in registry.FAMILIES}
    try:
        added = registry.load_plugin(path)
        failure = None
    except SwarmbedError as error:
        added, failure = {}, error
    module = sys.modules.get(f"swarmbed_plugin_{Path(path).stem}")
    unfinished = [] if module is None else list(_unfinished(module))
    if failure is not None and not unfinished:
        raise failure
    subjects = list(unfinished)
    for family in registry.FAMILIES:
        for name in added.get(family.folder, []):
            spec = family.all()[name]
            before = known[family.folder].get(name)
            taken = before is not None and before.__module__ != spec.__module__
            trouble = f"the {family.kind} {name!r} already exists; give the file another name" if taken else None
            subjects.append(Subject(family.folder, name, spec, trouble))
    return subjects


def _installed_from(path: Path) -> list[Subject]:
    """The specs that are known already because this very file is part of an installed package."""
    return [
        Subject(family.folder, name, spec)
        for family in registry.FAMILIES
        for name, spec in family.all().items()
        if not spec.__module__.startswith("swarmbed_plugin_")
        and Path(inspect.getfile(spec)).resolve() == path.resolve()
    ]


def named(name: str) -> list[Subject]:
    """The installed specs of that name, in whatever family."""
    families = [family for family in registry.FAMILIES if name in family.all()]
    return [Subject(family.folder, name, family.all()[name]) for family in families]


def _unfinished(module: Any) -> Iterator[Subject]:
    """Classes that the registry skips because a function is missing, unless another class completes them."""
    own = [member for _, member in inspect.getmembers(module, inspect.isclass) if member.__module__ == module.__name__]
    for family in registry.FAMILIES:
        for spec in own:
            completed = any(other is not spec and issubclass(other, spec) for other in own)
            if issubclass(spec, family.base_class) and inspect.isabstract(spec) and not completed:
                missing = ", ".join(sorted(getattr(spec, "__abstractmethods__", ())))
                trouble = f"{spec.__name__} is incomplete: it has to define {missing}"
                yield Subject(family.folder, spec.__name__.lower(), spec, trouble)
