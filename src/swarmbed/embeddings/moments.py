"""Plain statistics of the set: mean, deviation, skew and kurtosis of every feature."""

from dataclasses import dataclass

import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float

from swarmbed.embeddings.base import Embedding, mean_over_present
from swarmbed.spec.observation import SetLayout
from swarmbed.spec.settings import setting

SMALLEST_DEVIATION = 1e-4  # below it all elements count as equal: float32 cannot tell a deviation from rounding there


@dataclass(frozen=True)
class Moments(Embedding):
    """The first 1 to 4 population moments of each feature: M, MS, MSS, MSSK.

    Skew E[(x − m)³]/s³ and plain kurtosis E[(x − m)⁴]/s⁴ are 0 where the deviation s is 0.
    """

    order: int = setting(4, "1: mean; 2: + standard deviation; 3: + skew; 4: + kurtosis", at_least=1, at_most=4)

    def prepare(self, layout: SetLayout, elements: Float[Array, "B S F"], mask: Bool[Array, "B S"]) -> Array:
        elements = jnp.where(mask[..., None], elements, 0.0)
        mean = mean_over_present(elements, mask)
        centred = jnp.where(mask[..., None], elements - mean[:, None], 0.0)
        variance = mean_over_present(jnp.square(centred), mask)
        spread = variance > SMALLEST_DEVIATION**2
        deviation = jnp.where(spread, jnp.sqrt(jnp.where(spread, variance, 1.0)), 0.0)
        scaled = centred * jnp.where(spread, 1.0 / jnp.where(spread, deviation, 1.0), 0.0)[:, None]
        higher = [mean_over_present(scaled**power, mask) for power in (3, 4)]
        return jnp.concatenate([mean, deviation, *higher][: self.order], -1)
