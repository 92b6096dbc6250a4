"""A trained policy with numpy alone: this file needs nothing else from swarmbed and can be copied to a robot.

>>> from swarmbed.policy.with_numpy import load
>>> policy = load("rendezvous-global-nn-extended")
>>> elements, mask = np.zeros((1, 3, 7)), np.zeros((1, 3), bool)  # one agent without neighbours: three empty slots
>>> policy(np.zeros((1, 5)), [(elements, mask)]).shape
(1, 2)
"""

import json
import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ACTIVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "relu": lambda h: np.maximum(h, 0),
    "tanh": np.tanh,
    "elu": lambda h: np.where(h > 0, h, np.expm1(np.minimum(h, 0))),
}


@dataclass(frozen=True)
class NumpyPolicy:
    """The mean action of every agent, in units of [-1, 1] and before clipping."""

    arrays: dict[str, np.ndarray]
    settings: dict[str, dict[str, Any]]

    def __call__(self, local: np.ndarray, sets: Sequence[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
        """``local`` (agents, properties); each set as elements (agents, slots, features) and mask (agents, slots)."""
        parts = [self._embed(number, *seen) for number, seen in enumerate(sets)]
        hidden = np.concatenate([*parts, local], 1)
        layers = self._layers("network.head.")
        for weight, bias in layers[:-1]:
            hidden = np.maximum(hidden @ weight + bias, 0)
        return hidden @ layers[-1][0] + layers[-1][1]

    def _embed(self, number: int, elements: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """μ(O) of one set, as the settings say; what absent elements hold does not matter."""
        kind, elements = self.settings["embedding"], np.where(mask[..., None], elements, 0)
        at, count = f"network.embeddings.{number}.", np.maximum(mask.sum(1), 1)[:, None]
        if kind["name"] == "neural":
            return _neural(kind, self._layers(at), elements, mask, count)
        if kind["name"] == "moments":
            return _moments(kind["order"], elements, mask, count)
        if kind["name"] == "concatenation":
            weight = self.arrays[f"{at}weight"]
            if elements.shape[1] * elements.shape[2] > len(weight):  # the own slot is the first absent one: left out
                keep = np.arange(elements.shape[1]) != np.argmin(mask, 1)[:, None]
                elements = elements[keep].reshape(len(mask), -1)
            return np.maximum(elements.reshape(len(mask), -1) @ weight + self.arrays[f"{at}bias"], 0)
        return _bins(kind, elements, mask / count)

    def _layers(self, prefix: str) -> list[tuple[np.ndarray, np.ndarray]]:
        count = sum(name.startswith(prefix) and name.endswith(".weight") for name in self.arrays)
        return [(self.arrays[f"{prefix}{i}.weight"], self.arrays[f"{prefix}{i}.bias"]) for i in range(count)]


def _neural(kind: dict[str, Any], layers: Any, elements: Any, mask: Any, count: Any) -> np.ndarray:
    hidden, present = elements, mask[..., None]
    for weight, bias in layers:
        hidden = ACTIVATIONS[kind["activation"]](hidden @ weight + bias)
    if kind["pooling"] == "mean":
        return np.where(present, hidden, 0).sum(1) / count
    if kind["pooling"] == "max":
        return np.where(present.any(1), np.where(present, hidden, -np.inf).max(1), 0)
    exponent = np.where(present, kind["temperature"] * hidden, -np.inf)
    weight = np.where(present, np.exp(exponent - np.where(present.any(1), exponent.max(1), 0)[:, None]), 0)
    return (weight * hidden).sum(1) / np.where(present.any(1), weight.sum(1), 1)


def _moments(order: int, elements: Any, mask: Any, count: Any) -> np.ndarray:
    mean = elements.sum(1) / count
    centred = np.where(mask[..., None], elements - mean[:, None], 0)
    deviation = np.sqrt((centred**2).sum(1) / count)
    deviation = np.where(deviation > 1e-4, deviation, 0)  # below it float32 cannot tell a deviation from rounding
    scaled = centred / np.where(deviation > 0, deviation, np.inf)[:, None]
    return np.concatenate([mean, deviation, *((scaled**p).sum(1) / count for p in (3, 4))][:order], 1)


def _bins(kind: dict[str, Any], elements: Any, share: Any) -> np.ndarray:
    """The mean of hard bins (histogram) or soft ones (rbf) over distance × angles."""
    angles = [np.arctan2(elements[..., 2 + 2 * i], elements[..., 1 + 2 * i]) for i in range(kind["angles"])]
    if kind["name"] == "histogram":
        shares = [elements[..., 0], *((angle + np.pi) / (2 * np.pi) for angle in angles)]
        index = [np.clip(np.floor(s * kind["bins"]), 0, kind["bins"] - 1) for s in shares]
        parts = [(i[..., None] == np.arange(kind["bins"])).astype(float) for i in index]
    elif kind["name"] == "rbf":
        m = kind["centres"]
        parts = [np.exp(-0.5 * ((elements[..., :1] - np.linspace(0, 1, m)) / kind["distance_width"]) ** 2)]
        for angle in angles:
            gap = angle[..., None] + np.pi - 2 * np.pi / m * np.arange(m)
            gap -= 2 * np.pi * np.round(gap / (2 * np.pi))
            parts.append(np.exp(-0.5 * (gap / kind["angle_width"]) ** 2))
    else:
        raise ValueError(f"the embedding {kind['name']!r} is not one that ships with swarmbed")
    letters = "ijk"[: len(parts)]
    recipe = ",".join(["bs", *(f"bs{letter}" for letter in letters)]) + f"->b{letters}"
    return np.einsum(recipe, share, *parts).reshape(len(share), -1)


def load(name_or_path: str | Path) -> NumpyPolicy:
    """A policy file, or a shipped policy by its name. A safetensors file is a length, a JSON header and bytes."""
    shipped = Path(__file__).parent / "shipped" / f"{name_or_path}.safetensors"
    content = (shipped if shipped.is_file() else Path(name_or_path)).read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    words = header.pop("__metadata__", {})
    if words.get("format") not in ("swarmbed-policy-1", "swarmbed-policy-2"):
        raise ValueError(f"{name_or_path} is not a swarmbed policy that this file can read")
    arrays = {}
    for name, about in header.items():
        begin, end = about["data_offsets"]
        kind = {"F32": "<f4", "F64": "<f8"}[about["dtype"]]
        plain_name = re.sub(r"\b(?:layer|set)(\d+)\b", r"\1", name)  # as the first format called them
        arrays[plain_name] = np.frombuffer(content[start + begin : start + end], kind).reshape(about["shape"])
    settings = tomllib.loads(words["config"])
    if settings.get("network", {}).get("name", "perceptron") != "perceptron":
        raise ValueError(f"{name_or_path} has a custom network, which this file cannot compute")
    return NumpyPolicy(arrays, settings)
