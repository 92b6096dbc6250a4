"""Networks that break one promise each: the check that is meant for it finds it and says what is wrong."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from honest_plugins import Linear

from swarmbed.contracts import check_spec
from swarmbed.networks.base import Model, PlainModel

Failures = Callable[..., dict[str, str]]


@dataclass(frozen=True)
class TooFew(Linear):
    """One number, however many are asked for."""

    def apply(self, params: Any, observation: Any) -> Any:
        return super().apply(params, observation)[:, :1]


@dataclass(frozen=True)
class Dreamer(Linear):
    """Draws its first weights from numpy, behind the key's back."""

    def init(self, key: Any, observation: Any, outputs: int) -> Any:
        return super().init(key, observation, outputs) + np.float32(np.random.rand())


@dataclass(frozen=True)
class Normalised(Linear):
    """Divides by the size of the whole batch's numbers, as batch normalisation does."""

    def apply(self, params: Any, observation: Any) -> Any:
        found = super().apply(params, observation)
        return found / (1 + jnp.abs(found).max())


@dataclass(frozen=True)
class Leaky(Linear):
    """Lets absent elements into the sum."""

    def summary(self, elements: Any, mask: Any) -> Any:
        return elements.sum(1) / jnp.maximum(mask.sum(1), 1)[:, None]


@dataclass(frozen=True)
class Ordered(Linear):
    """The first element that is there counts twice."""

    def summary(self, elements: Any, mask: Any) -> Any:
        first = jnp.take_along_axis(elements, mask.argmax(1)[:, None, None], axis=1)[:, 0]
        return super().summary(elements, mask) + jnp.where(mask.any(1)[:, None], first, 0.0)


@dataclass(frozen=True)
class DeclaredOrder(Ordered):
    """The same, and says so."""

    permutation_invariant: ClassVar[bool] = False


@dataclass(frozen=True)
class Flat(Linear):
    """A weight for each slot, though any number of slots is declared."""

    def summary(self, elements: Any, mask: Any) -> Any:
        return jnp.where(mask[..., None], elements, 0.0).sum(2)


@dataclass(frozen=True)
class Deviation(Linear):
    """The deviation of the elements, without a guard where there is none."""

    def apply(self, params: Any, observation: Any) -> Any:
        total = jnp.square(super().apply(params, observation)).sum(-1, keepdims=True)
        spread = [self.summary(jnp.square(s.elements - s.elements[:, :1]), s.mask).sum(-1) for s in observation.sets]
        return jnp.broadcast_to(jnp.sqrt(total * spread[0][:, None]), (total.shape[0], params.shape[1]))


@dataclass(frozen=True)
class Telephone(Linear):
    """Asks Python for the product, which neither vmap nor gradients can do."""

    def apply(self, params: Any, observation: Any) -> Any:
        rows = self.inputs(observation)
        shape = jax.ShapeDtypeStruct((rows.shape[0], params.shape[1]), rows.dtype)
        return jax.pure_callback(lambda a, b: np.asarray(a) @ np.asarray(b), shape, rows, params)


class ScaledModel(PlainModel):
    """Doubles its weights whatever it is told."""

    def rescaled(self, params: Any, factor: Any, shift: Any) -> Any:
        return 2 * params


@dataclass(frozen=True)
class Doubling(Linear):
    """Has its own idea of a scale."""

    def model(self, layout: Any, embedding: Any, outputs: int) -> Model:
        return ScaledModel(layout, outputs, self)


class Foreign:
    """Two functions that know nothing of swarmbed."""

    def init(self, key: Any, observation: Any, outputs: int) -> Any:
        return Linear().init(key, observation, outputs)

    def apply(self, params: Any, observation: Any) -> Any:
        return Linear().apply(params, observation)


ABSENT, ORDER = "what absent elements hold does not matter", "the order of the elements does not matter"
SLOTS, FINITE = "the number of slots is free where that is declared", "numbers and gradients stay finite"
SEEDS = "several sets of weights at once behave like each alone"


@pytest.mark.parametrize(
    ("spec", "checks", "words"),
    [
        (
            TooFew,
            ["gives one row of numbers per agent"],
            "must give one row of numbers per agent, (4, 2) here, not (4, 1)",
        ),
        (Dreamer, ["the same key gives the same weights"], "init gives other weights when it is called again"),
        (
            Normalised,
            ["every agent's row depends on its own observation only"],
            "an agent gets other numbers when other agents of the batch see something else",
        ),
        (Leaky, [ABSENT], "the numbers change when absent elements hold 0"),
        (Ordered, [ORDER], "the same elements in another order give other numbers"),
        (Flat, [ORDER, SLOTS], "in another order"),
        (Telephone, [ABSENT, FINITE, SEEDS], "Pure callbacks do not support JVP"),
        (Doubling, ["rescaled weights rescale the output"], "the output is not factor · output + shift"),
    ],
)
def test_a_network_that_breaks_a_promise_fails_that_check(
    spec: type, checks: list[str], words: str, is_found: Callable[..., None]
) -> None:
    is_found("networks", spec, checks, words)


def test_a_gradient_that_is_not_finite_is_found(failures: Failures) -> None:
    assert "the gradient" in failures("networks", Deviation, [FINITE])[FINITE]


@pytest.mark.parametrize("spec", [DeclaredOrder, Foreign])
def test_a_network_is_held_to_what_it_declares_alone(spec: type, failures: Failures) -> None:
    assert failures("networks", spec) == {}


def test_the_settings_of_a_foreign_network_are_its_own_business() -> None:
    assert next(check_spec("networks", "it", Foreign)).check.name == "gives one row of numbers per agent"
