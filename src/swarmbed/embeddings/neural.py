"""Neural features of a set, pooled: the paper's mean embedding, and softmax and max pooling beside it."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int, PRNGKeyArray

from swarmbed.compute.chunks import in_pieces
from swarmbed.embeddings.base import Embedding, Params, clear, column_normalised
from swarmbed.embeddings.poolings import ACTIVATIONS, Maximum, Softmax, Sum
from swarmbed.embeddings.ragged import Ragged, ragged
from swarmbed.embeddings.slots import Pooling, pool
from swarmbed.spec.observation import SetLayout
from swarmbed.spec.settings import setting


@dataclass(frozen=True)
class Neural(Embedding):
    """Neural features φ(o), trained end to end and pooled over the set.

    mean      ψ = 1/|O| Σ φ(o)
    softmax   ψ_k = Σ e^{αφ_k(o)} φ_k(o) / Σ e^{αφ_k(o)}
    max       ψ_k = max φ_k(o)
    """

    pooling: str = setting("mean", "how features are pooled over the set", choices=("mean", "softmax", "max"))
    features: tuple[int, ...] = setting((64,), "units of each layer of φ", at_least=1, not_empty=True)
    activation: str = setting("relu", "non-linearity of φ", choices=tuple(ACTIVATIONS))
    temperature: float = setting(1.0, "α of softmax pooling: 0 is the mean, large is the maximum", at_least=0)

    def prepare(
        self, layout: SetLayout, elements: Float[Array, "B S F"], mask: Bool[Array, "B S"]
    ) -> Float[Array, "B S F+1"] | Ragged:
        """Elements with their presence as a last column: the bias is its weight, so absent slots stay exactly 0."""
        packed = jnp.concatenate([clear(elements, mask), mask[..., None].astype(elements.dtype)], -1)
        return ragged(packed, mask) if layout.is_ragged else packed

    def init(self, layout: SetLayout, key: PRNGKeyArray) -> Params:
        sizes = (layout.features, *self.features)
        keys = jax.random.split(key, len(self.features))
        layers = zip(keys, sizes[:-1], sizes[1:], strict=True)
        return tuple({"weight": column_normalised(k, n, m), "bias": jnp.zeros(m)} for k, n, m in layers)

    def apply(self, params: Params, prepared: Float[Array, "B S C"] | Ragged) -> Float[Array, "B K"]:
        if isinstance(prepared, Ragged):
            return in_pieces(lambda piece: self._pooled(params, *piece), prepared)
        return self._pooled(params, prepared)

    def _pooled(
        self,
        params: Params,
        prepared: Float[Array, "B S C"],
        count: Int[Array, " B"] | None = None,
        last: Int[Array, " B"] | None = None,
    ) -> Float[Array, "B K"]:
        presence = prepared[..., -1]
        count = jnp.maximum(presence.sum(1) if count is None else count.astype(presence.dtype), 1.0)[:, None]
        # Only a known number of slots can be unrolled; an exported policy leaves it open.
        if len(params) == 1 and isinstance(prepared.shape[1], int):
            weights = jnp.concatenate([params[0]["weight"], params[0]["bias"][None]])
            pooled = pool(self._how, weights, prepared, None if last is None else last.max())
            return pooled / count if self.pooling == "mean" else pooled
        hidden = self._features(params, prepared)
        if self.pooling == "mean":
            return hidden.sum(1) / count
        present = presence[..., None] > 0
        if self.pooling == "max":
            highest = jnp.where(present, hidden, -jnp.inf).max(1)
            return jnp.where(present.any(1), highest, 0.0)
        # The largest exponent is factored out, so e^{αφ} cannot overflow; the ratio does not change.
        exponent = jnp.where(present, self.temperature * hidden, -jnp.inf)
        largest = jax.lax.stop_gradient(jnp.where(present.any(1), exponent.max(1), 0.0))
        weight = jnp.where(present, jnp.exp(jnp.where(present, exponent, 0.0) - largest[:, None]), 0.0)
        return (weight * hidden).sum(1) / jnp.where(present.any(1), weight.sum(1), 1.0)

    @property
    def _how(self) -> Pooling:
        if self.pooling == "softmax":
            return Softmax(self.activation, self.temperature)
        return Maximum(self.activation) if self.pooling == "max" else Sum(self.activation)

    def _features(self, params: Params, prepared: Float[Array, "B S C"]) -> Float[Array, "B S K"]:
        """φ of every element; exactly 0 in absent slots, since every activation maps 0 to 0."""
        # Elements as the rows of one matrix: gradients of a stack of small matrix products are slower.
        samples, slots, columns = prepared.shape
        rows = prepared.reshape(samples * slots, columns)
        hidden, presence = rows[:, :-1], rows[:, -1:]
        for layer in params:
            hidden = ACTIVATIONS[self.activation].value(hidden @ layer["weight"] + presence * layer["bias"])
        return hidden.reshape(samples, slots, hidden.shape[-1])
