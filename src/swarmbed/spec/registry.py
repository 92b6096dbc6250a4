"""Plug-in families: every file in a family's folder that holds one concrete spec adds a name to the command line.

``tasks/rendezvous.py`` is the task ``rendezvous``. Files outside the package join through ``--plugin FILE.py`` or the
entry-point groups ``swarmbed.tasks``, ``swarmbed.embeddings``, ``swarmbed.networks``, ``swarmbed.algorithms`` and
``swarmbed.controllers``; a class from a notebook cell joins when it is first used, or by :func:`register`.
"""

import importlib
import importlib.util
import inspect
import pkgutil
import re
import sys
import warnings
from dataclasses import dataclass, field, is_dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from swarmbed.spec.arguments import checked_arguments
from swarmbed.spec.errors import SwarmbedError, choose, line_in, shown
from swarmbed.spec.settings import checked, complete


@dataclass
class Family:
    """The specs of one kind, by name; a variant is a name for one of them with certain settings."""

    folder: str
    base: str
    members: dict[str, type] = field(default_factory=dict)
    variants: dict[str, tuple[str, dict[str, Any]]] = field(default_factory=dict)
    loaded: bool = False
    root: str = ""  # the class that all members derive from, if it is not the usual base class

    @property
    def kind(self) -> str:
        return self.folder.rstrip("s")

    @property
    def base_class(self) -> type:
        return getattr(importlib.import_module(f"swarmbed.{self.folder}.base"), self.root or self.base)  # type: ignore[no-any-return]

    def all(self) -> dict[str, type]:
        """Every member, the built-in ones first."""
        if not self.loaded:
            self.loaded = True
            package = importlib.import_module(f"swarmbed.{self.folder}")
            for info in pkgutil.iter_modules(package.__path__):
                if info.name == "base":
                    continue
                self.add_module(importlib.import_module(f"{package.__name__}.{info.name}"), info.name)
            for point in entry_points(group=f"swarmbed.{self.folder}"):
                self.add_installed(point)
        return self.members

    def add_installed(self, point: EntryPoint) -> None:
        """Add what another package offers; one that cannot be used is skipped with a warning."""
        try:
            spec = point.load()
            if not (inspect.isclass(spec) and issubclass(spec, self.base_class)):
                raise TypeError(f"it is not a {self.base}")
            if point.name in self.members:
                raise ValueError(f"the {self.kind} {point.name!r} already exists")
        except Exception as error:
            source = f"package {point.dist.name}" if point.dist else "a package"
            warnings.warn(
                f"the {self.kind} {point.name!r} of {source} ({point.value}) is skipped: {error}", stacklevel=2
            )
        else:
            complete(spec)
            self.members[point.name] = spec

    def add_module(self, module: ModuleType, name: str) -> list[str]:
        """Add the concrete specs that a module itself defines; returns their names."""
        specs = [
            member
            for _, member in inspect.getmembers(module, inspect.isclass)
            if member.__module__ == module.__name__
            and issubclass(member, self.base_class)
            and not inspect.isabstract(member)
        ]
        for spec in specs:
            complete(spec)
        names = [name] if len(specs) == 1 else [spec.__name__.lower() for spec in specs]
        self.members.update(zip(names, specs, strict=True))
        return names

    def names(self) -> list[str]:
        """Every name that is accepted where one of this kind is asked for."""
        return [*self.all(), *self.variants]

    def resolve(self, name: str) -> tuple[type[Any], dict[str, Any]]:
        """The class behind a name, and the settings that the name stands for."""
        choose(self.kind, name, self.names())
        base, settings = self.variants.get(name, (name, {}))
        return self.all()[base], dict(settings)

    def make(self, name: str, settings: dict[str, Any]) -> Any:
        """A spec by name, with settings checked against its fields."""
        kind, preset = self.resolve(name)
        if not is_dataclass(kind):  # a class from another library, whose settings are its own business
            if settings:
                raise SwarmbedError(f"{self.kind} {name!r} has no setting {next(iter(settings))!r}; it has none")
            return kind()
        return kind(**preset | checked(kind, settings, f"{self.kind} {name!r}"))

    def get(self, name: str) -> type[Any]:
        return self.all()[choose(self.kind, name, list(self.all()))]

    def name_of(self, spec: object) -> str:
        """The name under which a spec's class is known; a class that is new gets one, made from its own."""
        kind = type(getattr(spec, "module", spec))
        for name, member in self.all().items():
            if kind is member:
                return name
        return self.add(kind)

    def add(self, kind: type, name: str | None = None) -> str:
        """Register a class under a name. Running a cell again replaces the class it defined before; nothing else is
        ever replaced."""
        name = name or snake_case(kind.__name__)
        known = self.all().get(name)
        if known is not None and (known.__module__, known.__qualname__) != (kind.__module__, kind.__qualname__):
            raise SwarmbedError(
                f"the {self.kind} {name!r} already exists; rename the class, or register it under another name: "
                f"swarmbed.register({kind.__name__}, name=…)"
            )
        self.members[name] = kind
        return name


