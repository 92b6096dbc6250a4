"""A histogram of the set over distance and bearing."""

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
class Histogram(Embedding):
    """One-hot bins over distance × bearing, averaged over the set: the share of neighbours in each bin."""

    bins: int = setting(8, "bins per dimension", at_least=1)
    angles: int = setting(1, "1: distance × bearing; 2: distance × bearing × orientation", at_least=1, at_most=2)

    def check(self, layout: SetLayout) -> None:
        polar.check_angles("histogram", self.angles, layout)

    def prepare(self, layout: SetLayout, elements: Float[Array, "B S F"], mask: Bool[Array, "B S"]) -> Array:
        elements = clear(elements, mask)
        shares = [elements[..., 0]]
        shares += [(polar.angle(elements, which) + pi) / (2 * pi) for which in range(self.angles)]
        return polar.mean_of_products([self._one_hot(share) for share in shares], mask.astype(elements.dtype))

    def _one_hot(self, share: Float[Array, "B S"]) -> Float[Array, "B S bins"]:
        """The bin of a number in [0, 1]; the upper end belongs to the last bin."""
        index = jnp.clip(jnp.floor(share * self.bins), 0, self.bins - 1)
        return (index[..., None] == jnp.arange(self.bins)).astype(share.dtype)
