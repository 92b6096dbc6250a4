"""A linear function with a transpose written by hand: by itself, differentiated, and under vmap, against plain jax."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed.compute.linear import linear_call

W = jnp.array([[1.0, 2.0], [0.0, -1.0], [3.0, 0.5]])
X = jnp.array([2.0, -1.0])
MANY_W = jnp.stack([W, -2 * W, W + 1])
MANY_X = jnp.array([[1.0, 0.0], [2.0, 3.0], [-1.0, 4.0]])
CALLS: list[str] = []


def forward(residuals: Any, x: Any) -> Any:
    CALLS.append("forward")
    return residuals["factor"] * (residuals["matrix"] @ x)


def transpose(residuals: Any, y: Any) -> Any:
    CALLS.append("transpose")
    return residuals["factor"] * (residuals["matrix"].T @ y)


def wrong(residuals: Any, y: Any) -> Any:
    """Not the transpose, so that one sees whether it is used."""
    return 100 * residuals["matrix"].T @ y


def call(matrix: Any, x: Any, back: Any = transpose) -> Any:
    return linear_call(forward, back, {"matrix": matrix, "factor": 2.0}, x)


def plain(matrix: Any, x: Any) -> Any:
    return 2.0 * (matrix @ x)


def energy(function: Any) -> Any:
    """Something that is not linear in x, so that its gradient depends on x."""
    return lambda matrix, x: jnp.sum(jnp.sin(function(matrix, x)))


def test_the_value_is_that_of_the_forward_function() -> None:
    # 2 · (W x): W x = (0, 1, 5.5).
    np.testing.assert_allclose(call(W, X), [0.0, 2.0, 11.0])
    np.testing.assert_allclose(jax.jit(call, static_argnums=2)(W, X, transpose), [0.0, 2.0, 11.0])


def test_the_tangent_map_is_the_function_itself() -> None:
    # 2 · (W (1, 1)) = (6, −2, 7).
    value, tangent = jax.jvp(lambda x: call(W, x), (X,), (jnp.ones(2),))
    np.testing.assert_allclose(value, [0.0, 2.0, 11.0])
    np.testing.assert_allclose(tangent, [6.0, -2.0, 7.0])


def test_a_cotangent_is_pulled_back_by_the_transpose_that_was_given() -> None:
    cotangent = jnp.array([1.0, 0.0, -1.0])
    (pulled,) = jax.vjp(lambda x: call(W, x), X)[1](cotangent)
    np.testing.assert_allclose(pulled, [-4.0, 3.0])  # 2 · Wᵀ (1, 0, −1)
    (pulled,) = jax.vjp(lambda x: call(W, x, wrong), X)[1](cotangent)
    np.testing.assert_allclose(pulled, [-200.0, 150.0])


def test_the_transpose_of_the_transpose_is_the_function() -> None:
    pull_back = lambda y: jax.linear_transpose(lambda x: call(W, x), X)(y)[0]  # noqa: E731
    (again,) = jax.linear_transpose(pull_back, jnp.zeros(3))(X)
    np.testing.assert_allclose(again, [0.0, 2.0, 11.0])


AXES = {"x only": (None, 0), "residuals only": (0, None), "both": (0, 0), "x along its last axis": (None, 1)}


@pytest.mark.parametrize("axes", AXES.values(), ids=AXES.keys())
def test_under_vmap_values_and_gradients_are_those_of_a_loop(axes: Any) -> None:
    matrices = W if axes[0] is None else MANY_W
    points = {None: X, 0: MANY_X, 1: MANY_X.T}[axes[1]]
    slope = jax.grad(energy(call), argnums=1)
    for function, reference in ((call, plain), (slope, jax.grad(energy(plain), argnums=1))):
        found = jax.vmap(function, axes)(matrices, points)
        each = [reference(W if axes[0] is None else MANY_W[i], X if axes[1] is None else MANY_X[i]) for i in range(3)]
        np.testing.assert_allclose(found, np.stack(each), rtol=1e-5, atol=1e-5)


def test_the_gradient_of_a_batch_is_pulled_back_by_hand_too() -> None:
    CALLS.clear()
    total = lambda xs: jnp.sum(jax.vmap(lambda m, x: call(m, x))(MANY_W, xs))  # noqa: E731
    found = jax.grad(total)(MANY_X)
    assert "transpose" in CALLS
    np.testing.assert_allclose(found, np.stack([2 * np.asarray(m).sum(0) for m in MANY_W]), rtol=1e-6)


def test_two_batches_inside_each_other() -> None:
    inner = jax.vmap(call, (0, None))
    found = jax.vmap(inner, (None, 0))(MANY_W, MANY_X)
    wanted = [[plain(m, x) for m in MANY_W] for x in MANY_X]
    np.testing.assert_allclose(found, np.array(wanted), rtol=1e-6)


def test_it_can_be_scanned_and_differentiated() -> None:
    square = jnp.array([[0.5, 0.2], [-0.3, 0.9]])

    def far(function: Any) -> Any:
        return lambda x: jnp.sum(jax.lax.scan(lambda c, _: (function(square, c), None), x, None, length=4)[0])

    np.testing.assert_allclose(jax.grad(far(call))(X), jax.grad(far(plain))(X), rtol=1e-5)


def test_it_cannot_be_differentiated_by_its_residuals() -> None:
    with pytest.raises(TypeError, match="cannot be differentiated with respect to its residuals"):
        jax.grad(lambda matrix: call(matrix, X).sum())(W)
