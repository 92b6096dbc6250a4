"""A diagonal Gaussian over actions with a mean per sample and one log-deviation for all."""

from math import log, pi

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float


def log_probability(
    mean: Float[Array, "... A"], log_std: Float[Array, " A"], action: Float[Array, "... A"]
) -> Float[Array, "..."]:
    """log π(a) = −½ Σ [(a − μ)²/σ² + 2 log σ + log 2π]."""
    scaled = (action - mean) * jnp.exp(-log_std)
    return -0.5 * (jnp.square(scaled) + 2 * log_std + log(2 * pi)).sum(-1)


def divergence(
    old_mean: Float[Array, "... A"], old_log_std: Float[Array, " A"], mean: Float[Array, "... A"],
    log_std: Float[Array, " A"],
) -> Float[Array, "..."]:  # fmt: skip
    """KL(old ‖ new) = Σ [log σ′/σ + (σ² + (μ − μ′)²) / 2σ′² − ½]."""
    variance = jnp.exp(2 * old_log_std)
    precision = jnp.exp(-2 * log_std)
    return (log_std - old_log_std + 0.5 * (variance + jnp.square(old_mean - mean)) * precision - 0.5).sum(-1)


def entropy(log_std: Float[Array, " A"]) -> Float[Array, ""]:
    """Σ [log σ + ½ log 2πe]."""
    return (log_std + 0.5 * (log(2 * pi) + 1)).sum()
