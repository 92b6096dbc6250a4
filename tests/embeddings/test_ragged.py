"""Sets of swarms of different sizes: only filled blocks are computed, and nothing else about them is different."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed.embeddings.neural import Neural
from swarmbed.embeddings.ragged import Ragged, block_of, by_size, in_blocks
from swarmbed.spec.observation import SetLayout


@pytest.mark.parametrize(("slots", "block"), [(20, 4), (50, 10), (49, 10), (8, 4), (10, 5), (3, 4), (100, 13), (24, 4)])
def test_sets_have_about_five_blocks_that_need_little_padding(slots: int, block: int) -> None:
    assert block_of(slots) == block


def test_padding_adds_empty_slots_only() -> None:
    mask = np.zeros((3, 18), bool)
    mask[1, [0, 4]] = mask[2, 17] = True
    ragged = in_blocks(jnp.ones((3, 18, 3)), jnp.asarray(mask))
    assert ragged.sets.shape == (3, 20, 3) and float(ragged.sets[:, 18:].max()) == 0
    assert ragged.present.tolist() == [0, 2, 1]
    assert ragged.last.tolist() == [0, 5, 18]


def test_samples_are_sorted_where_sets_are_ragged() -> None:
    mask = jnp.array([[True, True], [False, False], [True, False]])
    ragged = in_blocks(jnp.arange(12.0).reshape(3, 2, 2), mask)
    values = jnp.array([7.0, 8.0, 9.0])
    assert by_size((ragged, values))[1].tolist() == [8.0, 9.0, 7.0]
    assert by_size((ragged.sets, values))[1].tolist() == [7.0, 8.0, 9.0]


@pytest.mark.parametrize("pooling", ["mean", "max", "softmax"])
@pytest.mark.parametrize("features", [(8,), (8, 4)])
def test_ragged_sets_are_embedded_like_others(pooling: str, features: tuple[int, ...], quick_jit: Any) -> None:
    """Also where a batch is so large that it is computed in pieces, some of them empty."""
    generator = np.random.default_rng(0)
    elements = jnp.asarray(generator.normal(size=(700, 13, 3)), jnp.float32)
    sizes = np.sort(generator.integers(0, 14, 700)) * (np.arange(700) < 500)
    mask = jnp.arange(13) < sizes[:, None]
    embedding, plain = Neural(pooling=pooling, features=features), SetLayout(13, 3, False)
    params = embedding.init(plain, jax.random.key(0))
    ragged = embedding.prepare(plain._replace(is_ragged=True), elements, mask)
    assert isinstance(ragged, Ragged)

    def weigh(params: Any, prepared: Any) -> Any:
        embedded = embedding.apply(params, prepared)
        return (embedded * jnp.arange(features[-1])).sum(), embedded

    gradients = quick_jit(jax.grad(weigh, has_aux=True))
    gradient, wanted = gradients(params, embedding.prepare(plain, elements, mask))
    same, embedded = gradients(params, ragged)
    assert np.allclose(embedded, wanted, atol=1e-6)
    for one, other in zip(jax.tree.leaves(gradient), jax.tree.leaves(same), strict=True):
        assert np.allclose(one, other, rtol=1e-4, atol=1e-3)
