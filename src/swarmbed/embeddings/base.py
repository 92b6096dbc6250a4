"""What an embedding is: a set of any size in, a vector of fixed size out.

The work is split in two, so learners repeat only what changes:

    prepare(elements, mask)    everything that does not depend on trained parameters; done once per sample
    apply(params, prepared)    the rest; done in every pass over the batch

For histograms and moments ``prepare`` does it all, for neural features it only packs the set into one array.
All arrays have one batch axis in front; embeddings do not know what a swarm is.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, PRNGKeyArray

from swarmbed.spec.observation import SetLayout
from swarmbed.spec.settings import Spec

Params = Any  # a pytree of arrays


@dataclass(frozen=True)
class Embedding(Spec, ABC):
    """μ(O): a function of a set of elements, given as (batch, slots, features) with a mask."""

    # False where the order of the slots matters; the contract tests hold an embedding to what it declares.
    permutation_invariant: ClassVar[bool] = True
    # False where trained parameters belong to one number of slots, so the policy runs with one swarm size only.
    any_number_of_slots: ClassVar[bool] = True
    # True where duplicating every element of a set changes nothing, as for means and maxima.
    invariant_to_duplication: ClassVar[bool] = True

    @abstractmethod
    def prepare(self, layout: SetLayout, elements: Float[Array, "B S F"], mask: Bool[Array, "B S"]) -> Any:
        """What does not depend on parameters, as an array or a pytree of arrays with a row per set. Absent elements may
        hold anything and must not matter."""

    def init(self, layout: SetLayout, key: PRNGKeyArray) -> Params:
        """Initial trained parameters, any pytree of arrays; none by default."""
        return ()

    def apply(self, params: Params, prepared: Any) -> Float[Array, "B K"]:
        """The embedding of every set in the batch. An empty set gives zeros."""
        embedded: Array = prepared
        return embedded

    def check(self, layout: SetLayout) -> None:
        """Raise :class:`SwarmbedError` if this embedding cannot read such a set."""


def clear(elements: Float[Array, "B S F"], mask: Bool[Array, "B S"]) -> Float[Array, "B S F"]:
    """Zeros in place of absent elements, whatever they hold."""
    return jnp.where(mask[..., None], elements, 0.0)


def mean_over_present(features: Float[Array, "B S K"], mask: Bool[Array, "B S"]) -> Float[Array, "B K"]:
    """1/|O| Σ φ(o) over the elements that are present; 0 for the empty set."""
    count = jnp.maximum(mask.sum(1, dtype=features.dtype), 1.0)
    return jnp.where(mask[..., None], features, 0.0).sum(1) / count[:, None]


def column_normalised(key: PRNGKeyArray, inputs: int, outputs: int, scale: float = 1.0) -> Float[Array, "I O"]:
    """Initial weights of a layer: normal numbers, every output's column scaled to the length ``scale``."""
    weights = jax.random.normal(key, (inputs, outputs))
    return scale * weights / jnp.sqrt(jnp.maximum(jnp.square(weights).sum(0, keepdims=True), 1e-12))
