"""Σ_s act(x_s · W) over the slots of a set: the hot loop of the whole project.

Written as a matrix product followed by a sum, the (batch, slots, units) array in between leaves the registers and the
product's inner dimension is tiny, so memory is what one waits for. Here the slots are unrolled into one elementwise
expression that the compiler keeps in registers, and only the gradient with respect to W is a matrix product.

    forward     u   = Σ_s act(h_s)                     h_s = x_s · W
    tangent     u̇   = Σ_s act′(h_s) (x_s · Ẇ)
    transpose   W̄   = Σ_s x_sᵀ (act′(h_s) ū)

Every activation here has act(0) = 0. The last column of x is 1 for a slot that is there and all of x is 0 for one that
is not, so the last row of W is the bias and absent slots add exactly nothing.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.custom_derivatives import SymbolicZero, linear_call
from jaxtyping import Float

UNROLLED_SLOTS = 25  # larger sets are summed block by block, which keeps compile time and code size bounded


class Activation(NamedTuple):
    """A function with act(0) = 0, and its derivative."""

    value: Callable[[Array], Array]
    slope: Callable[[Array], Array]


ACTIVATIONS: dict[str, Activation] = {
    "relu": Activation(lambda h: jnp.maximum(h, 0.0), lambda h: (h > 0).astype(h.dtype)),
    "tanh": Activation(jnp.tanh, lambda h: 1.0 - jnp.square(jnp.tanh(h))),
    "elu": Activation(jax.nn.elu, lambda h: jnp.where(h > 0, 1.0, jnp.exp(jnp.minimum(h, 0.0)))),
}


@partial(jax.custom_jvp, nondiff_argnums=(0,))
def sum_activations(name: str, weights: Float[Array, "F K"], sets: Float[Array, "B S F"]) -> Float[Array, "B K"]:
    """u = Σ_s act(x_s · W) for every set in the batch."""
    value = ACTIVATIONS[name].value
    return _over_slots(lambda x: value(_product(x, weights)), sets)


def _jvp(
    name: str, primals: tuple[Array, Array], tangents: tuple[Array | SymbolicZero, Array | SymbolicZero]
) -> tuple[Array, Array]:
    weights, sets = primals
    weights_dot, sets_dot = tangents
    output = sum_activations(name, weights, sets)
    tangent = jnp.zeros_like(output)
    if not isinstance(weights_dot, SymbolicZero):
        tangent = linear_call(partial(_tangent, name), partial(_transpose, name), (weights, sets), weights_dot)
    if not isinstance(sets_dot, SymbolicZero):
        # Only who differentiates through the simulator comes here; learners never do.
        tangent = tangent + (ACTIVATIONS[name].slope(sets @ weights) * (sets_dot @ weights)).sum(1)
    return output, tangent


sum_activations.defjvp(_jvp, symbolic_zeros=True)


def _tangent(name: str, residuals: tuple[Array, Array], weights_dot: Array) -> Array:
    weights, sets = residuals
    slope = ACTIVATIONS[name].slope
    return _over_slots(lambda x: slope(_product(x, weights)) * _product(x, weights_dot), sets)


def _transpose(name: str, residuals: tuple[Array, Array], cotangent: Array) -> Array:
    weights, sets = residuals
    pulled = ACTIVATIONS[name].slope(_product(sets, weights)) * cotangent[:, None, :]
    rows = sets.reshape(-1, sets.shape[-1])
    return rows.T @ pulled.reshape(rows.shape[0], -1)


def _product(x: Float[Array, "*rows F"], weights: Float[Array, "F K"]) -> Float[Array, "*rows K"]:
    """x · W as a sum of outer products, which stays elementwise and so can be fused with what follows."""
    total = x[..., 0:1] * weights[0]
    for feature in range(1, x.shape[-1]):
        total = total + x[..., feature : feature + 1] * weights[feature]
    return total


def _over_slots(one_slot: Callable[[Array], Array], sets: Float[Array, "B S F"]) -> Float[Array, "B K"]:
    """Σ_s one_slot(x_s), unrolled in blocks."""
    slots = sets.shape[1]
    blocks = -(-slots // UNROLLED_SLOTS)
    size = -(-slots // blocks)

    def block_sum(block: Array) -> Array:
        total = one_slot(block[:, 0])
        for slot in range(1, size):
            total = total + one_slot(block[:, slot])
        return total

    if blocks == 1:
        return block_sum(sets)
    padded = jnp.pad(sets, ((0, 0), (0, blocks * size - slots), (0, 0)))

    def add_block(index: Array, total: Array) -> Array:
        return total + block_sum(lax.dynamic_slice_in_dim(padded, index * size, size, axis=1))

    shape = jax.eval_shape(block_sum, padded[:, :size])
    return lax.fori_loop(0, blocks, add_block, jnp.zeros(shape.shape, shape.dtype))
