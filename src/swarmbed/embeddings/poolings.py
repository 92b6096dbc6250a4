"""The poolings of neural features: sum, softmax and maximum of act(x_s · W) over a set."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jax.lax import bitcast_convert_type, cond, optimization_barrier
from jaxtyping import Bool, Float

from swarmbed.embeddings.slots import Inputs, Known, Pooling, over_slots, product


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
class Sum(Pooling):
    """u = Σ_s act(h_s)."""

    activation: str

    def forward(self, inputs: Inputs) -> Float[Array, "B K"]:
        value = ACTIVATIONS[self.activation].value
        one_slot = lambda x, _: value(product(x, inputs.weights))  # noqa: E731
        return over_slots(one_slot, jnp.add, inputs.sets)

    def gain(self, weights: Float[Array, "F K"], known: Known, x: Float[Array, "*rows F"], slot: Any) -> Array:
        return ACTIVATIONS[self.activation].slope(product(x, weights))


@dataclass(frozen=True)
class Softmax(Pooling):
    """u = Σ_s w_s φ_s / Σ_s w_s with w_s = e^{αφ_s}, φ_s = act(h_s); 0 for the empty set.

    The largest exponent is factored out, so e^{αφ} cannot overflow; the ratio does not change. With p_s = w_s / Σ w,
    ∂u/∂φ_s = p_s (1 + α (φ_s − u)).

    Largest exponent, Σ w and Σ w φ are three passes over the slots. Each computes φ anew, in registers: an array of
    all φ would leave the cache.
    """

    activation: str
    temperature: float

    def forward(self, inputs: Inputs) -> Float[Array, "B K"]:
        return self.forward_and_known(inputs)[0]

    def forward_and_known(self, inputs: Inputs) -> tuple[Float[Array, "B K"], Known]:
        weights, sets = inputs

        def exponent(x: Array, _: Any) -> Array:
            return jnp.where(_present(x), self.temperature * self._feature(weights, x), -jnp.inf)

        def pooled() -> Known:
            largest = optimization_barrier(_or_zero(over_slots(exponent, jnp.maximum, sets)))
            weight = lambda x, _: self._weight(x, self._feature(weights, x), largest)  # noqa: E731
            weighted = lambda x, _: weight(x, _) * self._feature(weights, x)  # noqa: E731
            total = over_slots(weight, jnp.add, sets)
            inverse = 1.0 / jnp.where(total > 0, total, 1.0)
            return over_slots(weighted, jnp.add, sets) * inverse, largest, inverse

        known = _behind_a_border(pooled, sets)
        return known[0], known

    def gain(self, weights: Float[Array, "F K"], known: Known, x: Float[Array, "*rows F"], slot: Any) -> Array:
        pooled, largest, inverse = known
        hidden = product(x, weights)
        feature = ACTIVATIONS[self.activation].value(hidden)
        share = self._weight(x, feature, largest) * inverse
        return share * (1.0 + self.temperature * (feature - pooled)) * ACTIVATIONS[self.activation].slope(hidden)

    def _feature(self, weights: Array, x: Array) -> Array:
        return ACTIVATIONS[self.activation].value(product(x, weights))

    def _weight(self, x: Array, feature: Array, largest: Array) -> Array:
        # Absent slots are 0 and may lie far above the largest exponent.
        exponent = jnp.minimum(self.temperature * feature - largest, 0.0)
        return jnp.where(_present(x), jnp.exp(exponent), 0.0)


@dataclass(frozen=True)
class Maximum(Pooling):
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

        def index() -> Known:
            nearest = over_slots(marked, jnp.minimum, inputs.sets)
            return ((nearest & in_last_bits).astype(jnp.int32),)

        return largest, _behind_a_border(index, inputs.sets)

    def gain(self, weights: Float[Array, "F K"], known: Known, x: Float[Array, "*rows F"], slot: Any) -> Array:
        return jnp.where(known[0] == slot, ACTIVATIONS[self.activation].slope(product(x, weights)), 0.0)

    def _candidate(self, weights: Array, x: Array) -> Array:
        return jnp.where(_present(x), ACTIVATIONS[self.activation].value(product(x, weights)), -jnp.inf)


def _behind_a_border(function: Callable[[], Known], sets: Float[Array, "B S F"]) -> Known:
    """function(), or zeros where all sets are empty: a condition is a border for the compiler, which would else compute
    the result anew for every slot that uses it."""
    shapes = jax.eval_shape(function)
    nothing = lambda: tuple(jnp.zeros(leaf.shape, leaf.dtype) for leaf in shapes)  # noqa: E731
    return cond(_present(sets).any(), function, nothing)


def _or_zero(largest: Array) -> Array:
    return jnp.where(largest > -jnp.inf, largest, 0.0)


def _present(x: Float[Array, "*rows F"]) -> Bool[Array, "*rows 1"]:
    return x[..., -1:] > 0
