"""Sets of elements as agents see them, and embeddings that are compiled once for all tests."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import numpy as np
import pytest

from swarmbed.embeddings.base import Embedding, SetLayout

SETS = 5  # of every batch that is embedded here, so that one compiled program serves all tests


class Outcome(NamedTuple):
    """An embedding, and the gradients of a weighted sum of its numbers."""

    vector: Any
    to_params: Any
    to_elements: Any


@pytest.fixture(scope="session")
def embed(quick_jit: Callable[..., Any]) -> Callable[..., Outcome]:
    """``embed(embedding, elements, mask)``: prepare and apply, with parameters that are the same in every call."""
    programs: dict[Embedding, Any] = {}

    def compile_once(embedding: Embedding) -> Any:
        def run(params: Any, elements: Any, mask: Any) -> Outcome:
            layout = layout_of(elements)
            forward = lambda params, elements: embedding.apply(params, embedding.prepare(layout, elements, mask))  # noqa: E731
            vector, pull_back = jax.vjp(forward, params, elements)
            return Outcome(vector, *pull_back(1.0 + jax.numpy.cos(jax.numpy.arange(vector.size).reshape(vector.shape))))

        return programs.setdefault(embedding, quick_jit(run))

    def call(embedding: Embedding, elements: Any, mask: Any, params: Any = None) -> Outcome:
        elements, mask = np.asarray(elements, np.float32), np.asarray(mask, bool)
        sets = len(elements)
        repeat = lambda array: np.resize(array, (SETS, *array.shape[1:]))  # noqa: E731
        if params is None:
            params = some_params(embedding, layout_of(elements))
        found = jax.tree.map(np.asarray, compile_once(embedding)(params, repeat(elements), repeat(mask)))
        return found._replace(vector=found.vector[:sets], to_elements=found.to_elements[:sets])

    return call


def layout_of(elements: Any) -> SetLayout:
    """A set in which no slot is the agent itself."""
    _, slots, features = elements.shape
    return SetLayout(slots, features, False)


def some_params(embedding: Embedding, layout: SetLayout) -> Any:
    """Random numbers for every parameter: unlike fresh ones, whose biases are all zero, they can show a mistake."""
    shapes = jax.eval_shape(lambda: embedding.init(layout, jax.random.key(0)))
    generator = np.random.default_rng(0)
    return jax.tree.map(lambda leaf: generator.normal(size=leaf.shape).astype(np.float32), shapes)


@pytest.fixture(scope="session")
def params_of() -> Callable[[Embedding, SetLayout], Any]:
    return some_params


@pytest.fixture(scope="session")
def random_elements() -> Callable[..., np.ndarray]:
    """``random_elements(seed, sets, slots)``: a distance in [0, 1], cos and sin of two angles, two velocities."""

    def draw(seed: int, sets: int, slots: int) -> np.ndarray:
        generator = np.random.default_rng(seed)
        distance = generator.uniform(0, 1, (sets, slots, 1))
        angles = generator.uniform(-np.pi, np.pi, (sets, slots, 2))
        directions = np.stack([np.cos(angles), np.sin(angles)], -1).reshape(sets, slots, 4)
        velocity = generator.uniform(-1, 1, (sets, slots, 2))
        return np.concatenate([distance, directions, velocity], -1).astype(np.float32)

    return draw
