"""Embeddings without a neural network, with numpy alone: what ``with_numpy.py`` needs for policies that have them.

Each takes the settings of the embedding, its layers, the elements of a set and which of them are present.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

SMALLEST_DEVIATION = 1e-4  # below it float32 cannot tell a deviation from rounding


def concatenation(kind: dict[str, Any], layers: Any, elements: np.ndarray, mask: np.ndarray) -> np.ndarray:
    ((weight, bias),) = layers
    if elements.shape[1] * elements.shape[2] > len(weight):  # the own slot is the first absent one: left out
        elements = elements[np.arange(elements.shape[1]) != np.argmin(mask, 1)[:, None]]
    return np.maximum(elements.reshape(len(mask), -1) @ weight + bias, 0)


def moments(kind: dict[str, Any], layers: Any, elements: np.ndarray, mask: np.ndarray) -> np.ndarray:
    count = _count(mask)
    mean = elements.sum(1) / count
    centred = np.where(mask[..., None], elements - mean[:, None], 0)
    deviation = np.sqrt((centred**2).sum(1) / count)
    deviation = np.where(deviation > SMALLEST_DEVIATION, deviation, 0)
    scaled = centred / np.where(deviation > 0, deviation, np.inf)[:, None]
    return np.concatenate([mean, deviation, *((scaled**p).sum(1) / count for p in (3, 4))][: kind["order"]], 1)


def histogram(kind: dict[str, Any], layers: Any, elements: np.ndarray, mask: np.ndarray) -> np.ndarray:
    bins = kind["bins"]
    shares = [elements[..., 0], *((angle + np.pi) / (2 * np.pi) for angle in _angles(kind, elements))]
    index = [np.clip(np.floor(share * bins), 0, bins - 1) for share in shares]
    return _mean_of_products([(i[..., None] == np.arange(bins)).astype(float) for i in index], mask)


def rbf(kind: dict[str, Any], layers: Any, elements: np.ndarray, mask: np.ndarray) -> np.ndarray:
    centres = kind["centres"]
    gaps = [(elements[..., :1] - np.linspace(0, 1, centres)) / kind["distance_width"]]
    for angle in _angles(kind, elements):
        gap = angle[..., None] + np.pi - 2 * np.pi / centres * np.arange(centres)
        gaps.append((gap - 2 * np.pi * np.round(gap / (2 * np.pi))) / kind["angle_width"])
    return _mean_of_products([np.exp(-0.5 * gap**2) for gap in gaps], mask)


def _angles(kind: dict[str, Any], elements: np.ndarray) -> list[np.ndarray]:
    return [np.arctan2(elements[..., 2 + 2 * i], elements[..., 1 + 2 * i]) for i in range(kind["angles"])]


def _mean_of_products(parts: list[np.ndarray], mask: np.ndarray) -> np.ndarray:
    """The mean over those present of the products of bins, one bin of each part."""
    letters = "ijk"[: len(parts)]
    indices = ",".join(["bs", *(f"bs{letter}" for letter in letters)]) + f"->b{letters}"
    return np.einsum(indices, mask / _count(mask), *parts).reshape(len(mask), -1)


def _count(mask: np.ndarray) -> np.ndarray:
    return np.maximum(mask.sum(1), 1)[:, None]


EMBEDDINGS = {"concatenation": concatenation, "moments": moments, "histogram": histogram, "rbf": rbf}


def named(name: str) -> Callable[..., np.ndarray]:
    if name not in EMBEDDINGS:
        raise ValueError(f"the embedding {name!r} is not one that ships with swarmbed")
    return EMBEDDINGS[name]
