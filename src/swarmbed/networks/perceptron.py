"""The paper's network: [embedding of each set, local properties] → hidden layers → outputs."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, PRNGKeyArray

from swarmbed.embeddings.base import Embedding, column_normalised
from swarmbed.networks.base import Model, Network, Params, blank
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.observation import Layout, Observation
from swarmbed.spec.settings import setting


class Inputs(NamedTuple):
    """What a perceptron reads: one row per sample; each set as its embedding prepared it."""

    local: Float[Array, "B L"]
    sets: tuple[Any, ...]


@dataclass(frozen=True)
class Perceptron(Network):
    """One embedding per set, each with its own weights, then fully connected ReLU layers."""

    hidden: tuple[int, ...] = setting((64,), "units of the hidden layers of policy and value head", at_least=1)

    def model(self, layout: Layout, embedding: Embedding, outputs: int) -> "PerceptronModel":
        return PerceptronModel(layout, outputs, embedding, self.hidden)


@dataclass(frozen=True)
class PerceptronModel(Model):
    """Weights are {"embeddings": one entry per set, "head": one {"weight", "bias"} per layer}."""

    embedding: Embedding
    hidden: tuple[int, ...] = (64,)

    def __post_init__(self) -> None:
        for layout in self.layout.sets:
            self.embedding.check(layout)

    @property
    def any_number_of_slots(self) -> bool:
        return self.embedding.any_number_of_slots

    def prepare(self, observation: Observation) -> Inputs:
        sets = [
            self.embedding.prepare(layout, seen.elements, seen.mask)
            for layout, seen in zip(self.layout.sets, observation.sets, strict=True)
        ]
        return Inputs(observation.local, tuple(sets))

    def init(self, key: PRNGKeyArray, last_scale: float = 1.0) -> Params:
        """Column-normalised weights, zero biases; the last layer's columns have the length ``last_scale``."""
        embedding_key, head_key = jax.random.split(key)
        set_keys = jax.random.split(embedding_key, max(len(self.layout.sets), 1))
        sets = tuple(self.embedding.init(s, k) for s, k in zip(self.layout.sets, set_keys, strict=False))
        sizes = (self._head_inputs(sets), *self.hidden, self.outputs)
        scales = [1.0] * len(self.hidden) + [last_scale]
        keys = jax.random.split(head_key, len(scales))
        layers = zip(keys, sizes[:-1], sizes[1:], scales, strict=True)
        head = tuple({"weight": column_normalised(k, n, m, scale), "bias": jnp.zeros(m)} for k, n, m, scale in layers)
        return {"embeddings": sets, "head": head}

    def apply(self, params: Params, prepared: Inputs) -> Float[Array, "B O"]:
        first, *rest = params["head"]
        hidden = _side_by_side([*self.embed(params, prepared), prepared.local], first["weight"]) + first["bias"]
        for layer in rest:
            hidden = jax.nn.relu(hidden) @ layer["weight"] + layer["bias"]
        return hidden

    def embed(self, params: Params, prepared: Inputs) -> list[Float[Array, "B K"]]:
        return [self.embedding.apply(p, s) for p, s in zip(params["embeddings"], prepared.sets, strict=True)]

    def rescaled(self, params: Params, factor: Array, shift: Array) -> Params:
        *first, last = params["head"]
        last = {"weight": last["weight"] * factor, "bias": last["bias"] * factor + shift}
        return params | {"head": (*first, last)}

    def _head_inputs(self, sets: Params) -> int:
        embed = lambda: self.embed({"embeddings": sets}, self.prepare(blank(self.layout)))  # noqa: E731
        shapes = [jnp.shape(embedded) for embedded in jax.eval_shape(embed)]
        for shape in shapes:
            if len(shape) != 2 or shape[0] != 1:
                name = type(self.embedding).__name__
                raise SwarmbedError(f"{name} must give one row of numbers per set, (1, numbers) for one, not {shape}")
        return self.layout.local + sum(shape[1] for shape in shapes)


def _side_by_side(parts: list[Float[Array, "B _"]], weight: Float[Array, "I O"]) -> Float[Array, "B O"]:
    """concatenate(parts) · W, without the concatenation: the compiler would pull the embeddings' whole computation into
    it and lose its vectorisation."""
    total, row = jnp.zeros((parts[0].shape[0], weight.shape[1]), weight.dtype), 0
    for part in parts:
        total = total + part @ weight[row : row + part.shape[1]]
        row += part.shape[1]
    return total
