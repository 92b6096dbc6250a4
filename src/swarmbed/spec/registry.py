"""Plug-in families: every file in a family's folder that holds one concrete spec adds a name to the command line.

``tasks/rendezvous.py`` is the task ``rendezvous``. Other people's files join through ``--plugin FILE.py`` or the
entry-point groups ``swarmbed.tasks``, ``swarmbed.embeddings``, ``swarmbed.algorithms`` and ``swarmbed.controllers``.
"""

import importlib
import importlib.util
import inspect
import pkgutil
import sys
import warnings
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from swarmbed.spec.errors import SwarmbedError, choose, line_in


@dataclass
class Family:
    """The specs of one kind, by name."""

    folder: str
    base: str
    members: dict[str, type] = field(default_factory=dict)
    loaded: bool = False

    @property
    def kind(self) -> str:
        return self.folder.rstrip("s")

    @property
    def base_class(self) -> type:
        return getattr(importlib.import_module(f"swarmbed.{self.folder}.base"), self.base)  # type: ignore[no-any-return]

    def all(self) -> dict[str, type]:
        """Every member, the built-in ones first."""
        if not self.loaded:
            self.loaded = True
            package = importlib.import_module(f"swarmbed.{self.folder}")
            for info in pkgutil.iter_modules(package.__path__):
                self.add_module(importlib.import_module(f"{package.__name__}.{info.name}"), info.name)
            for point in entry_points(group=f"swarmbed.{self.folder}"):
                self.add_installed(point)
        return self.members

    def add_installed(self, point: EntryPoint) -> None:
        """Add what another package offers; one that cannot be used is passed over with a warning."""
        try:
            spec = point.load()
            if not (inspect.isclass(spec) and issubclass(spec, self.base_class)):
                raise TypeError(f"it is not a {self.base}")
            if point.name in self.members:
                raise ValueError(f"the {self.kind} {point.name!r} exists already")
        except Exception as error:
            source = f"package {point.dist.name}" if point.dist else "a package"
            warnings.warn(
                f"the {self.kind} {point.name!r} of {source} ({point.value}) is left out: {error}", stacklevel=2
            )
        else:
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
        names = [name] if len(specs) == 1 else [spec.__name__.lower() for spec in specs]
        self.members.update(zip(names, specs, strict=True))
        return names

    def get(self, name: str) -> type[Any]:
        return self.all()[choose(self.kind, name, list(self.all()))]

    def name_of(self, spec: object) -> str:
        """The name under which a spec's class is known."""
        for name, member in self.all().items():
            if type(spec) is member:
                return name
        raise SwarmbedError(f"{type(spec).__name__} is not a registered {self.kind}; load its file with --plugin")


tasks = Family("tasks", "Task")
embeddings = Family("embeddings", "Embedding")
algorithms = Family("algorithms", "Algorithm")
controllers = Family("controllers", "Controller")
FAMILIES = (tasks, embeddings, algorithms, controllers)


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
    except Exception as error:
        reason = f"{type(error).__name__}: {error}{line_in(module.__file__, error)}"
        raise SwarmbedError(f"plugin file {path} does not load: {reason}") from error
    added = {family.folder: family.add_module(module, path.stem) for family in FAMILIES}
    added = {folder: names for folder, names in added.items() if names}
    if not added:
        kinds = ", ".join(family.base for family in FAMILIES)
        raise SwarmbedError(f"plugin file {path} defines no concrete {kinds}")
    return added
