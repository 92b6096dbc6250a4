"""Sums over pieces of a batch are the sum over the batch."""

from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed.compute.chunks import ROWS, in_pieces, number_of_samples, piece_size, sum_over


def sums(piece: Any) -> Any:
    """Something that needs both arrays of a piece, and gives a tree."""
    return {"product": (piece["x"] * piece["y"][:, None]).sum(0), "count": jnp.full((), float(piece["y"].shape[0]))}


@pytest.mark.parametrize("samples", [1, 3, 4, 8, 11, 12])
def test_the_sum_over_pieces_of_four_is_the_whole_sum(samples: int, quick_jit: Any) -> None:
    # 1 and 3 are less than one piece, 4 is one, 8 and 12 fit evenly, 11 leaves three over.
    generator = np.random.default_rng(samples)
    x, y = generator.normal(size=(samples, 2)).astype(np.float32), generator.normal(size=samples).astype(np.float32)
    found = quick_jit(lambda batch: sum_over(sums, batch, 4))({"x": x, "y": y})
    assert np.asarray(found["product"]) == pytest.approx((x * y[:, None]).sum(0), abs=1e-5)
    assert found["count"] == samples


@pytest.mark.parametrize("samples", [3, 8, 16, 19])
def test_what_is_computed_in_pieces_of_eight_comes_back_in_order(samples: int, quick_jit: Any) -> None:
    sets = np.random.default_rng(samples).normal(size=(samples, ROWS, 1)).astype(np.float32)  # so many slots: eight
    sizes: list[int] = []

    def furthest(piece: Any) -> Any:
        sizes.append(piece.shape[0])
        return jnp.abs(piece).max(1)

    found = quick_jit(lambda batch: in_pieces(furthest, batch))(sets)
    assert np.asarray(found) == pytest.approx(np.abs(sets).max(1))
    assert max(sizes) <= 8


def test_no_piece_is_larger_than_asked_for(quick_jit: Any) -> None:
    sizes: list[int] = []

    def note(piece: Any) -> Any:
        sizes.append(piece.shape[0])
        return piece.sum()

    quick_jit(lambda batch: sum_over(note, batch, 4))(jnp.ones(11))
    assert set(sizes) == {4, 3}


@pytest.mark.parametrize(
    ("slots", "samples"),
    [(20, ROWS // 20), (100, ROWS // 100), (2, 256), (100_000, 8)],  # never more than 256, never less than 8
)
def test_pieces_shrink_as_sets_grow(slots: int, samples: int) -> None:
    assert piece_size({"sets": (np.zeros((3, slots, 5)), np.zeros((3, 1, 5))), "local": np.zeros((3, 70))}) == samples


def test_without_sets_a_piece_has_the_largest_size() -> None:
    assert piece_size({"local": np.zeros((3, 70))}) == 256


def test_samples_are_counted_along_the_first_axis() -> None:
    assert number_of_samples({"x": np.zeros((7, 2)), "y": np.zeros(7)}) == 7
