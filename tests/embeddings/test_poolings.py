"""Pooled activations against the lines that say the same in numpy, and their derivatives against finite differences."""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed.embeddings.poolings import ACTIVATIONS, Maximum, Softmax, Sum
from swarmbed.embeddings.slots import UNROLLED_SLOTS, Inputs, Pooling, over_slots, pool

# What an activation is, and its derivative, written out once more in numpy.
PLAIN: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "relu": (lambda h: np.where(h > 0, h, 0), lambda h: np.where(h > 0, 1, 0)),
    "tanh": (np.tanh, lambda h: 1 / np.cosh(h) ** 2),
    "elu": (lambda h: np.where(h > 0, h, np.expm1(h)), lambda h: np.where(h > 0, 1, np.exp(h))),
}
# One block of slots with every activation; a single slot and several blocks with one.
CASES = [*((name, 4) for name in PLAIN), ("tanh", 1), ("tanh", 27)]
every_case = pytest.mark.parametrize(("name", "slots"), CASES)
every_pooling = pytest.mark.parametrize(
    ("how", "slots"),
    [(how(name), slots) for how in (Sum, Maximum, lambda name: Softmax(name, 1.5)) for name, slots in CASES],
    ids=str,
)
pytestmark = pytest.mark.usefixtures("float64")


