"""The network: its weights at the start, and what it computes, against numpy."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed import SwarmbedError, make_task
from swarmbed.embeddings.base import SetLayout
from swarmbed.embeddings.histogram import Histogram
from swarmbed.embeddings.moments import Moments
from swarmbed.embeddings.neural import Neural
from swarmbed.networks.network import Layout, Network, flatten_agents
from swarmbed.tasks.base import Observation, ObservedSet

TWO_SETS = Layout(2, (SetLayout(3, 3, True), SetLayout(2, 3, False)))
NETWORK = Network(TWO_SETS, Neural(features=(4,)), (5,), 2)


@pytest.fixture(scope="module")
def params(quick_jit: Any) -> Any:
    return jax.tree.map(np.asarray, quick_jit(lambda key: NETWORK.init(key, last_scale=0.01))(jax.random.key(0)))


def observation(seed: int) -> Observation:
    generator = np.random.default_rng(seed)
    draw = lambda *shape: jnp.array(generator.normal(size=shape), jnp.float32)  # noqa: E731
    masks = [jnp.array(generator.random((6, s.slots)) < 0.6) for s in TWO_SETS.sets]
    sets = [ObservedSet(draw(6, s.slots, s.features), mask) for s, mask in zip(TWO_SETS.sets, masks, strict=True)]
    return Observation(draw(6, 2), tuple(sets))


def test_columns_of_every_layer_start_with_length_one_and_those_of_the_last_with_a_hundredth(params: Any) -> None:
    columns = lambda layer: np.linalg.norm(layer["weight"], axis=0)  # noqa: E731
    assert columns(params["head"]["layer0"]) == pytest.approx(np.ones(5), abs=1e-6)
    assert columns(params["head"]["layer1"]) == pytest.approx(np.full(2, 0.01), abs=1e-6)
    for embedding in params["embeddings"].values():
        assert columns(embedding["layer0"]) == pytest.approx(np.ones(4), abs=1e-6)


def test_biases_start_at_zero(params: Any) -> None:
    biases = [leaf for path, leaf in jax.tree_util.tree_leaves_with_path(params) if "bias" in str(path[-1])]
    assert len(biases) == 4
    assert not np.concatenate(biases).any()


def test_two_sets_have_their_own_weights(params: Any) -> None:
    first, second = (params["embeddings"][name]["layer0"]["weight"] for name in ("set0", "set1"))
    assert np.abs(first - second).min() > 1e-4


def test_no_shape_of_the_parameters_depends_on_the_number_of_slots(params: Any) -> None:
    sets = tuple(s._replace(slots=40) for s in TWO_SETS.sets)
    larger = Network(TWO_SETS._replace(sets=sets), Neural(features=(4,)), (5,), 2)
    shapes = jax.eval_shape(larger.init, jax.random.key(0))
    assert jax.tree.map(lambda leaf: leaf.shape, shapes) == jax.tree.map(lambda leaf: leaf.shape, params)


def test_the_output_is_embeddings_then_local_properties_through_a_relu_layer(params: Any, quick_jit: Any) -> None:
    generator = np.random.default_rng(1)
    params = jax.tree.map(lambda leaf: generator.normal(size=leaf.shape).astype(np.float32), params)
    seen = observation(2)
    parts = []
    for name, one in zip(("set0", "set1"), seen.sets, strict=True):
        layer, mask = params["embeddings"][name]["layer0"], np.asarray(one.mask)
        features = np.maximum(np.asarray(one.elements) @ layer["weight"] + layer["bias"], 0) * mask[..., None]
        parts.append(features.sum(1) / np.maximum(mask.sum(1), 1)[:, None])
    hidden = np.concatenate([*parts, np.asarray(seen.local)], -1)
    first, last = params["head"]["layer0"], params["head"]["layer1"]
    expected = np.maximum(hidden @ first["weight"] + first["bias"], 0) @ last["weight"] + last["bias"]
    found = quick_jit(lambda p, o: NETWORK.apply(p, NETWORK.prepare(o)))(params, seen)
    assert np.asarray(found) == pytest.approx(expected, abs=1e-5)


def test_the_layers_of_the_head_keep_their_order_when_there_are_more_than_ten(quick_jit: Any) -> None:
    deep = Network(Layout(2, ()), Moments(), (2,) * 11, 2)
    shapes = jax.eval_shape(deep.init, jax.random.key(0))
    generator = np.random.default_rng(3)
    params = jax.tree.map(lambda leaf: generator.normal(size=leaf.shape).astype(np.float32), shapes)
    hidden = np.ones((1, 2))
    for index in range(12):
        layer = params["head"][f"layer{index}"]
        hidden = (np.maximum(hidden, 0) if index else hidden) @ layer["weight"] + layer["bias"]
    found = quick_jit(lambda p, o: deep.apply(p, deep.prepare(o)))(params, Observation(jnp.ones((1, 2)), ()))
    assert np.asarray(found) == pytest.approx(hidden, rel=1e-4)


def test_a_layout_is_read_from_a_task() -> None:
    task = make_task("multi_pursuit", num_agents=4, num_evaders=3)
    # On a torus with single integrators nothing is local; neighbours have five numbers, evaders three.
    assert Layout.of(task) == Layout(0, (SetLayout(4, 5, True), SetLayout(3, 3, False)))


def test_hidden_layers_need_units() -> None:
    with pytest.raises(SwarmbedError, match=r"hidden must be positive whole numbers, not \(64, 0\)"):
        Network(TWO_SETS, Moments(), (64, 0), 2)


def test_an_embedding_that_cannot_read_a_set_says_so_before_anything_runs() -> None:
    with pytest.raises(SwarmbedError, match="histogram over distance and bearing and orientation"):
        Network(TWO_SETS, Histogram(angles=2), (5,), 2)


def test_agents_of_all_environments_become_rows_in_order() -> None:
    two = Observation(jnp.arange(12.0).reshape(2, 3, 2), ())
    assert np.asarray(flatten_agents(two).local).tolist() == [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10, 11]]
