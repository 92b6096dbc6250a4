"""Distance and angles of the elements of a set, taken back from their columns, for bins and bumps.

Elements start with distance, cosine and sine of the bearing; cosine and sine of the relative orientation may follow.
"""

from math import pi

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.observation import SetLayout

ANGLES = ("bearing", "orientation")


def check_angles(name: str, angles: int, layout: SetLayout) -> None:
    """Raise an error if the elements do not hold that many angles."""
    if layout.features < 1 + 2 * angles:
        wanted = " and ".join(("distance", *ANGLES[:angles]))
        raise SwarmbedError(f"{name} over {wanted} needs elements of {1 + 2 * angles} numbers, not {layout.features}")


def angle(elements: Float[Array, "B S F"], which: int) -> Float[Array, "B S"]:
    """The angle in (−π, π] whose cosine and sine are columns 1 + 2·which and the next."""
    cos, sin = elements[..., 1 + 2 * which], elements[..., 2 + 2 * which]
    somewhere = (cos != 0) | (sin != 0)  # arctan2 has no gradient at the origin, where absent elements are
    return jnp.arctan2(jnp.where(somewhere, sin, 0.0), jnp.where(somewhere, cos, 1.0))


def wrapped(difference: Array) -> Array:
    """An angle difference brought into [−π, π]."""
    return difference - 2 * pi * jnp.round(difference / (2 * pi))


def mean_of_products(parts: list[Float[Array, "B S M"]], presence: Float[Array, "B S"]) -> Float[Array, "B K"]:
    """1/|O| Σ_s a_s ⊗ b_s (⊗ c_s): the mean of a separable feature map, flattened."""
    count = jnp.maximum(presence.sum(1), 1.0)
    first = parts[0] * (presence / count[:, None])[..., None]
    letters = "ijk"[: len(parts)]
    recipe = ",".join(f"bs{letter}" for letter in letters) + f"->b{letters}"
    return jnp.einsum(recipe, first, *parts[1:]).reshape(presence.shape[0], -1)
