"""The paper's network: its weights at the start, and what it computes, against numpy."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed.embeddings.histogram import Histogram
from swarmbed.embeddings.moments import Moments
from swarmbed.embeddings.neural import Neural
from swarmbed.networks.perceptron import Perceptron
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.observation import Layout, Observation, ObservedSet, SetLayout

TWO_SETS = Layout(2, (SetLayout(3, 3, True), SetLayout(2, 3, False)))
MODEL = Perceptron(hidden=(5,)).model(TWO_SETS, Neural(features=(4,)), 2)


@pytest.fixture(scope="module")
def params(quick_jit: Any) -> Any:
    return jax.tree.map(np.asarray, quick_jit(lambda key: MODEL.init(key, last_scale=0.01))(jax.random.key(0)))


@pytest.fixture(scope="module")
def run(quick_jit: Any) -> Any:
    """``run(params, observation)``: the outputs, compiled once."""
    return quick_jit(lambda params, seen: MODEL.apply(params, MODEL.prepare(seen)))


def random_params(params: Any, seed: int) -> Any:
    """Random numbers for every parameter: fresh biases are zero and would hide their mistakes."""
    generator = np.random.default_rng(seed)
    return jax.tree.map(lambda leaf: generator.normal(size=leaf.shape).astype(np.float32), params)


def observation(seed: int) -> Observation:
    generator = np.random.default_rng(seed)
    draw = lambda *shape: jnp.array(generator.normal(size=shape), jnp.float32)  # noqa: E731
    masks = [jnp.array(generator.random((6, s.slots)) < 0.6) for s in TWO_SETS.sets]
    sets = [ObservedSet(draw(6, s.slots, s.features), mask) for s, mask in zip(TWO_SETS.sets, masks, strict=True)]
    return Observation(draw(6, 2), tuple(sets))


def test_columns_of_every_layer_start_with_length_one_and_those_of_the_last_with_a_hundredth(params: Any) -> None:
    columns = lambda layer: np.linalg.norm(layer["weight"], axis=0)  # noqa: E731
    first, last = params["head"]
    assert columns(first) == pytest.approx(np.ones(5), abs=1e-6)
    assert columns(last) == pytest.approx(np.full(2, 0.01), abs=1e-6)
    for (layer,) in params["embeddings"]:
        assert columns(layer) == pytest.approx(np.ones(4), abs=1e-6)


def test_biases_start_at_zero(params: Any) -> None:
    biases = [leaf for path, leaf in jax.tree_util.tree_leaves_with_path(params) if "bias" in str(path[-1])]
    assert len(biases) == 4
    assert not np.concatenate(biases).any()


def test_two_sets_have_their_own_weights(params: Any) -> None:
    ((first,), (second,)) = params["embeddings"]
    assert np.abs(first["weight"] - second["weight"]).min() > 1e-4


def test_no_shape_of_the_parameters_depends_on_the_number_of_slots(params: Any) -> None:
    sets = tuple(s._replace(slots=40) for s in TWO_SETS.sets)
    larger = Perceptron(hidden=(5,)).model(TWO_SETS._replace(sets=sets), Neural(features=(4,)), 2)
    shapes = jax.eval_shape(larger.init, jax.random.key(0))
    assert jax.tree.map(lambda leaf: leaf.shape, shapes) == jax.tree.map(lambda leaf: leaf.shape, params)
    assert larger.any_number_of_slots


def test_the_output_is_embeddings_then_local_properties_through_a_relu_layer(params: Any, run: Any) -> None:
    params, seen = random_params(params, 1), observation(2)
    parts = []
    for (layer,), one in zip(params["embeddings"], seen.sets, strict=True):
        mask = np.asarray(one.mask)
        features = np.maximum(np.asarray(one.elements) @ layer["weight"] + layer["bias"], 0) * mask[..., None]
        parts.append(features.sum(1) / np.maximum(mask.sum(1), 1)[:, None])
    hidden = np.concatenate([*parts, np.asarray(seen.local)], -1)
    first, last = params["head"]
    expected = np.maximum(hidden @ first["weight"] + first["bias"], 0) @ last["weight"] + last["bias"]
    assert np.asarray(run(params, seen)) == pytest.approx(expected, abs=1e-5)


def test_rescaled_weights_give_a_multiple_of_the_output_and_a_shift(params: Any, run: Any) -> None:
    params, seen = random_params(params, 1), observation(2)
    rescaled = MODEL.rescaled(params, jnp.float32(3.0), jnp.float32(-2.0))
    assert np.asarray(run(rescaled, seen)) == pytest.approx(3 * np.asarray(run(params, seen)) - 2, abs=1e-4)


def test_the_embeddings_can_be_looked_at_one_by_one(params: Any) -> None:
    seen = MODEL.embed(params, MODEL.prepare(observation(2)))
    assert [one.shape for one in seen] == [(6, 4), (6, 4)]


def test_the_layers_of_the_head_keep_their_order_when_there_are_more_than_ten(quick_jit: Any) -> None:
    deep = Perceptron(hidden=(2,) * 11).model(Layout(2, ()), Moments(), 2)
    params = random_params(jax.eval_shape(deep.init, jax.random.key(0)), 3)
    hidden = np.ones((1, 2))
    for index, layer in enumerate(params["head"]):
        hidden = (np.maximum(hidden, 0) if index else hidden) @ layer["weight"] + layer["bias"]
    found = quick_jit(lambda p, o: deep.apply(p, deep.prepare(o)))(params, Observation(jnp.ones((1, 2)), ()))
    assert len(params["head"]) == 12
    assert np.asarray(found) == pytest.approx(hidden, rel=1e-4)


def test_without_hidden_layers_the_output_is_linear() -> None:
    shapes = jax.eval_shape(Perceptron(hidden=()).model(Layout(2, ()), Moments(), 3).init, jax.random.key(0))
    assert [layer["weight"].shape for layer in shapes["head"]] == [(2, 3)]


def test_hidden_layers_need_units() -> None:
    with pytest.raises(SwarmbedError) as caught:
        Perceptron(hidden=(64, 0))
    assert str(caught.value) == "hidden must be a list, each item a whole number of at least 1, not (64, 0)"


def test_an_embedding_that_cannot_read_a_set_says_so_before_anything_runs() -> None:
    with pytest.raises(SwarmbedError, match="histogram over distance and bearing and orientation"):
        Perceptron().model(TWO_SETS, Histogram(angles=2), 2)
