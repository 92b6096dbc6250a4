"""Functions that compile themselves: an environment stepped in a notebook should not take its operations one by one."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

import jax

from swarmbed.compute import programs

Result = TypeVar("Result")


def compiled_on_call(function: Callable[..., Result], spec: Any, *arrays: Any) -> Result:
    """function(spec, *arrays): compiled where it is called with numbers, and a part of the caller's program where that
    is being traced (under ``jit``, ``vmap``, ``grad``, ``scan``).

    Equal specs of this package share what was compiled. Somebody's own class may hold more than the settings by which
    it is compared, so there every object has its own.
    """
    is_traced = any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(arrays))
    if is_traced or not _is_hashable(spec):
        return function(spec, *arrays)
    return _compiled(function)(spec if programs.is_ours(spec) else Itself(spec), *arrays)


class Itself:
    """A spec, or a tuple of specs, in place of itself: it equals another only if they are the very same objects."""

    def __init__(self, spec: Any) -> None:
        self.spec = spec
        self.ids = tuple(map(id, spec)) if isinstance(spec, tuple) else (id(spec),)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Itself) and self.ids == other.ids

    def __hash__(self) -> int:
        return hash(self.ids)


@lru_cache
def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(spec: Any, *arrays: Any) -> Any:
        return function(spec.spec if isinstance(spec, Itself) else spec, *arrays)

    return jax.jit(call, static_argnums=0)


def _is_hashable(spec: Any) -> bool:
    """Not where a setting has been replaced by an array."""
    try:
        hash(spec)
    except TypeError:
        return False
    return True
