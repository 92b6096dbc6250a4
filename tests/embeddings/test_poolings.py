"""Pooled activations against the lines that say the same in numpy, and their derivatives against finite differences."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed.embeddings.poolings import ACTIVATIONS, Maximum, Softmax, Sum
from swarmbed.embeddings.slots import UNROLLED_SLOTS, Pooling, pool

# What an activation is, and its derivative, written out once more in numpy.
PLAIN: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "relu": (lambda h: np.where(h > 0, h, 0), lambda h: np.where(h > 0, 1, 0)),
    "tanh": (np.tanh, lambda h: 1 / np.cosh(h) ** 2),
    "elu": (lambda h: np.where(h > 0, h, np.expm1(h)), lambda h: np.where(h > 0, 1, np.exp(h))),
}
SLOTS = (1, 20, 26, 60)
every_case = pytest.mark.parametrize(("name", "slots"), [(name, s) for name in PLAIN for s in SLOTS])
every_pooling = pytest.mark.parametrize(
    ("how", "slots"),
    [(how(name), s) for how in (Sum, Maximum, lambda name: Softmax(name, 1.5)) for name in PLAIN for s in SLOTS],
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
    assert 20 <= UNROLLED_SLOTS < 26  # else the cases above no longer try both ways to reduce


@every_pooling
def test_value_and_derivatives_equal_the_definition(how: Any, slots: int, quick_jit: Callable[..., Any]) -> None:
    weights, weights_dot, sets, _, cotangent = arrays(slots)

    def everything(weights: Any, weights_dot: Any, sets: Any, cotangent: Any) -> Any:
        function = lambda w: pool(how, w, sets)  # noqa: E731
        output, tangent = jax.jvp(function, (weights,), (weights_dot,))
        return function(weights), output, tangent, jax.vjp(function, weights)[1](cotangent)[0]

    alone, output, tangent, pulled = quick_jit(everything)(weights, weights_dot, sets, cotangent)
    assert np.asarray(alone) == close(pooled(how, weights, sets))
    assert np.asarray(output) == close(pooled(how, weights, sets))
    step = 1e-6 * weights_dot
    difference = (pooled(how, weights + step, sets) - pooled(how, weights - step, sets)) / 2e-6
    assert np.asarray(tangent) == close(difference, 1e-7)
    # The transpose is the linear map that has the same inner products.
    assert (np.asarray(pulled) * weights_dot).sum() == close((cotangent * np.asarray(tangent)).sum())


@every_case
def test_tangent_and_transpose_of_the_sum_in_closed_form(name: str, slots: int, quick_jit: Callable[..., Any]) -> None:
    weights, weights_dot, sets, _, cotangent = arrays(slots)
    slope = PLAIN[name][1](sets @ weights)

    def everything(weights: Any) -> Any:
        function = lambda w: pool(Sum(name), w, sets)  # noqa: E731
        return jax.jvp(function, (weights,), (weights_dot,))[1], jax.vjp(function, weights)[1](cotangent)[0]

    tangent, pulled = quick_jit(everything)(weights)
    assert np.asarray(tangent) == close((slope * (sets @ weights_dot)).sum(1))
    assert np.asarray(pulled) == close(np.einsum("bsf,bsk->fk", sets, slope * cotangent[:, None]))


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
