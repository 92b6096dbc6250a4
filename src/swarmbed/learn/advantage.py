"""Generalised advantage estimation, with termination and truncation kept apart."""

import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Bool, Float, Shaped


def advantages(
    reward: Float[Array, "T *batch"],
    value: Float[Array, "T *batch"],
    next_value: Float[Array, "T *batch"],
    terminated: Bool[Array, "T *batch"],
    ended: Bool[Array, "T *batch"],
    discount: float,
    gae_lambda: float,
) -> Float[Array, "T *batch"]:
    """Â_t = δ_t + γλ Â_{t+1} within an episode, with δ_t = r_t + γ V(s_{t+1}) − V(s_t).

    ``next_value`` is the value of the state that step t led to, before any reset. Nothing comes after a termination, so
    V(s_{t+1}) counts as 0 there; a truncation only ends the recording, so its value stands. Either way the sum over
    later steps stops (``ended``).
    """
    error = reward + discount * jnp.where(terminated, 0.0, next_value) - value
    carried = jnp.where(ended, 0.0, discount * gae_lambda)

    def backwards(later: Array, step: tuple[Array, Array]) -> tuple[Array, Array]:
        error, carried = step
        # What follows an end belongs to another episode and may even be NaN: nothing of it is carried over.
        advantage = error + jnp.where(carried != 0, carried * later, 0.0)
        return advantage, advantage

    _, result = lax.scan(backwards, jnp.zeros_like(value[0]), (error, carried), reverse=True)
    return result


def next_values(
    value: Shaped[Array, "T *batch"],
    last_value: Shaped[Array, " *batch"],
    cut_off_value: Shaped[Array, "slots *batch"],
    truncated: Bool[Array, "T *batch"],
) -> Shaped[Array, "T *batch"]:
    """V (or any other value of a state) of the state that each step led to, before any reset: that of the next state,
    or of the truncated one.

    ``cut_off_value`` holds the latter in order of time; the k-th truncation of a column reads slot k.
    """
    following = jnp.concatenate([value[1:], last_value[None]])
    which = jnp.cumsum(truncated, axis=0) - 1
    for slot in range(cut_off_value.shape[0]):
        following = jnp.where(truncated & (which == slot), cut_off_value[slot], following)
    return following
