"""Random numbers that are a function of a key and of indices: the step, an agent, the agent it senses.

Drawing them from indices instead of from a sequence lets a learner observe a stored state again, with the same noise,
and for a few agents only.
"""

import jax
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Float, UInt32

# What a number is drawn for: two uses with the same indices must not share it.
STRENGTH, STOP, STOP_ORDER, CONTRARY_ORDER, PAUSE, PAUSE_PHASE, SPEED, HEADING, BLIND = range(9)
ACTION_NOISE, ACTION_BIAS, LINK, MEASUREMENT, EVADER = range(9, 14)


def words(key: UInt32[Array, "2"], *indices: Array | int) -> tuple[Array, Array]:
    """Two words of 32 random bits for every combination of indices; arrays among them are broadcast."""
    keys = jax.random.wrap_key_data(key, impl="threefry2x32")
    for index in indices:
        keys = _fold_in(keys, jnp.asarray(index))
    # Folding an index into a key is a hash of both, so the key itself is the random number.
    data = jax.random.key_data(keys)
    return data[..., 0], data[..., 1]


def _fold_in(keys: Array, index: Array) -> Array:
    shape = jnp.broadcast_shapes(keys.shape, index.shape)
    if not shape:
        return jax.random.fold_in(keys, index)
    flat = jnp.broadcast_to(keys, shape).reshape(-1), jnp.broadcast_to(index, shape).reshape(-1)
    return jax.vmap(jax.random.fold_in)(*flat).reshape(shape)


def uniform(word: UInt32[Array, "..."]) -> Float[Array, "..."]:
    """Strictly between 0 and 1: an event of probability 0 never happens, and one of probability 1 always does."""
    return ((word >> 9).astype(jnp.float32) + 0.5) * 2.0**-23


def normal(word: UInt32[Array, "..."]) -> Float[Array, "..."]:
    """Mean 0, deviation 1."""
    return 2.0**0.5 * lax.erf_inv(2.0 * uniform(word) - 1.0)
