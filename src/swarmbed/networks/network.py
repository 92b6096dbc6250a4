"""Embeddings and a head: [embedding of each set, local properties] → hidden layers → outputs.

Policy and value are two such networks with their own weights.
"""

from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, PRNGKeyArray

from swarmbed.embeddings.base import Embedding, SetLayout, column_normalised, in_order
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks.base import Observation, Task

Params = dict[str, Any]


class Layout(NamedTuple):
    """The shape of what an agent sees, without the number of agents."""

    local: int
    sets: tuple[SetLayout, ...]

    @classmethod
    def of(cls, task: Task) -> "Layout":
        shape = task.observation_shape
        own = (*task.self_in_sets, *(False for _ in shape.sets))
        sets = [SetLayout(s.elements.shape[1], s.elements.shape[2], own[i]) for i, s in enumerate(shape.sets)]
        return cls(shape.local.shape[-1], tuple(sets))


class Inputs(NamedTuple):
    """What a network reads: one row per sample; each set as its embedding prepared it."""

    local: Float[Array, "B L"]
    sets: tuple[Array, ...]


@dataclass(frozen=True)
class Network:
    """One embedding per set, each with its own weights, then fully connected ReLU layers."""

    layout: Layout
    embedding: Embedding
    hidden: tuple[int, ...]
    outputs: int

    def __post_init__(self) -> None:
        if any(units < 1 for units in self.hidden):
            raise SwarmbedError(f"hidden must be positive whole numbers, not {self.hidden}")
        for layout in self.layout.sets:
            self.embedding.check(layout)

    def prepare(self, observation: Observation) -> Inputs:
        """The part that no parameter changes; the observation's first axis is the batch."""
        sets = [
            self.embedding.prepare(layout, seen.elements, seen.mask)
            for layout, seen in zip(self.layout.sets, observation.sets, strict=True)
        ]
        return Inputs(observation.local, tuple(sets))

    def init(self, key: PRNGKeyArray, last_scale: float = 1.0) -> Params:
        """Column-normalised weights, zero biases; the last layer's columns have the length ``last_scale``."""
        embedding_key, head_key = jax.random.split(key)
        set_keys = jax.random.split(embedding_key, max(len(self.layout.sets), 1))
        sets = {f"set{i}": self.embedding.init(s, set_keys[i]) for i, s in enumerate(self.layout.sets)}
        sizes = (self._head_inputs(sets), *self.hidden, self.outputs)
        scales = [1.0] * len(self.hidden) + [last_scale]
        keys = jax.random.split(head_key, len(scales))
        layers = zip(keys, sizes[:-1], sizes[1:], scales, strict=True)
        head = {
            f"layer{i}": {"weight": column_normalised(k, n, m, scale), "bias": jnp.zeros(m)}
            for i, (k, n, m, scale) in enumerate(layers)
        }
        return {"embeddings": sets, "head": head}

    def apply(self, params: Params, inputs: Inputs) -> Float[Array, "B O"]:
        layers = in_order(params["head"])
        hidden = _side_by_side([*self.embed(params, inputs), inputs.local], layers[0]["weight"]) + layers[0]["bias"]
        for layer in layers[1:]:
            hidden = jax.nn.relu(hidden) @ layer["weight"] + layer["bias"]
        return hidden

    def embed(self, params: Params, inputs: Inputs) -> list[Float[Array, "B K"]]:
        """The embedding of every set."""
        return [self.embedding.apply(params["embeddings"][f"set{i}"], s) for i, s in enumerate(inputs.sets)]

    def _head_inputs(self, sets: Params) -> int:
        def embed() -> list[Array]:
            blank = [
                self.embedding.prepare(s, jnp.zeros((1, s.slots, s.features)), jnp.zeros((1, s.slots), bool))
                for s in self.layout.sets
            ]
            return self.embed({"embeddings": sets}, Inputs(jnp.zeros((1, self.layout.local)), tuple(blank)))

        return self.layout.local + sum(shape.shape[-1] for shape in jax.eval_shape(embed))


def _side_by_side(parts: list[Float[Array, "B _"]], weight: Float[Array, "I O"]) -> Float[Array, "B O"]:
    """concatenate(parts) · W, without the concatenation: the compiler would pull the embeddings' whole computation into
    it and lose its vectorisation."""
    total, row = jnp.zeros((parts[0].shape[0], weight.shape[1]), weight.dtype), 0
    for part in parts:
        total = total + part @ weight[row : row + part.shape[1]]
        row += part.shape[1]
    return total


def flatten_agents(observation: Observation) -> Observation:
    """(environments, agents, …) → (environments · agents, …)."""
    return jax.tree.map(lambda leaf: merge_leading(leaf, 2), observation)


def merge_leading(leaf: Array, count: int) -> Array:
    """The first ``count`` axes as one; unlike reshape(-1, …) this also works where a later axis is empty."""
    return leaf.reshape(prod(leaf.shape[:count]), *leaf.shape[count:])
