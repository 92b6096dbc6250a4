"""What every embedding must do, whoever wrote it: each registered one, and the settings that change the formula."""

from collections.abc import Callable
from itertools import product
from typing import Any

import jax
import numpy as np
import pytest

from swarmbed.embeddings.base import Embedding
from swarmbed.embeddings.histogram import Histogram
from swarmbed.embeddings.moments import Moments
from swarmbed.embeddings.neural import Neural
from swarmbed.embeddings.rbf import Rbf
from swarmbed.spec import registry

SLOTS = 12
VARIANTS: dict[str, Embedding] = {
    **{name: spec() for name, spec in registry.embeddings.all().items()},
    **{
        f"neural-{pooling}-{activation}": Neural(pooling, (5,), activation)
        for pooling, activation in product(("mean", "softmax", "max"), ("relu", "tanh", "elu"))
    },
    "neural-mean-two-layers": Neural("mean", (5, 4), "elu"),
    "neural-softmax-two-layers": Neural("softmax", (5, 4), "tanh"),
    "neural-max-two-layers": Neural("max", (5, 4), "relu"),
    **{f"moments-{order}": Moments(order) for order in (1, 2, 3)},
    "histogram-2": Histogram(bins=3, angles=2),
    "rbf-2": Rbf(centres=3, angles=2),
}
every_embedding = pytest.mark.parametrize("embedding", VARIANTS.values(), ids=VARIANTS.keys())


def first(count: int) -> np.ndarray:
    """A mask that keeps the first ``count`` slots of one set."""
    return np.arange(SLOTS) < count


@every_embedding
def test_the_order_of_a_set_matters_only_where_that_is_declared(
    embedding: Embedding, embed: Callable[..., Any], random_elements: Callable[..., Any]
) -> None:
    one = random_elements(1, 1, SLOTS)[0]
    order = np.random.default_rng(2).permutation(SLOTS)
    vector = embed(embedding, [one, one[order]], [first(7), first(7)[order]]).vector
    difference = np.abs(vector[0] - vector[1]).max()
    assert difference < 1e-5 if embedding.permutation_invariant else difference > 1e-2


@every_embedding
@pytest.mark.parametrize("garbage", [1e6, np.nan, np.inf, -np.inf])
def test_what_an_absent_slot_holds_changes_nothing(
    embedding: Embedding, garbage: float, embed: Callable[..., Any], random_elements: Callable[..., Any]
) -> None:
    clean, mask = random_elements(3, 2, SLOTS), np.stack([first(5), ~first(5)])
    clean[~mask] = 0
    dirty = np.where(mask[..., None], clean, np.float32(garbage))
    expected, found = embed(embedding, clean, mask), embed(embedding, dirty, mask)
    jax.tree.map(np.testing.assert_array_equal, found, expected)
    assert np.all(found.to_elements[~mask] == 0)


@every_embedding
def test_the_empty_set_gives_zeros(
    embedding: Embedding, embed: Callable[..., Any], random_elements: Callable[..., Any]
) -> None:
    if not embedding.any_number_of_slots:
        pytest.skip("reads a fixed number of elements, so that no set is empty for it")
    vector = embed(embedding, random_elements(4, 2, SLOTS), np.stack([first(0), first(3)])).vector
    assert np.all(vector[0] == 0)
    assert np.any(vector[1] != 0)


@every_embedding
def test_every_element_twice_gives_the_same_vector_where_that_is_declared(
    embedding: Embedding, embed: Callable[..., Any], random_elements: Callable[..., Any]
) -> None:
    five = random_elements(5, 1, 5)[0]
    filler = np.zeros((SLOTS - 10, 7))
    twice = np.concatenate([five, five, filler])
    vector = embed(embedding, [twice, twice], [first(5), first(10)]).vector
    difference = np.abs(vector[0] - vector[1]).max()
    assert difference < 2e-5 if embedding.invariant_to_duplication else difference > 1e-2


@every_embedding
def test_gradients_are_finite_for_empty_single_coincident_and_ordinary_sets(
    embedding: Embedding, embed: Callable[..., Any], random_elements: Callable[..., Any]
) -> None:
    elements = random_elements(6, 5, SLOTS)
    elements[2] = elements[2, 0]  # all in one place
    elements[3] = 0.0  # all where the agent itself is: no direction
    outcome = embed(embedding, elements, np.stack([first(0), first(1), first(6), first(6), first(12)]))
    for leaf in jax.tree.leaves(outcome):
        assert np.isfinite(leaf).all()


@every_embedding
def test_the_vector_does_not_depend_on_the_number_of_slots(
    embedding: Embedding, embed: Callable[..., Any], random_elements: Callable[..., Any]
) -> None:
    if not embedding.any_number_of_slots:
        pytest.skip("its parameters belong to one number of slots")
    elements = random_elements(7, 2, SLOTS)
    mask = np.stack([first(4), first(2)])
    wide = embed(embedding, elements, mask)
    narrow = embed(embedding, elements[:, :4], mask[:, :4])
    np.testing.assert_allclose(narrow.vector, wide.vector, atol=1e-6)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=1e-5), narrow.to_params, wide.to_params)


@every_embedding
def test_sets_of_a_batch_do_not_see_each_other(
    embedding: Embedding, embed: Callable[..., Any], random_elements: Callable[..., Any]
) -> None:
    elements, other = random_elements(8, 2, SLOTS), random_elements(9, 2, SLOTS)
    mask = np.stack([first(6), first(3)])
    mixed = np.stack([elements[0], other[1]])
    one, two = embed(embedding, elements, mask).vector, embed(embedding, mixed, mask).vector
    np.testing.assert_array_equal(one[0], two[0])
    assert np.any(one[1] != two[1])
