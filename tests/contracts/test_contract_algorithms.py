"""Algorithms that break one promise each: the check that is meant for it finds it and says what is wrong."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from honest_plugins import Climb

from swarmbed.spec.settings import setting

Failures = Callable[..., dict[str, str]]


@dataclass(frozen=True)
class Downhill(Climb):
    """A sign error."""

    rate: float = setting(-0.01, "length of the step per gradient")


@dataclass(frozen=True)
class Forgetful(Climb):
    """Gives its memory back in another shape."""

    def memory(self, params: Any) -> Any:
        return jnp.zeros(3)

    def update(self, model: Any, params: Any, memory: Any, batch: Any, key: Any) -> Any:
        return super().update(model, params, memory[:2], batch, key)


@dataclass(frozen=True)
class UnitStep(Climb):
    """Divides by the length of the gradient, which can be 0."""

    def update(self, model: Any, params: Any, memory: Any, batch: Any, key: Any) -> Any:
        found = super().update(model, params, memory, batch, key)
        change = jax.tree.map(lambda new, old: new - old, found.params, params)
        size = jnp.sqrt(sum(jnp.square(leaf).sum() for leaf in jax.tree.leaves(change)))
        return found._replace(params=jax.tree.map(lambda old, c: old + 0.01 * c / size, params, change))


@dataclass(frozen=True)
class Undefined(Climb):
    """A step so long that no float can tell where it ends, and that is taken."""

    rate: float = setting(1e30, "length of the step per gradient")

    def is_good(self, surrogate: Any, kl: Any) -> Any:
        return jnp.array(True)


@dataclass(frozen=True)
class Gullible(Climb):
    """Takes every step, wherever it leads."""

    def is_good(self, surrogate: Any, kl: Any) -> Any:
        return jnp.array(True)


@dataclass(frozen=True)
class Dreamer(Climb):
    """Draws from numpy, behind the key's back."""

    def update(self, model: Any, params: Any, memory: Any, batch: Any, key: Any) -> Any:
        found = super().update(model, params, memory, batch, key)
        return found._replace(surrogate=found.surrogate + np.random.rand())


@dataclass(frozen=True)
class Loner(Climb):
    """Asks Python in the middle of an update, which vmap cannot do."""

    def update(self, model: Any, params: Any, memory: Any, batch: Any, key: Any) -> Any:
        found = super().update(model, params, memory, batch, key)
        same = jax.pure_callback(np.asarray, jax.ShapeDtypeStruct((), found.kl.dtype), found.kl)
        return found._replace(kl=same)


@dataclass(frozen=True)
class Vandal(Climb):
    """Writes into the dictionaries it was given."""

    def update(self, model: Any, params: Any, memory: Any, batch: Any, key: Any) -> Any:
        found = super().update(model, params, memory, batch, key)
        params.network["head"] = found.params.network["head"]
        return found


FINITE = "an update gives finite numbers"
FLAT = "a batch without advantages does no harm"
NONSENSE = "a batch with a NaN leaves the policy unchanged"


@pytest.mark.parametrize(
    ("spec", "checks", "words"),
    [
        (Downhill, ["an update makes the policy better"], "E[π/π_old · Â] went from"),
        (Forgetful, ["an update keeps all shapes"], "memory have another structure"),
        (UnitStep, [FLAT, NONSENSE], "holds a number that is not finite"),
        (Undefined, [FINITE], "holds a number that is not finite"),
        (Gullible, [NONSENSE], "one NaN among the advantages of a batch changes the parameters"),
        (Dreamer, ["the same key gives the same update"], "the update differs when it is traced again"),
        (Loner, ["an update can be vmapped, and spread over devices"], "under jax.vmap: NotImplementedError"),
        (Vandal, ["an update does not modify its arguments"], "update modifies the parameters"),
    ],
)
def test_an_algorithm_that_breaks_a_promise_fails_that_check(
    spec: type, checks: list[str], words: str, failures: Failures
) -> None:
    found = failures("algorithms", spec, checks)
    assert list(found) == checks
    assert words in found[checks[0]]
