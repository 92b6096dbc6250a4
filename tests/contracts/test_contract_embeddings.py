"""Embeddings that break a promise each: the check that is meant for it finds it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import jax.numpy as jnp
import pytest
from honest_plugins import Average

Failures = Callable[..., dict[str, str]]


@dataclass(frozen=True)
class Unpooled(Average):
    """Leaves the pooling out."""

    def pool(self, features: Any, mask: Any) -> Any:
        return features


@dataclass(frozen=True)
class Ordered(Average):
    """The first element counts twice."""

    def pool(self, features: Any, mask: Any) -> Any:
        first = jnp.take_along_axis(features, mask.argmax(1)[:, None, None], axis=1)[:, 0]
        return super().pool(features, mask) + jnp.where(mask.any(1)[:, None], first, 0.0)


@dataclass(frozen=True)
class Leaky(Average):
    """Lets absent slots into the mean."""

    def prepare(self, layout: Any, elements: Any, mask: Any) -> Any:
        return jnp.concatenate([elements, mask[..., None]], -1)

    def pool(self, features: Any, mask: Any) -> Any:
        return jnp.where(mask.any(1)[:, None], features.sum(1) / jnp.maximum(mask.sum(1), 1)[:, None], 0.0)


@dataclass(frozen=True)
class LeakyGradient(Average):
    """Multiplies by the mask, and 0 · NaN is NaN: the pooling hides it from the value, not from the gradient."""

    def prepare(self, layout: Any, elements: Any, mask: Any) -> Any:
        return jnp.concatenate([elements * mask[..., None], mask[..., None]], -1)


@dataclass(frozen=True)
class Lowest(Average):
    """The lowest of all slots, present or not: only garbage below zero shows it."""

    def prepare(self, layout: Any, elements: Any, mask: Any) -> Any:
        low = jnp.minimum(jnp.where(mask[..., None], elements, jnp.inf).min(1), elements.min(1))
        return jnp.where(mask.any(1)[:, None], low, 0.0)

    def init(self, layout: Any, key: Any) -> Any:
        return {}

    def apply(self, params: Any, prepared: Any) -> Any:
        return prepared


@dataclass(frozen=True)
class Biased(Average):
    """Adds the bias once more, after the pooling."""

    def apply(self, params: Any, prepared: Any) -> Any:
        return super().apply(params, prepared) + params["bias"]


@dataclass(frozen=True)
class SlotCounter(Average):
    """Divides by the number of slots, present or not."""

    def pool(self, features: Any, mask: Any) -> Any:
        return jnp.where(mask[..., None], features, 0.0).mean(1)


@dataclass(frozen=True)
class Sum(Average):
    """A sum that claims to be a mean."""

    def pool(self, features: Any, mask: Any) -> Any:
        return jnp.where(mask[..., None], features, 0.0).sum(1)


@dataclass(frozen=True)
class Deviation(Average):
    """√variance, without a guard."""

    def pool(self, features: Any, mask: Any) -> Any:
        mean = mean_of(features, mask)
        return jnp.sqrt(mean_of(jnp.square(features - mean[:, None]), mask))


@dataclass(frozen=True)
class Nosy(Average):
    """Scales by what the other sets of the batch hold."""

    def pool(self, features: Any, mask: Any) -> Any:
        pooled = super().pool(features, mask)
        return pooled / (1 + jnp.abs(pooled).max())


def mean_of(features: Any, mask: Any) -> Any:
    return jnp.where(mask[..., None], features, 0.0).sum(1) / jnp.maximum(mask.sum(1), 1)[:, None]


@dataclass(frozen=True)
class BatchCentred(Average):
    """Subtracts the mean over the batch, as batch normalisation does."""

    def pool(self, features: Any, mask: Any) -> Any:
        pooled = super().pool(features, mask)
        return jnp.where(mask.any(1)[:, None], pooled - pooled.mean(0), 0.0)


@dataclass(frozen=True)
class OneWeightPerSlot(Average):
    """A parameter for each slot, though any number of slots is declared."""

    def init(self, layout: Any, key: Any) -> Any:
        return {**super().init(layout, key), "importance": jnp.ones(layout.slots)}


ABSENT = "what absent slots hold does not matter"
SLOTS = "the number of slots is free where that is declared"
ALONE = "every set is embedded on its own"


@pytest.mark.parametrize(
    ("spec", "check", "words"),
    [
        (Unpooled, "gives one vector per set", "the result is float32 of shape (4, 6, 4)"),
        (Ordered, "the order of the elements does not matter", "in another order give another vector"),
        (Leaky, ABSENT, "the vector changes when absent slots hold 0"),
        (LeakyGradient, ABSENT, "the gradient of the parameters changes when absent slots hold inf"),
        (Biased, "an empty set gives zeros", "the vector of the empty set is not zero"),
        (SlotCounter, SLOTS, "two more empty slots change the vector"),
        (OneWeightPerSlot, SLOTS, "with 1 slots parameters have another shape than with 6"),
        (Sum, "doubling every element changes nothing where that is declared", "every element appears twice"),
        (Nosy, ALONE, "a set gives another vector when it is alone in its batch"),
        (BatchCentred, ALONE, "a set gives another vector when it is alone in its batch"),
        (Deviation, "numbers and gradients stay finite", "the gradient"),
    ],
)
def test_an_embedding_that_breaks_a_promise_fails_that_check(
    spec: type, check: str, words: str, failures: Failures
) -> None:
    found = failures("embeddings", spec, [check])
    assert check in found
    assert words in found[check]


@pytest.mark.parametrize("spec", [Ordered, LeakyGradient, Biased])
def test_a_single_mistake_fails_a_single_check(spec: type, failures: Failures) -> None:
    assert len(failures("embeddings", spec)) == 1


def test_garbage_that_only_shows_below_zero_is_found_too(failures: Failures) -> None:
    assert "the vector changes when absent slots hold" in failures("embeddings", Lowest, [ABSENT])[ABSENT]


@dataclass(frozen=True)
class DeclaredOrder(Ordered):
    """Sees an order, and says so."""

    permutation_invariant: ClassVar[bool] = False
    invariant_to_duplication: ClassVar[bool] = False


def test_an_embedding_is_held_to_what_it_declares_alone(failures: Failures) -> None:
    assert failures("embeddings", DeclaredOrder) == {}