def arrays(slots: int) -> tuple[np.ndarray, ...]:
    """Weights, sets, and directions to differentiate along; one set is half empty and one wholly (zeros)."""
    generator = np.random.default_rng(slots)
    weights, weights_dot = generator.normal(size=(2, 3, 4))
    sets, sets_dot = generator.normal(size=(2, 5, slots, 3))
    sets[..., -1] = 1.0
    sets[1, : slots // 2] = 0.0
    sets[2] = 0.0
    return weights, weights_dot, sets, sets_dot, generator.normal(size=(5, 4))


def pooled(how: Pooling, weights: np.ndarray, sets: np.ndarray) -> np.ndarray:
    """The definition, set by set, over the elements that are there."""
    result = np.zeros((len(sets), weights.shape[1]))
    for row, elements in zip(result, sets, strict=True):
        features = PLAIN[how.activation][0](elements[elements[:, -1] > 0] @ weights)
        if len(features) == 0:
            continue
        if isinstance(how, Softmax):
            share = np.exp(how.temperature * features)
            row[:] = (share * features).sum(0) / share.sum(0)
        else:
            row[:] = features.max(0) if isinstance(how, Maximum) else features.sum(0)
    return result


def close(wanted: np.ndarray, tolerance: float = 1e-10) -> Any:
    return pytest.approx(wanted, abs=tolerance, rel=tolerance)


def test_every_activation_has_a_reference() -> None:
    assert set(PLAIN) == set(ACTIVATIONS)


@pytest.mark.parametrize("name", PLAIN)
def test_an_absent_slot_adds_nothing_because_every_activation_is_zero_at_zero(name: str) -> None:
    assert ACTIVATIONS[name].value(jnp.zeros(1)) == 0


def test_the_slots_cover_one_block_and_several() -> None:
    assert 4 <= UNROLLED_SLOTS < 27  # else the cases above no longer try both ways to reduce


class Derived(NamedTuple):
    """A pooling by itself, then with its tangent, and what its transpose makes of a cotangent."""

    alone: np.ndarray
    output: np.ndarray
    tangent: np.ndarray
    pulled: np.ndarray


@pytest.fixture(scope="module")
def derived(quick_jit: Callable[..., Any]) -> Callable[[Any, int], Derived]:
    """``derived(how, slots)``: compiled and run once for all tests."""

    @functools.cache
    def run(how: Any, slots: int) -> Derived:
        weights, weights_dot, sets, _, cotangent = arrays(slots)

        def everything(weights: Any, weights_dot: Any, sets: Any, cotangent: Any) -> Derived:
            function = lambda w: pool(how, w, sets)  # noqa: E731
            output, tangent = jax.jvp(function, (weights,), (weights_dot,))
            return Derived(function(weights), output, tangent, jax.vjp(function, weights)[1](cotangent)[0])

        return jax.tree.map(np.asarray, quick_jit(everything)(weights, weights_dot, sets, cotangent))

    return run


@every_pooling
def test_value_and_derivatives_equal_the_definition(how: Any, slots: int, derived: Any) -> None:
    weights, weights_dot, sets, _, cotangent = arrays(slots)
    found = derived(how, slots)
    assert found.alone == close(pooled(how, weights, sets))
    assert found.output == close(pooled(how, weights, sets))
    step = 1e-6 * weights_dot
    difference = (pooled(how, weights + step, sets) - pooled(how, weights - step, sets)) / 2e-6
    assert found.tangent == close(difference, 1e-7)
    # The transpose is the linear map that has the same inner products.
    assert (found.pulled * weights_dot).sum() == close((cotangent * found.tangent).sum())


@every_case
def test_tangent_and_transpose_of_the_sum_in_closed_form(name: str, slots: int, derived: Any) -> None:
    weights, weights_dot, sets, _, cotangent = arrays(slots)
    slope = PLAIN[name][1](sets @ weights)
    found = derived(Sum(name), slots)
    assert found.tangent == close((slope * (sets @ weights_dot)).sum(1))
    assert found.pulled == close(np.einsum("bsf,bsk->fk", sets, slope * cotangent[:, None]))


# One block, one block, two with a rest, two, three with a rest, three.
@pytest.mark.parametrize("slots", [1, UNROLLED_SLOTS, 27, 50, 53, 54])
def test_slots_are_combined_in_blocks_with_their_numbers(slots: int) -> None:
    # Σ_s (s + 1) x_s
    sets = np.random.default_rng(slots).normal(size=(4, slots, 3))
    found = over_slots(lambda x, slot: (slot + 1) * x, jnp.add, jnp.asarray(sets))
    assert np.asarray(found) == close((np.arange(1, slots + 1)[None, :, None] * sets).sum(1))


@pytest.mark.parametrize("slots", [100, 103])  # in blocks of eight with a rest of four and of seven
def test_empty_blocks_of_a_large_set_are_skipped_and_the_others_are_not(slots: int) -> None:
    sets = np.random.default_rng(slots).normal(size=(4, slots, 3))
    sets[..., -1] = 1.0
    sets[:, 16:40] = 0.0  # three whole blocks
    sets[:, 50:53] = 0.0
    found = over_slots(lambda x, slot: (slot + 1) * x, jnp.add, jnp.asarray(sets))
    assert np.asarray(found) == close((np.arange(1, slots + 1)[None, :, None] * sets).sum(1))


@pytest.mark.parametrize("how", [Sum("tanh"), Maximum("tanh"), Softmax("elu", 0.7)], ids=str)
def test_derivatives_with_respect_to_the_elements_are_there_as_well(how: Any, quick_jit: Callable[..., Any]) -> None:
    weights, weights_dot, sets, sets_dot, cotangent = arrays(3)
    sets_dot = np.where(sets[..., -1:] > 0, sets_dot, 0)
    sets_dot[..., -1] = 0.0  # who is there does not change

    def everything(weights: Any, sets: Any) -> Any:
        function = lambda w, x: pool(how, w, x)  # noqa: E731
        _, tangent = jax.jvp(function, (weights, sets), (weights_dot, sets_dot))
        return tangent, *jax.vjp(function, weights, sets)[1](cotangent)

    tangent, to_weights, to_sets = map(np.asarray, quick_jit(everything)(weights, sets))
    there, back = ((weights + sign * 1e-6 * weights_dot, sets + sign * 1e-6 * sets_dot) for sign in (1, -1))
    assert tangent == close((pooled(how, *there) - pooled(how, *back)) / 2e-6, 1e-7)
    assert (to_weights * weights_dot).sum() + (to_sets * sets_dot).sum() == close((cotangent * tangent).sum())


def test_of_equal_elements_only_one_gets_the_gradient_of_the_maximum(quick_jit: Callable[..., Any]) -> None:
    """max(2w, 2w, w) with w = 1: 2, and its derivative 2, not 4."""
    sets = jnp.array([[[2.0, 1.0], [2.0, 1.0], [1.0, 1.0]]])
    function = lambda w: pool(Maximum("relu"), jnp.stack([w, jnp.zeros(1)]), sets)[0, 0]  # noqa: E731
    value, slope = quick_jit(jax.value_and_grad(function))(jnp.ones(1))
    assert (value, slope[0]) == (2.0, 2.0)


@pytest.mark.parametrize("slots", [3, 40])
def test_in_single_precision_too_the_largest_element_gets_the_gradient(slots: int) -> None:
    """The second half of the slots repeats the first, so of two equal elements the first one has to be found."""
    generator = np.random.default_rng(slots)
    weights, half = generator.normal(size=(3, 4)), generator.normal(size=(6, slots, 3))
    sets = np.concatenate([half, half], axis=1).astype(np.float32)
    weights = weights.astype(np.float32)
    sets[..., -1] = 1.0
    known = Maximum("tanh").forward_and_known(Inputs(jnp.asarray(weights), jnp.asarray(sets)))[1]
    np.testing.assert_array_equal(known[0], np.argmax(sets @ weights, axis=1))
