"""Sets of swarms of different sizes in one shape: small swarms leave the last slots empty, which costs little.

Slots come in blocks. A batch is computed up to the last block that any of its sets fills, so sets of about the same
size should stand together.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int

BLOCKS = 5  # about so many per set: more waste fewer slots, fewer spend less time on the loop
SMALLEST, LARGEST = 4, 12  # slots of a block


class Ragged(NamedTuple):
    """Prepared sets in whole blocks, how many elements each has, and its last filled slot, counted from one."""

    sets: Float[Array, "B S C"]
    present: Int[Array, " B"]
    last: Int[Array, " B"]


def block_of(slots: int) -> int:
    """Slots of a block: near a fifth of the set, and such that little has to be added to fill the last one."""
    wanted = min(max(slots // BLOCKS, SMALLEST), LARGEST)
    return min(range(max(wanted - 1, SMALLEST), wanted + 2), key=lambda size: (-slots % size, abs(size - wanted)))


def in_blocks(sets: Float[Array, "B S C"], mask: Bool[Array, "B S"]) -> Ragged:
    """With as many empty slots as the last block lacks."""
    slots = sets.shape[1]
    padded = jnp.pad(sets, ((0, 0), (0, -slots % block_of(slots)), (0, 0)))
    last = jnp.where(mask, jnp.arange(1, slots + 1), 0).max(1)
    return Ragged(padded, mask.sum(1), last)


def by_size(batch: Any) -> Any:
    """The samples with the smallest sets first, where sets are ragged; any other batch as it is."""
    leaves = jax.tree.leaves(batch, is_leaf=lambda leaf: isinstance(leaf, Ragged))
    ragged = next((leaf for leaf in leaves if isinstance(leaf, Ragged)), None)
    if ragged is None:
        return batch
    order = jnp.argsort(ragged.last)
    return jax.tree.map(lambda leaf: leaf[order], batch)
