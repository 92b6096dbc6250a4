"""Embeddings that break a promise each: the check that is meant for it finds it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import pytest
from honest_plugins import Average

Failures = Callable[[str, type], dict[str, str]]


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
    """Multiplies by the mask, which turns NaN into NaN."""

    def prepare(self, layout: Any, elements: Any, mask: Any) -> Any:
        return jnp.concatenate([elements * mask[..., None], mask[..., None]], -1)


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


@pytest.mark.parametrize(
    ("spec", "checks"),
    [
        (Unpooled, ["gives one vector per set"]),
        (Leaky, ["what absent slots hold does not matter"]),
        (Biased, ["an empty set gives zeros"]),
        (SlotCounter, ["the number of slots is free where that is declared"]),
        (Sum, ["doubling every element changes nothing where that is declared"]),
        (Deviation, ["numbers and gradients stay finite"]),
        (Ordered, ["the order of the elements does not matter"]),
        # With other sets beside it a set looks different, and so does one that was moved to another slot.
        (Nosy, ["the number of slots is free where that is declared", "every set is embedded on its own"]),
    ],
)
def test_an_embedding_that_breaks_a_promise_fails_that_check(spec: type, checks: list[str], failures: Failures) -> None:
    assert list(failures("embeddings", spec)) == checks
