"""Sets of swarms of different sizes in one shape: small swarms leave the last slots empty, which costs little.

A batch is computed with as many slots as its largest set fills, rounded up to one of a few widths: there is a program
for each of them, as fast as one for sets of that size. So sets of about the same size should stand together.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.custom_batching import custom_vmap
from jaxtyping import Bool, Float, Int

WIDTHS = 10  # at most so many: more waste fewer slots, fewer compile faster
NARROWEST = 4

Result = TypeVar("Result")


class Ragged(NamedTuple):
    """Prepared sets, how many elements each has, and its last filled slot, counted from one."""

    sets: Float[Array, "B S C"]
    present: Int[Array, " B"]
    last: Int[Array, " B"]


def ragged(sets: Float[Array, "B S C"], mask: Bool[Array, "B S"]) -> Ragged:
    return Ragged(sets, mask.sum(1), last_filled(mask))


def last_filled(mask: Bool[Array, "*batch S"]) -> Int[Array, "*batch"]:
    """The last slot that has an element, counted from one; 0 for an empty set."""
    return jnp.where(mask, jnp.arange(1, mask.shape[-1] + 1), 0).max(-1)


def widths(slots: int) -> list[int]:
    """The numbers of slots that there are programs for, up to all of them."""
    step = max(-(-slots // WIDTHS), NARROWEST)
    return [*range(step, slots, step), slots]


def as_wide_as_filled(function: Callable[[int], Result], filled: Int[Array, ""], slots: int) -> Result:
    """function(width) of the smallest width that holds the first ``filled`` slots; under vmap, those of all."""
    possible = widths(slots)
    index = jnp.maximum(_most(filled) - 1, 0) // possible[0]
    return lax.switch(index, [partial(function, width) for width in possible])


@custom_vmap
def _most(filled: Int[Array, ""]) -> Int[Array, ""]:
    """One number for all of a batch: with a number each, vmap would compute every width for all of them."""
    return filled


@_most.def_vmap
def _most_of_all(_: int, __: list[bool], filled: Int[Array, " batch"]) -> tuple[Int[Array, ""], bool]:
    return filled.max(), False


def by_size(batch: Any) -> Any:
    """The samples with the smallest sets first, where sets are ragged; any other batch as it is."""
    leaves = jax.tree.leaves(batch, is_leaf=lambda leaf: isinstance(leaf, Ragged))
    found = next((leaf for leaf in leaves if isinstance(leaf, Ragged)), None)
    if found is None:
        return batch
    order = jnp.argsort(found.last)
    return jax.tree.map(lambda leaf: leaf[order], batch)
