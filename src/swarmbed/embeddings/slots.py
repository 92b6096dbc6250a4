"""Pooling act(x_s · W) over the slots of a set: the hot loop of the whole project.

Written as a matrix product followed by a reduction, the (batch, slots, units) array in between leaves the registers and
the product's inner dimension is tiny, so memory is the bottleneck. Here the slots are unrolled into one elementwise
expression that the compiler keeps in registers, and only the gradient with respect to W is a matrix product.

However a set is pooled, the derivative has the same form, with a gain g_s per element and unit:

    forward     u = pool of act(h_s)                   h_s = x_s · W
    tangent     u̇ = Σ_s g_s (x_s · Ẇ)
    transpose   W̄ = Σ_s x_sᵀ (g_s ū)

The last column of x is 1 for a present slot, so the last row of W is the bias, and all of x is 0 for an absent slot.
Where it is known that only the first ``filled`` slots of any set have elements, most of the others are left out (see
``ragged``).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.custom_derivatives import SymbolicZero
from jaxtyping import Float, Int

from swarmbed.compute.linear import linear_call
from swarmbed.embeddings.ragged import as_wide_as_filled

UNROLLED_SLOTS = 25  # larger sets are reduced block by block, which keeps compile time and code size bounded
SKIPPED_SLOTS = 100  # sets of at least this many may have empty blocks
SKIPPED_TOGETHER = 8  # slots of such a block: fewer are more often all empty

Result = TypeVar("Result")
Known = tuple[Array, ...]
Filled = Int[Array, ""] | None
Residuals = tuple[tuple[Array, Array, Filled], Known]  # weights, sets, filled slots; what the derivative needs


class Inputs(NamedTuple):
    """What is pooled: the weights and the sets."""

    weights: Float[Array, "F K"]
    sets: Float[Array, "B S F"]


class Pooling(ABC):
    """How the activations of a set become one vector, and how each of them counts in its derivative: by a gain that is
    cheap to compute where it is needed, from the element and known (B, K) arrays."""

    @abstractmethod
    def forward(self, inputs: Inputs) -> Float[Array, "B K"]:
        """u."""

    def forward_and_known(self, inputs: Inputs) -> tuple[Float[Array, "B K"], Known]:
        """u, and arrays that the derivative needs; none by default."""
        return self.forward(inputs), ()

    @abstractmethod
    def gain(self, weights: Float[Array, "F K"], known: Known, x: Float[Array, "*rows F"], slot: Any) -> Array:
        """∂u/∂h_s for the slots ``slot``, whose elements are x."""

    def tangent(self, inputs: Inputs, known: Known, weights_dot: Float[Array, "F K"]) -> Float[Array, "B K"]:
        """u̇."""
        weights, sets = inputs
        one_slot = lambda x, slot: self.gain(weights, known, x, slot) * product(x, weights_dot)  # noqa: E731
        return over_slots(one_slot, jnp.add, sets)

    def gains(self, inputs: Inputs, known: Known) -> Float[Array, "B S K"]:
        """∂u/∂h_s of every slot."""
        slots = jnp.arange(inputs.sets.shape[1], dtype=jnp.int32)[:, None]
        return self.gain(inputs.weights, tuple(array[:, None, :] for array in known), inputs.sets, slots)

    def transpose(self, inputs: Inputs, known: Known, cotangent: Float[Array, "B K"]) -> Float[Array, "F K"]:
        """W̄."""
        return _outer(inputs.sets, self.gains(inputs, known), cotangent)


@partial(jax.custom_jvp, nondiff_argnums=(0,))
def pool(
    how: Pooling, weights: Float[Array, "F K"], sets: Float[Array, "B S F"], filled: Filled = None
) -> Float[Array, "B K"]:
    """u for every set in the batch."""
    return _without_empty(lambda few: how.forward(Inputs(weights, few)), sets, filled)


def _without_empty(function: Callable[[Array], Result], sets: Float[Array, "B S F"], filled: Filled) -> Result:
    """function(sets) without most of the slots that no set fills."""
    if filled is None:
        return function(sets)
    return as_wide_as_filled(lambda width: function(sets[:, :width]), filled, sets.shape[1])


def _jvp(
    how: Pooling, primals: tuple[Array, Array, Filled], tangents: tuple[Array | SymbolicZero, Array | SymbolicZero, Any]
) -> tuple[Array, Array]:
    weights, sets, filled = primals
    weights_dot, sets_dot, _ = tangents
    output, known = _without_empty(lambda few: how.forward_and_known(Inputs(weights, few)), sets, filled)
    tangent = jnp.zeros_like(output)
    if not isinstance(weights_dot, SymbolicZero):
        tangent = linear_call(_Tangent(how), _Transpose(how), (primals, known), weights_dot)
    if not isinstance(sets_dot, SymbolicZero):
        # Only gradients through the simulator come here; on-policy learners never do.
        tangent = tangent + (how.gains(Inputs(weights, sets), known) * (sets_dot @ weights)).sum(1)
    return output, tangent


pool.defjvp(_jvp, symbolic_zeros=True)


@dataclass(frozen=True)
class _Tangent:
    """How the pooled features change with the weights."""

    how: Pooling

    def __call__(self, residuals: Residuals, weights_dot: Array) -> Array:
        (weights, sets, filled), known = residuals
        tangent = lambda few: self.how.tangent(Inputs(weights, few), known, weights_dot)  # noqa: E731
        return _without_empty(tangent, sets, filled)


@dataclass(frozen=True)
class _Transpose:
    """The way back: a cotangent of the pooled features as one of the weights."""

    how: Pooling

    def __call__(self, residuals: Residuals, cotangent: Array) -> Array:
        (weights, sets, filled), known = residuals
        transpose = lambda few: self.how.transpose(Inputs(weights, few), known, cotangent)  # noqa: E731
        return _without_empty(transpose, sets, filled)


def _outer(sets: Float[Array, "B S F"], gains: Float[Array, "B S K"], cotangent: Float[Array, "B K"]) -> Array:
    """Σ_s x_sᵀ (g_s ū) as one matrix product."""
    rows = sets.reshape(-1, sets.shape[-1])
    return rows.T @ (gains * cotangent[:, None, :]).reshape(rows.shape[0], -1)


def product(x: Float[Array, "*rows F"], weights: Float[Array, "F K"]) -> Float[Array, "*rows K"]:
    """x · W as a sum of outer products, which stays elementwise and so can be fused with what follows."""
    total = x[..., 0:1] * weights[0]
    for feature in range(1, x.shape[-1]):
        total = total + x[..., feature : feature + 1] * weights[feature]
    return total


def over_slots(
    one_slot: Callable[[Array, Any], Result],
    combine: Callable[[Result, Result], Result],
    sets: Float[Array, "B S F"],
) -> Result:
    """one_slot(x_s, s) of all slots, combined two at a time; unrolled in blocks."""
    slots = sets.shape[1]
    blocks = -(-slots // (UNROLLED_SLOTS if slots < SKIPPED_SLOTS else SKIPPED_TOGETHER))
    size = -(-slots // blocks)
    whole = slots // size

    def reduce_block(block: Array, first: Any) -> Result:
        return _reduce_block(one_slot, combine, block, first)

    def add_block(index: Array, total: Result) -> Result:
        block = lax.dynamic_slice_in_dim(sets, index * size, size, axis=1)
        if slots < SKIPPED_SLOTS:
            return combine(total, reduce_block(block, index * size))
        # An absent slot adds nothing, whatever the pooling. Where neighbours stand side by side, many blocks are empty.
        taken = jnp.any(block[..., -1] > 0)
        return lax.cond(taken, lambda: combine(total, reduce_block(block, index * size)), lambda: total)

    total = reduce_block(sets[:, :size], 0 if blocks == 1 else jnp.int32(0))
    if whole > 1:
        total = lax.fori_loop(1, whole, add_block, total)
    # Padding the last block instead would copy all of the sets.
    rest = sets[:, whole * size :]
    return combine(total, reduce_block(rest, jnp.int32(whole * size))) if rest.shape[1] else total


def _reduce_block(
    one_slot: Callable[[Array, Any], Result], combine: Callable[[Result, Result], Result], block: Array, first: Any
) -> Result:
    total = one_slot(block[:, 0], first)
    for slot in range(1, block.shape[1]):
        total = combine(total, one_slot(block[:, slot], first + slot))
    return total
