"""Random keys, as JAX makes them."""

from typing import Any

import jax
import jax.numpy as jnp

from swarmbed.spec.errors import SwarmbedError, shown


def check_key(key: Any) -> None:
    """Raise an error that says how to make one if this is not one random key, of JAX's new kind or of its old."""
    kind = getattr(key, "dtype", None)
    is_new = kind is not None and jnp.issubdtype(kind, jax.dtypes.prng_key)
    if is_new and key.ndim:
        raise SwarmbedError(f"key must be one random key, not {key.shape} of them; use jax.vmap for several swarms")
    if not (is_new or (kind == jnp.uint32 and key.ndim == 1)):
        raise SwarmbedError(f"key must be a random key such as jax.random.key(0), not {shown(key)}")
