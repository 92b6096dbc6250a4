"""Pooled neural features against the formulas in numpy."""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

from swarmbed.embeddings.base import SetLayout
from swarmbed.embeddings.neural import Neural
from swarmbed.spec.errors import SwarmbedError

LAYOUT = SetLayout(6, 7, False)
PRESENT = np.array([True, True, False, True, True, False])


def features(params: Any, elements: np.ndarray, activation: Callable[..., Any]) -> np.ndarray:
    """φ of each element: layer after layer."""
    for layer in params:
        elements = activation(elements @ layer["weight"] + layer["bias"])
    return elements


def pooled(pooling: str, temperature: float, phi: np.ndarray) -> np.ndarray:
    if pooling == "max":
        return phi.max(0)
    weight = np.exp(temperature * phi) if pooling == "softmax" else np.ones_like(phi)
    return (weight * phi).sum(0) / weight.sum(0)


@pytest.mark.parametrize("units", [(5,), (5, 4)])
@pytest.mark.parametrize("pooling", ["mean", "softmax", "max"])
def test_features_are_pooled_as_the_formula_says(
    pooling: str, units: tuple[int, ...], embed: Any, params_of: Any, random_elements: Any
) -> None:
    embedding = Neural(pooling, units, "tanh", temperature=2.5)
    elements, params = random_elements(1, 1, 6), params_of(embedding, LAYOUT)
    phi = features(params, elements[0, PRESENT], np.tanh)
    found = embed(embedding, elements, PRESENT[None], params).vector[0]
    assert found == pytest.approx(pooled(pooling, 2.5, phi), abs=1e-5)


def test_softmax_at_temperature_zero_is_the_mean(embed: Any, random_elements: Any) -> None:
    elements = random_elements(2, 1, 6)
    softmax = embed(Neural("softmax", (5,), "elu", temperature=0.0), elements, PRESENT[None]).vector
    assert softmax == pytest.approx(embed(Neural("mean", (5,), "elu"), elements, PRESENT[None]).vector, abs=1e-6)


def test_softmax_at_a_large_temperature_is_the_maximum(embed: Any, random_elements: Any) -> None:
    # Σ w (max − φ) with w ≤ e^{−α (max − φ)} and x e^{−αx} ≤ 1/(αe): off by n/(αe) = 4/(10⁵ · e) < 1.5·10⁻⁵ at most.
    elements = random_elements(3, 1, 6)
    softmax = embed(Neural("softmax", (5,), "elu", temperature=1e5), elements, PRESENT[None])
    largest = embed(Neural("max", (5,), "elu"), elements, PRESENT[None])
    assert softmax.vector == pytest.approx(largest.vector, abs=3e-5)
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(softmax))


def test_softmax_lies_between_mean_and_maximum(embed: Any, random_elements: Any) -> None:
    elements = random_elements(4, 1, 6)
    mean, softmax, largest = (
        embed(Neural(pooling, (5,), "tanh"), elements, PRESENT[None]).vector for pooling in ("mean", "softmax", "max")
    )
    assert np.all(mean < softmax)
    assert np.all(softmax < largest)


def test_weights_start_with_columns_of_length_one_and_no_bias(quick_jit: Any) -> None:
    params = quick_jit(lambda key: Neural(features=(5, 4)).init(LAYOUT, key))(jax.random.key(0))
    assert [layer["weight"].shape for layer in params] == [(7, 5), (5, 4)]
    for layer in params:
        assert np.linalg.norm(layer["weight"], axis=0) == pytest.approx(1.0, abs=1e-6)
        assert np.all(layer["bias"] == 0)


def test_the_layers_keep_their_order_when_there_are_more_than_ten(embed: Any, params_of: Any) -> None:
    embedding = Neural("mean", (3,) * 11 + (2,), "tanh")
    params = params_of(embedding, SetLayout(2, 7, False))
    elements = np.linspace(-1, 1, 7)[None, None]
    phi = features(params, elements[0, 0], np.tanh)
    assert len(params) == 12
    assert embed(embedding, elements, [[True]], params).vector[0] == pytest.approx(phi, abs=1e-5)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"pooling": "median"}, "mean, softmax, max"),
        ({"activation": "sine"}, "relu, tanh, elu"),
        ({"features": ()}, "features"),
        ({"features": (64, 0)}, "features"),
        ({"temperature": float("nan")}, "temperature"),
    ],
)
def test_a_wrong_setting_is_named(settings: dict[str, Any], named: str) -> None:
    with pytest.raises(SwarmbedError, match=named):
        Neural(**settings)
