"""Σ_s act(x_s · W) against the two lines that say the same, in double precision."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed.embeddings.summation import ACTIVATIONS, UNROLLED_SLOTS, sum_activations

# What an activation is, and its derivative, written out once more in numpy.
PLAIN: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "relu": (lambda h: np.where(h > 0, h, 0), lambda h: np.where(h > 0, 1, 0)),
    "tanh": (np.tanh, lambda h: 1 / np.cosh(h) ** 2),
    "elu": (lambda h: np.where(h > 0, h, np.expm1(h)), lambda h: np.where(h > 0, 1, np.exp(h))),
}
every_case = pytest.mark.parametrize(("name", "slots"), [(name, s) for name in PLAIN for s in (1, 20, 26, 60)])
pytestmark = pytest.mark.usefixtures("float64")


def arrays(slots: int) -> tuple[np.ndarray, ...]:
    """Weights, sets, and directions to differentiate along; a few slots are absent, which is all zeros."""
    generator = np.random.default_rng(slots)
    weights, weights_dot = generator.normal(size=(2, 3, 4))
    sets, sets_dot = generator.normal(size=(2, 5, slots, 3))
    sets[..., -1] = 1.0
    sets[1, : slots // 2] = 0.0
    return weights, weights_dot, sets, sets_dot, generator.normal(size=(5, 4))


def close(wanted: np.ndarray) -> Any:
    return pytest.approx(wanted, abs=1e-10, rel=1e-10)


def test_every_activation_has_a_reference() -> None:
    assert set(PLAIN) == set(ACTIVATIONS)


@pytest.mark.parametrize("name", PLAIN)
def test_an_absent_slot_adds_nothing_because_every_activation_is_zero_at_zero(name: str) -> None:
    assert ACTIVATIONS[name].value(jnp.zeros(1)) == 0


def test_the_slots_cover_one_block_and_several() -> None:
    assert 20 <= UNROLLED_SLOTS < 26  # else the cases above no longer try both ways to sum


@every_case
def test_value_tangent_and_transpose_equal_the_plain_sum(name: str, slots: int, quick_jit: Callable[..., Any]) -> None:
    weights, weights_dot, sets, _, cotangent = arrays(slots)
    value, slope = PLAIN[name]
    hidden = sets @ weights

    def everything(weights: Any, weights_dot: Any, sets: Any, cotangent: Any) -> Any:
        function = lambda w: sum_activations(name, w, sets)  # noqa: E731
        output, tangent = jax.jvp(function, (weights,), (weights_dot,))
        return output, tangent, jax.vjp(function, weights)[1](cotangent)[0]

    output, tangent, pulled = quick_jit(everything)(weights, weights_dot, sets, cotangent)
    assert np.asarray(output) == close(value(hidden).sum(1))
    assert np.asarray(tangent) == close((slope(hidden) * (sets @ weights_dot)).sum(1))
    assert np.asarray(pulled) == close(np.einsum("bsf,bsk->fk", sets, slope(hidden) * cotangent[:, None]))


@pytest.mark.parametrize("name", PLAIN)
def test_derivatives_with_respect_to_the_elements_are_there_as_well(name: str, quick_jit: Callable[..., Any]) -> None:
    weights, weights_dot, sets, sets_dot, cotangent = arrays(3)
    slope = PLAIN[name][1](sets @ weights)

    def everything(weights: Any, sets: Any) -> Any:
        function = lambda w, x: sum_activations(name, w, x)  # noqa: E731
        _, tangent = jax.jvp(function, (weights, sets), (weights_dot, sets_dot))
        return tangent, *jax.vjp(function, weights, sets)[1](cotangent)

    tangent, to_weights, to_sets = quick_jit(everything)(weights, sets)
    assert np.asarray(tangent) == close((slope * (sets @ weights_dot + sets_dot @ weights)).sum(1))
    pulled = slope * cotangent[:, None]
    assert np.asarray(to_sets) == close(pulled @ weights.T)
    assert np.asarray(to_weights) == close(np.einsum("bsf,bsk->fk", sets, pulled))
