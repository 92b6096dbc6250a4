"""Your own embedding in one file: attention over the set.

    swarmbed check examples/attention.py
    swarmbed train rendezvous --embedding attention --plugin examples/attention.py --heads 4 --out runs/attention

The mean embedding gives every neighbour the same weight. Here each of several heads learns how to weight neighbours.
The result is still a function of the set: any number of elements, in any order.
"""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, PRNGKeyArray

from swarmbed import Embedding, SwarmbedError, setting
from swarmbed.embeddings.base import Params, clear, column_normalised
from swarmbed.spec.observation import SetLayout


@dataclass(frozen=True)
class Attention(Embedding):
    """Heads that look at different neighbours: ψ_h = Σ_o w_h(o) φ_h(o), w_h = softmax over the set of a_h · o.

    φ is one layer of ReLU units, cut into equal parts, one per head; a_h is a learned query of each head.
    """

    units: int = setting(64, "units of φ, over all heads together", at_least=1)
    heads: int = setting(4, "heads; each has its own weights over the set", at_least=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.units % self.heads:
            raise SwarmbedError(f"units must be a multiple of heads, not {self.units} with {self.heads}")

    def prepare(
        self, layout: SetLayout, elements: Float[Array, "B S F"], mask: Bool[Array, "B S"]
    ) -> Float[Array, "B S F+1"]:
        """Elements with their presence as a last column; nothing here depends on parameters."""
        return jnp.concatenate([clear(elements, mask), mask[..., None].astype(elements.dtype)], -1)

    def init(self, layout: SetLayout, key: PRNGKeyArray) -> Params:
        value_key, query_key = jax.random.split(key)
        return {
            "weight": column_normalised(value_key, layout.features, self.units),
            "bias": jnp.zeros(self.units),
            "query": column_normalised(query_key, layout.features, self.heads),
        }

    def apply(self, params: Params, prepared: Float[Array, "B S F+1"]) -> Float[Array, "B K"]:
        elements, present = prepared[..., :-1], prepared[..., -1:] > 0
        values = jax.nn.relu(elements @ params["weight"] + params["bias"])
        scores = jnp.where(present, elements @ params["query"], -jnp.inf)
        # Without the largest score the exponentials cannot overflow, and an empty set has no -inf minus -inf.
        largest = jax.lax.stop_gradient(jnp.where(present.any(1), scores.max(1), 0.0))
        weight = jnp.exp(jnp.where(present, scores - largest[:, None], -jnp.inf))
        weight = weight / jnp.maximum(weight.sum(1, keepdims=True), 1.0)
        per_head = values.reshape(*values.shape[:2], self.heads, -1)
        pooled = (weight[..., None] * per_head).sum(1)
        return pooled.reshape(pooled.shape[0], self.units)
