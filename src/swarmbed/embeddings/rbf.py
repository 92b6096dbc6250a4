"""Radial basis functions over distance and bearing: a histogram with soft bins."""

from dataclasses import dataclass
from math import pi

import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float

from swarmbed.embeddings import polar
from swarmbed.embeddings.base import Embedding, SetLayout, clear
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.settings import setting


@dataclass(frozen=True)
class Rbf(Embedding):
    """Mean over the set of ρ_m(o) = exp(−½[(d − μ_d)²/σ_d² + (φ − μ_φ)²/σ_φ²]), centres on an even grid."""

    centres: int = setting(8, "bumps per dimension")
    angles: int = setting(1, "1: distance × bearing; 2: distance × bearing × orientation")
    distance_width: float = setting(0.05, "σ_d as a share of the largest sensed distance")
    angle_width: float = setting(0.33, "σ_φ, rad")

    def __post_init__(self) -> None:
        if self.centres < 1 or self.angles not in (1, 2):
            raise SwarmbedError(f"centres must be at least 1 and angles 1 or 2, not {self.centres} and {self.angles}")
        if not (self.distance_width > 0 and self.angle_width > 0):
            raise SwarmbedError("distance_width and angle_width must be positive numbers")

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
