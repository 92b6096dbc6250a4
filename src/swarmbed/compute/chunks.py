"""Sums over a batch in cache-sized pieces.

Gradients, Fisher products, line searches and value fits are all sums over samples. Taken over the whole batch at once,
every intermediate array goes through main memory; taken piece by piece, it stays in the cache.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
from jax import Array, lax

Result = TypeVar("Result")

ROWS = 2560  # slots × samples of a piece: 64 float32 features of each fit into half a megabyte


def piece_size(inputs: Any) -> int:
    """Samples per piece for such inputs, given the slots of their largest set.

    Where pieces of nearly that size leave no rest, they are preferred: a batch with a rest has to be copied to be cut.
    """
    leaves = jax.tree.leaves(inputs)
    slots = max([leaf.shape[1] for leaf in leaves if leaf.ndim == 3], default=1)
    most = max(8, min(256, ROWS // slots))
    samples = leaves[0].shape[0]
    nearly = [size for size in range(most // 2, most * 4 // 3) if samples % size == 0]
    return min(nearly, key=lambda size: (abs(size - most), size), default=most)


class Pieces(NamedTuple):
    """A batch in pieces: those of one size, stacked, and a last, smaller one; None where there is none."""

    whole: Any
    rest: Any


def cut(batch: Any, size: int) -> Pieces:
    """Pieces of ``size`` samples."""
    samples = jax.tree.leaves(batch)[0].shape[0]
    count = samples // size
    if samples == size:
        return Pieces(None, batch)
    whole = jax.tree.map(lambda leaf: leaf[: count * size].reshape(count, size, *leaf.shape[1:]), batch)
    rest = jax.tree.map(lambda leaf: leaf[count * size :], batch)
    return Pieces(whole if count else None, rest if samples % size or not count else None)


def map_pieces(function: Callable[[Any], Any], pieces: Pieces) -> Pieces:
    """function(piece) of every piece."""
    return Pieces(
        None if pieces.whole is None else lax.map(function, pieces.whole),
        None if pieces.rest is None else function(pieces.rest),
    )


def sum_pieces(function: Callable[[Any], Result], pieces: Pieces) -> Result:
    """Σ function(piece)."""
    if pieces.whole is None:
        return function(pieces.rest)

    def add(total: Result, piece: Any) -> tuple[Result, None]:
        return jax.tree.map(jnp.add, total, function(piece)), None

    shape = jax.eval_shape(function, jax.tree.map(lambda leaf: leaf[0], pieces.whole))
    zero = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), shape)
    total, _ = lax.scan(add, zero, pieces.whole)
    return total if pieces.rest is None else jax.tree.map(jnp.add, total, function(pieces.rest))


def sum_over(function: Callable[[Any], Result], batch: Any, size: int) -> Result:
    """Σ function(piece) over pieces of ``size`` samples (and a last, smaller one where they do not fit evenly)."""
    return sum_pieces(function, cut(batch, size))


def in_pieces(function: Callable[[Any], Array], batch: Any) -> Array:
    """function(batch), computed for a piece of the samples at a time."""
    pieces = cut(batch, piece_size(batch))
    if pieces.whole is None:
        return function(batch)
    done = lax.map(function, pieces.whole)
    done = done.reshape(done.shape[0] * done.shape[1], *done.shape[2:])
    return done if pieces.rest is None else jnp.concatenate([done, function(pieces.rest)])


def number_of_samples(batch: Any) -> int:
    leaf: Array = jax.tree.leaves(batch)[0]
    return leaf.shape[0]
