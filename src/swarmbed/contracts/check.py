"""One check: its name, why it matters, what to do when it fails; and how a list of them is run."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from swarmbed.compute import compiling
from swarmbed.spec.errors import line_in

ROUNDING = 1e-4  # two ways to compute one float may differ by this share


class Broken(Exception):  # noqa: N818  a finding, not an error
    """A promise that is not kept: what was found, in words."""


@dataclass(frozen=True)
class Check:
    """A promise, and the function that raises :class:`Broken` where it is not kept.

    After an essential check fails, the rest is not run.
    """

    name: str
    why: str
    remedy: str
    run: Callable[[Any], None]
    essential: bool = False


class Outcome(NamedTuple):
    """``found`` is None where the check passed; a check that was not run has ``skipped``."""

    check: Check
    found: str | None = None
    skipped: bool = False

    @property
    def passed(self) -> bool:
        return self.found is None and not self.skipped


def promise(
    checks: list[Check], name: str, *, why: str, remedy: str, essential: bool = False
) -> Callable[[Callable[[Any], None]], Callable[[Any], None]]:
    """Put the decorated function on a list of checks."""

    def add(function: Callable[[Any], None]) -> Callable[[Any], None]:
        checks.append(Check(name, why, remedy, function, essential))
        return function

    return add


def run_checks(checks: Sequence[Check], subject: Any, name: str) -> Iterator[Outcome]:
    """Every check in order. An exception inside the spec's own code is a finding like any other."""
    hopeless = False
    for check in checks:
        if hopeless:
            yield Outcome(check, skipped=True)
            continue
        try:
            check.run(subject)
        except Broken as broken:
            outcome = Outcome(check, str(broken))
        except Exception as error:
            outcome = Outcome(check, _told(error, subject.spec))
        else:
            outcome = Outcome(check)
        yield outcome
        hopeless = check.essential and not outcome.passed


@contextmanager
def during(what: str, spec: type) -> Iterator[None]:
    """Say in which situation something was found, or the spec's own code raised an exception."""
    try:
        yield
    except Broken as broken:
        raise Broken(f"{what}: {broken}") from broken
    except Exception as error:
        raise Broken(f"{what}: {_told(error, spec)}") from error


def require(condition: Any, found: str) -> None:
    if not condition:
        raise Broken(found)


def require_finite(tree: Any, what: str) -> None:
    """Every number of every array."""
    for path, leaf in jax.tree_util.tree_flatten_with_path(tree)[0]:
        values = np.asarray(leaf)
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            where = jax.tree_util.keystr(path, simple=True, separator=".")
            raise Broken(f"{what}{f' ({where})' if where else ''} holds a number that is not finite")


def require_equal(one: Any, other: Any, what: str, within: float = ROUNDING) -> None:
    """Two trees of the same structure, up to rounding."""
    for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
        first, second = np.asarray(a, float), np.asarray(b, float)
        scale = max(1.0, float(np.abs(first).max(initial=0.0)))
        require(
            first.shape == second.shape and np.allclose(first, second, rtol=0, atol=within * scale, equal_nan=True),
            what,
        )


def same_structure(one: Any, other: Any) -> bool:
    return str(jax.tree.structure(one)) == str(jax.tree.structure(other))


def shapes_of(tree: Any) -> list[tuple[str, tuple[int, ...], str]]:
    """Path, shape and type of every leaf: what a compiled loop needs to stay the same."""
    leaves = jax.tree_util.tree_flatten_with_path(tree)[0]
    return [
        (jax.tree_util.keystr(path, simple=True, separator="."), tuple(jnp.shape(leaf)), str(jnp.result_type(leaf)))
        for path, leaf in leaves
    ]


def quick_jit(function: Callable[..., Any], **options: Any) -> Any:
    """jax.jit for a function that runs only a few times: most of the time would go into optimising it.

    Results are numpy arrays, so nothing that a check does with them is compiled.
    """
    compiled = jax.jit(function, compiler_options=compiling.once(), **options)
    return lambda *arguments: jax.tree.map(_host, compiled(*arguments))


def program(function: Callable[..., Any], *arguments: Any) -> str:
    """What a function is for the compiler. Two traces that give the same program need not be run to be compared."""
    return jax.jit(lambda *given: function(*given)).lower(*arguments).as_text()


def _host(leaf: Any) -> Any:
    return leaf if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key) else np.asarray(leaf)


def _told(error: Exception, spec: type) -> str:
    """What went wrong in one line, and the last line of the spec's own file that it went through."""
    first = next(iter(str(error).strip().splitlines()), "no message")
    file = getattr(sys.modules.get(spec.__module__), "__file__", None)
    return f"{type(error).__name__}: {first}{line_in(file, error)}"
