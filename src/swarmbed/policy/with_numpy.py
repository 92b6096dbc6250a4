"""A trained policy with numpy alone: this file needs nothing else from swarmbed and can be copied to a robot.
Embeddings without a neural network are in ``with_numpy_embeddings.py``, which then goes beside it.

>>> from swarmbed.policy.with_numpy import load
>>> policy = load("rendezvous-global-nn-extended")
>>> elements, mask = np.zeros((1, 3, 7)), np.zeros((1, 3), bool)  # one agent without neighbours: three empty slots
>>> policy(np.zeros((1, 5)), [(elements, mask)]).shape
(1, 2)
"""

import importlib
import json
import re
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ACTIVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "relu": lambda h: np.maximum(h, 0),
    "tanh": np.tanh,
    "elu": lambda h: np.where(h > 0, h, np.expm1(np.minimum(h, 0))),
}


class NumpyPolicy(NamedTuple):
    arrays: dict[str, np.ndarray]
    settings: dict[str, dict[str, Any]]

    def __call__(self, local: np.ndarray, sets: Sequence[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
        """The mean action of every agent, in units of [-1, 1] and before clipping. ``local`` is (agents, properties),
        each set a pair of elements (agents, slots, features) and mask (agents, slots)."""
        kind, embed = self.settings["embedding"], neural
        if kind["name"] != "neural":  # from the file beside this one, in swarmbed or wherever both were copied to
            embed = importlib.import_module(f"{__name__}_embeddings").named(kind["name"])
        hidden = local
        for number, (elements, mask) in reversed(list(enumerate(sets))):
            layers = self.layers(f"network.embeddings.{number}.")
            hidden = np.concatenate([embed(kind, layers, np.where(mask[..., None], elements, 0), mask), hidden], 1)
        *body, (weight, bias) = self.layers("network.head.")
        for inner in body:
            hidden = np.maximum(hidden @ inner[0] + inner[1], 0)
        return hidden @ weight + bias

    def layers(self, prefix: str) -> list[tuple[np.ndarray, np.ndarray]]:
        names = [name for name in self.arrays if name.startswith(prefix) and name.endswith("weight")]
        return [(self.arrays[n], self.arrays[n[:-6] + "bias"]) for n in sorted(names, key=lambda n: (len(n), n))]


def neural(kind: dict[str, Any], layers: Any, elements: np.ndarray, mask: np.ndarray) -> np.ndarray:
    hidden, present = elements, mask[..., None]
    for weight, bias in layers:
        hidden = ACTIVATIONS[kind["activation"]](hidden @ weight + bias)
    if kind["pooling"] == "max":
        return np.where(present.any(1), np.where(present, hidden, -np.inf).max(1), 0)
    share = present.astype(float)
    if kind["pooling"] == "softmax":
        exponent = np.where(present, kind["temperature"] * hidden, -np.inf)
        share = np.exp(exponent - np.where(present.any(1), exponent.max(1), 0)[:, None])
    return (share * hidden).sum(1) / np.where(present.any(1), share.sum(1), 1)


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
        part = content[start:][slice(*about["data_offsets"])]
        plain_name = re.sub(r"\b(?:layer|set)(\d+)\b", r"\1", name)  # as the first format called them
        arrays[plain_name] = np.frombuffer(part, {"F32": "<f4", "F64": "<f8"}[about["dtype"]]).reshape(about["shape"])
    settings = tomllib.loads(words["config"])
    if settings.get("network", {}).get("name", "perceptron") != "perceptron":
        raise ValueError(f"{name_or_path} has a custom network, which this file cannot compute")
    return NumpyPolicy(arrays, settings)
