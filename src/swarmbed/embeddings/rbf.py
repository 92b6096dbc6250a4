"""Radial basis functions over distance and bearing: a histogram with soft bins."""

from dataclasses import dataclass
from math import pi

import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float

from swarmbed.embeddings import polar
from swarmbed.embeddings.base import Embedding, clear
from swarmbed.spec.observation import SetLayout
from swarmbed.spec.settings import setting


@dataclass(frozen=True)
class Rbf(Embedding):
    """A histogram with soft bins: radial basis functions on an even grid, averaged over the set.

    The mean of ρ_m(o) = exp(−½[(d − μ_d)²/σ_d² + (φ − μ_φ)²/σ_φ²]).
    """

    centres: int = setting(8, "bumps per dimension", at_least=1)
    angles: int = setting(1, "1: distance × bearing; 2: distance × bearing × orientation", at_least=1, at_most=2)
    distance_width: float = setting(0.05, "σ_d as a share of the largest sensed distance", above=0)
    angle_width: float = setting(0.33, "σ_φ, rad", above=0)

    def check(self, layout: SetLayout) -> None:
        polar.check_angles("rbf", self.angles, layout)

    def prepare(self, layout: SetLayout, elements: Float[Array, "B S F"], mask: Bool[Array, "B S"]) -> Array:
        elements = clear(elements, mask)
        distance = elements[..., 0, None] - jnp.linspace(0.0, 1.0, self.centres)
        bumps = [jnp.exp(-0.5 * jnp.square(distance / self.distance_width))]
        # The circle is closed: the first centre follows the last one at the same step.
        around = -pi + 2 * pi / self.centres * jnp.arange(self.centres)
        for which in range(self.angles):
            difference = polar.wrapped(polar.angle(elements, which)[..., None] - around)
            bumps.append(jnp.exp(-0.5 * jnp.square(difference / self.angle_width)))
        return polar.mean_of_products(bumps, mask.astype(elements.dtype))
