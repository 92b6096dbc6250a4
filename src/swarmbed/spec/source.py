"""What the package's own files declare, read without running them: ``--help`` and ``list`` need not wait for JAX.

Only text is read: docstrings, base classes, and fields that are made by ``setting(default, …)``. A test compares it
with what the registry finds by importing everything.
"""

import ast
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

ROOT = "swarmbed"


@dataclass(frozen=True)
class SourceClass:
    """A class as it is written: its first sentence, the defaults of its settings, and what it leaves abstract."""

    module: str
    name: str
    summary: str
    ancestors: frozenset[str]
    settings: dict[str, Any] = field(default_factory=dict)
    choices: dict[str, tuple[str, ...]] = field(default_factory=dict)
    abstract: frozenset[str] = frozenset()


def constant(module: str, name: str) -> Any:
    """The value of a constant of a module: words, numbers, and containers of them."""
    for node in _tree(module).body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return ast.literal_eval(node.value)  # type: ignore[attr-defined]
    raise LookupError(f"{module} has no constant {name}")


def members(folder: str, base: str) -> dict[str, SourceClass]:
    """The built-in members of a plug-in family by name, as the registry has them."""
    found: dict[str, SourceClass] = {}
    for path in sorted((_folder() / folder).glob("*.py")):
        module = f"{ROOT}.{folder}.{path.stem}"
        if path.stem in ("__init__", "base"):
            continue
        concrete = [kind for kind in _classes(module) if base in kind.ancestors and not kind.abstract]
        names = [path.stem] if len(concrete) == 1 else [kind.name.lower() for kind in concrete]
        found |= dict(zip(names, concrete, strict=True))
    return found


def has_installed(folder: str) -> bool:
    """Whether another package adds to a family, which only importing it can tell more about."""
    return bool(entry_points(group=f"{ROOT}.{folder}"))


def _folder() -> Path:
    return Path(str(resources.files(ROOT)))


@cache
def _tree(module: str) -> ast.Module:
    path = _folder().joinpath(*module.split(".")[1:])
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(path.read_text(encoding="utf-8"))


def _classes(module: str) -> list[SourceClass]:
    names = [node.name for node in _tree(module).body if isinstance(node, ast.ClassDef)]
    return [_class(module, name) for name in sorted(names)]  # the registry goes through them by name, too


@cache
def _class(module: str, name: str) -> SourceClass:
    """A class of this package with what it inherits from others of this package."""
    node = next(n for n in _tree(module).body if isinstance(n, ast.ClassDef) and n.name == name)
    bases = [_class(*origin) for text in node.bases if (origin := _origin(module, ast.unparse(text))) is not None]
    settings: dict[str, Any] = {}
    choices: dict[str, tuple[str, ...]] = {}
    abstract: set[str] = set()
    for inherited in reversed(bases):
        settings |= inherited.settings
        choices |= inherited.choices
        abstract |= inherited.abstract
    for line in node.body:
        if isinstance(line, ast.FunctionDef):
            decorators = {ast.unparse(decorator) for decorator in line.decorator_list}
            abstract = (abstract | {line.name}) if "abstractmethod" in decorators else abstract - {line.name}
        elif isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            if ast.unparse(line.annotation).startswith("ClassVar"):
                continue
            settings[line.target.id], choices[line.target.id] = _declared(line.value)
    own = {name, *(ancestor for inherited in bases for ancestor in inherited.ancestors)}
    summary = (ast.get_docstring(node) or "").strip().splitlines()
    return SourceClass(
        module, name, summary[0] if summary else "", frozenset(own), settings, choices, frozenset(abstract)
    )


def _declared(value: ast.expr | None) -> tuple[Any, tuple[str, ...]]:
    """Default and choices of ``setting(default, help, choices=…)``; choices that are computed are left out."""
    if not isinstance(value, ast.Call) or not value.args:
        return None, ()
    choices = next((word.value for word in value.keywords if word.arg == "choices"), None)
    return _plain(value.args[0]), tuple(_plain(choices)) if isinstance(choices, ast.Tuple) else ()


def _plain(node: ast.expr) -> Any:
    """A value that is written out; anything else stays as text."""
    try:
        return ast.literal_eval(node)
    except ValueError:
        return ast.unparse(node)


def _origin(module: str, name: str) -> tuple[str, str] | None:
    """Module and name behind a name that a module uses, if they are this package's."""
    for node in _tree(module).body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            return module, name
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(ROOT):
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return _origin(str(node.module), alias.name)
    return None
