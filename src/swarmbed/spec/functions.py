"""A Python function by its name on the command line: ``module:function``."""

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from swarmbed.spec.errors import SwarmbedError, line_in


def function_named(text: str, what: str) -> Callable[..., Any]:
    """The function; its module may lie in the present folder. ``what`` says in errors where the name was given.

    Importing a module runs it, so only what a user names is ever imported.
    """
    module, colon, name = text.partition(":")
    if not (module and colon and name) or module.startswith("."):
        raise SwarmbedError(f"{what} must be module:function, not {text!r}")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        found = getattr(importlib.import_module(module), name, None)
    except Exception as error:  # whatever a module does while it is imported
        reason = str(error) if isinstance(error, ImportError) else f"{type(error).__name__}: {error}"
        where = line_in(Path.cwd() / f"{module.replace('.', '/')}.py", error)
        raise SwarmbedError(f"{what}: the module {module!r} cannot be imported: {reason}{where}") from error
    if not callable(found):
        raise SwarmbedError(f"{what}: the module {module!r} has no function {name!r}")
    function: Callable[..., Any] = found
    return function
