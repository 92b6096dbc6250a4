"""The poolings of neural features: sum, softmax and maximum of act(x_s · W) over a set."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jax.lax import bitcast_convert_type, cond, optimization_barrier
from jaxtyping import Bool, Float

from swarmbed.compute.chunks import in_pieces
from swarmbed.embeddings.slots import Inputs, Known, Pooling, Unrolled, over_slots, product


class Activation(NamedTuple):
    """A function with act(0) = 0, so an absent slot adds nothing to a sum, and its derivative."""

    value: Callable[[Array], Array]
    slope: Callable[[Array], Array]


ACTIVATIONS: dict[str, Activation] = {
    "relu": Activation(lambda h: jnp.maximum(h, 0.0), lambda h: (h > 0).astype(h.dtype)),
    "tanh": Activation(jnp.tanh, lambda h: 1.0 - jnp.square(jnp.tanh(h))),
    "elu": Activation(jax.nn.elu, lambda h: jnp.where(h > 0, 1.0, jnp.exp(jnp.minimum(h, 0.0)))),
}


@dataclass(frozen=True)
class Sum(Unrolled):
    """u = Σ_s act(h_s)."""

    activation: str

    def forward(self, inputs: Inputs) -> Float[Array, "B K"]:
        value = ACTIVATIONS[self.activation].value
        one_slot = lambda x, _: value(product(x, inputs.weights))  # noqa: E731
        return over_slots(one_slot, jnp.add, inputs.sets)

    def gain(self, weights: Float[Array, "F K"], known: Known, x: Float[Array, "*rows F"], slot: Any) -> Array:
        return ACTIVATIONS[self.activation].slope(product(x, weights))


class SoftmaxParts(NamedTuple):
    """h, w, 1 / Σ w and u."""

    hidden: Float[Array, "B S K"]
    weight: Float[Array, "B S K"]
    inverse: Float[Array, "B K"]
    pooled: Float[Array, "B K"]


@dataclass(frozen=True)
class Softmax(Pooling):
    """u = Σ_s w_s φ_s / Σ_s w_s with w_s = e^{αφ_s}, φ_s = act(h_s); 0 for the empty set.

    The largest exponent is factored out, so e^{αφ} cannot overflow; the ratio does not change. With p_s = w_s / Σ w,
    ∂u/∂φ_s = p_s (1 + α (φ_s − u)).

    Three sums need φ and w of every slot. Computed once and kept in the cache they are cheaper than in one unrolled
    expression, in which the compiler would recompute them for every sum. Empty slots are computed as well.
    """

    can_leave_out_slots: ClassVar[bool] = False

    activation: str
    temperature: float

    def forward(self, inputs: Inputs) -> Float[Array, "B K"]:
        return in_pieces(lambda piece: self._pooled(inputs.weights, piece).pooled, inputs.sets)

    def forward_and_known(self, inputs: Inputs) -> tuple[Float[Array, "B K"], Known]:
        hidden, weight, inverse, pooled = self._pooled(inputs.weights, inputs.sets)
        value, slope = ACTIVATIONS[self.activation]
        excess = self.temperature * (value(hidden) - pooled[:, None])
        return pooled, (optimization_barrier(weight * inverse[:, None] * (1.0 + excess) * slope(hidden)),)

    def tangent(self, inputs: Inputs, known: Known, weights_dot: Float[Array, "F K"]) -> Float[Array, "B K"]:
        return (known[0] * optimization_barrier(inputs.sets @ weights_dot)).sum(1)

    def gains(self, inputs: Inputs, known: Known) -> Float[Array, "B S K"]:
        return known[0]

    def _pooled(self, weights: Array, sets: Array) -> SoftmaxParts:
        hidden = optimization_barrier(sets @ weights)
        features = ACTIVATIONS[self.activation].value(hidden)
        exponent = jnp.where(_present(sets), self.temperature * features, -jnp.inf)
        largest = _or_zero(exponent.max(1))
        weight = optimization_barrier(self._weight(sets, features, largest[:, None]))
        total = weight.sum(1)
        inverse = 1.0 / jnp.where(total > 0, total, 1.0)
        return SoftmaxParts(hidden, weight, *optimization_barrier((inverse, (weight * features).sum(1) * inverse)))

    def _weight(self, x: Array, features: Array, largest: Array) -> Array:
        # Absent slots are 0 and may lie far above the largest exponent.
        exponent = jnp.minimum(self.temperature * features - largest, 0.0)
        return jnp.where(_present(x), jnp.exp(exponent), 0.0)


@dataclass(frozen=True)
class Maximum(Unrolled):
    """u = max_s act(h_s), and 0 for the empty set. Of equal elements the first one gets the gradient.

    The largest element is stored as the index of its slot: a value recomputed for the derivative may differ in its last
    bit, and would then not be found. The index is that of the smallest distance from the maximum, with the slot's
    number in the last bits of the distance: one number per slot can be reduced without storing any of them.
    """

    activation: str

    def forward(self, inputs: Inputs) -> Float[Array, "B K"]:
        one_slot = lambda x, _: self._candidate(inputs.weights, x)  # noqa: E731
        return _or_zero(over_slots(one_slot, jnp.maximum, inputs.sets))

    def forward_and_known(self, inputs: Inputs) -> tuple[Float[Array, "B K"], Known]:
        largest = optimization_barrier(self.forward(inputs))
        whole = jnp.int32 if largest.dtype == jnp.float32 else jnp.int64
        in_last_bits = whole((1 << inputs.sets.shape[1].bit_length()) - 1)

        def marked(x: Array, slot: Any) -> Array:
            # The bits of numbers that are not negative are in the order of the numbers.
            below = jnp.maximum(largest - self._candidate(inputs.weights, x), 0.0)
            return (bitcast_convert_type(below, whole) & ~in_last_bits) | jnp.asarray(slot, whole)

        def index() -> Array:
            nearest = over_slots(marked, jnp.minimum, inputs.sets)
            return (nearest & in_last_bits).astype(jnp.int32)

        # A condition is a border for the compiler, which would else find the index anew for every slot that uses it.
        anybody = _present(inputs.sets).any()
        return largest, (cond(anybody, index, lambda: jnp.zeros(largest.shape, jnp.int32)),)

    def gain(self, weights: Float[Array, "F K"], known: Known, x: Float[Array, "*rows F"], slot: Any) -> Array:
        return jnp.where(known[0] == slot, ACTIVATIONS[self.activation].slope(product(x, weights)), 0.0)

    def _candidate(self, weights: Array, x: Array) -> Array:
        return jnp.where(_present(x), ACTIVATIONS[self.activation].value(product(x, weights)), -jnp.inf)


def _or_zero(largest: Array) -> Array:
    return jnp.where(largest > -jnp.inf, largest, 0.0)


def _present(x: Float[Array, "*rows F"]) -> Bool[Array, "*rows 1"]:
    return x[..., -1:] > 0