tasks = Family("tasks", "Task")
embeddings = Family("embeddings", "Embedding")
networks = Family("networks", "Network")
algorithms = Family("algorithms", "Algorithm", root="LearningAlgorithm")
controllers = Family("controllers", "Controller")
FAMILIES = (tasks, embeddings, networks, algorithms, controllers)
Kind = TypeVar("Kind", bound=type)


def task_name(task: object) -> str:
    """The name under which a task is known, or its class's for one that was never registered."""
    return next((name for name, kind in tasks.all().items() if type(task) is kind), snake_case(type(task).__name__))


@checked_arguments()
def register(kind: Kind, *, name: str | None = None) -> Kind:
    """Register a task, embedding, network, algorithm or controller under a name; also works as a decorator.

    Training an unregistered class registers it. Register a class yourself before loading a policy that was trained with
    it in another session.

    >>> import swarmbed
    >>> @swarmbed.register  # doctest: +SKIP
    ... class MyTask(swarmbed.SwarmTask): ...
    """
    for family in FAMILIES:
        if inspect.isclass(kind) and issubclass(kind, family.base_class):
            family.add(kind, name)
            return kind
    if inspect.isclass(kind) and hasattr(kind, "init") and hasattr(kind, "apply"):
        networks.add(kind, name)
        return kind
    bases = ", ".join(family.base for family in FAMILIES)
    raise SwarmbedError(f"register takes a class that derives from one of: {bases}; not {shown(kind)}")


def snake_case(name: str) -> str:
    """``MyTask`` → ``my_task``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


plugin_files: list[str] = []  # those that were loaded, as they were named: a command that goes on needs them again


_modules: list[str] = []  # the files of those that were run, as a traceback names them


def blamed_on_a_plugin(error: BaseException) -> str | None:
    """The sentence for an error that a plug-in's own code raised, with its line; None for any other error."""
    for file in _modules:
        if where := line_in(file, error):
            reason = next(iter(str(error).splitlines()), "")
            return f"your plugin raised {type(error).__name__}: {reason}{where}"
    return None


def load_plugin(path: str | Path) -> dict[str, list[str]]:
    """Run a Python file and add the specs in it to their families. Returns what it added: {family: [names]}."""
    path = Path(path)
    if not path.is_file():
        raise SwarmbedError(f"plugin file {path} does not exist")
    for family in FAMILIES:
        family.all()
    module_name = f"swarmbed_plugin_{path.stem}"
    module_spec = importlib.util.spec_from_file_location(module_name, path)
    if module_spec is None or module_spec.loader is None:
        raise SwarmbedError(f"plugin file {path} is not a Python file")
    module = importlib.util.module_from_spec(module_spec)
    sys.modules[module_name] = module
    try:
        module_spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # sys.exit as well
        reason = f"{type(error).__name__}: {error}{line_in(module.__file__, error)}"
        raise SwarmbedError(f"plugin file {path} cannot be loaded: {reason}") from error
    _modules.append(str(module.__file__))
    added = {family.folder: family.add_module(module, path.stem) for family in FAMILIES}
    added = {folder: names for folder, names in added.items() if names}
    if not added:
        kinds = ", ".join(family.base for family in FAMILIES)
        raise SwarmbedError(f"plugin file {path} defines no concrete {kinds}")
    if str(path) not in plugin_files:
        plugin_files.append(str(path))
    return added
