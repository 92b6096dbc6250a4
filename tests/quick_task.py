"""A task for tests that call its functions a few times each."""

from typing import Any

import jax

import swarmbed
from swarmbed.compute import compiling

PURE = ("advance", "believed_heading", "initial", "observe", "path_to_evader", "transition")


class QuickTask:
    """A task whose pure functions are compiled, and quickly so, when they are first called; all else is the task's."""

    def __init__(self, name: str, **settings: Any) -> None:
        self.task = swarmbed.make(name, **settings)

    def __getattr__(self, name: str) -> Any:
        if name not in PURE:
            return getattr(self.task, name)
        function = jax.jit(getattr(self.task, name), compiler_options=compiling.once())
        setattr(self, name, function)
        return function
