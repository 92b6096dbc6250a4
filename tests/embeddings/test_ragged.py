"""Sets of swarms of different sizes: few empty slots are computed, and nothing else about them is different."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed.embeddings.neural import Neural
from swarmbed.embeddings.ragged import Ragged, as_wide_as_filled, by_size, ragged, widths
from swarmbed.spec.observation import SetLayout


@pytest.mark.parametrize(
    ("slots", "wanted"),
    [
        (3, [3]),
        (4, [4]),
        (10, [4, 8, 10]),
        (20, [4, 8, 12, 16, 20]),
        (49, [*range(5, 49, 5), 49]),
        (300, range(30, 301, 30)),
    ],
)
def test_there_are_at_most_ten_widths_and_the_last_is_the_whole_set(slots: int, wanted: Sequence[int]) -> None:
    assert widths(slots) == list(wanted)


def test_a_set_knows_how_many_elements_it_has_and_where_the_last_one_is() -> None:
    mask = np.zeros((3, 18), bool)
    mask[1, [0, 4]] = mask[2, 17] = True
    found = ragged(jnp.ones((3, 18, 3)), jnp.asarray(mask))
    assert found.sets.shape == (3, 18, 3)
    assert found.present.tolist() == [0, 2, 1]
    assert found.last.tolist() == [0, 5, 18]


def test_the_smallest_width_that_holds_what_is_filled_is_taken(quick_jit: Any) -> None:
    width = quick_jit(lambda filled: as_wide_as_filled(jnp.asarray, filled, 10))
    assert [int(width(jnp.int32(filled))) for filled in (0, 1, 4, 5, 8, 9, 10)] == [4, 4, 4, 8, 8, 10, 10]


def test_under_vmap_all_have_the_width_that_holds_the_largest(quick_jit: Any) -> None:
    """A width for each would compute all widths for everybody."""
    each = quick_jit(jax.vmap(lambda filled: as_wide_as_filled(jnp.asarray, filled, 10)))
    assert each(jnp.array([1, 7, 2])).tolist() == [8, 8, 8]


def test_samples_are_sorted_where_sets_are_ragged() -> None:
    mask = jnp.array([[True, True], [False, False], [True, False]])
    sets = ragged(jnp.arange(12.0).reshape(3, 2, 2), mask)
    values = jnp.array([7.0, 8.0, 9.0])
    assert by_size((sets, values))[1].tolist() == [8.0, 9.0, 7.0]
    assert by_size((sets.sets, values))[1].tolist() == [7.0, 8.0, 9.0]


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
    uneven = embedding.prepare(plain._replace(is_ragged=True), elements, mask)
    assert isinstance(uneven, Ragged)

    def weigh(params: Any, prepared: Any) -> Any:
        embedded = embedding.apply(params, prepared)
        return (embedded * jnp.arange(features[-1])).sum(), embedded

    gradients = quick_jit(jax.grad(weigh, has_aux=True))
    gradient, wanted = gradients(params, embedding.prepare(plain, elements, mask))
    same, embedded = gradients(params, uneven)
    assert np.allclose(embedded, wanted, atol=1e-6)
    for one, other in zip(jax.tree.leaves(gradient), jax.tree.leaves(same), strict=True):
        assert np.allclose(one, other, rtol=1e-4, atol=1e-3)
