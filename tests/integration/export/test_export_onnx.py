"""The ONNX model: equal to the policy for any batch and any number of neighbours, and it describes itself."""

import json
import sys
from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array

from random_policies import (
    EMBEDDINGS,
    GENERIC,
    ONE_SET,
    TWO_SETS,
    FarthestNeighbour,
    FixedSlots,
    Hesitant,
    random_policy,
)
from swarmbed import SwarmbedError
from swarmbed.embeddings.base import Embedding, SetLayout, clear
from swarmbed.embeddings.neural import Neural
from swarmbed.export import onnx as onnx_format
from swarmbed.export.function import COUNTS, Exported, exported, largest_difference, random_inputs
from swarmbed.networks.base import Network
from swarmbed.tasks.base import Task

onnx = pytest.importorskip("onnx")
pytest.importorskip("jax2onnx")
pytest.importorskip("onnxruntime")

# Describing a policy gives a class of one's own a name; the registry belongs to the process.
pytestmark = pytest.mark.usefixtures("plugins_leave_no_trace")


@pytest.fixture(scope="module")
def made() -> Exported:
    return exported(random_policy(ONE_SET, Neural()))


@pytest.fixture(scope="module")
def content(made: Exported) -> bytes:
    return onnx_format.convert(made, "meet")


def test_exports_are_tried_out_with_1_9_49_and_127_neighbours() -> None:
    assert COUNTS == (1, 9, 49, 127)


@pytest.mark.parametrize(("task", "embedding"), GENERIC)
def test_onnxruntime_gives_the_policys_actions(task: Task, embedding: str) -> None:
    made = exported(random_policy(task, EMBEDDINGS[embedding]))
    assert largest_difference(made, onnx_format.open_model(made, onnx_format.convert(made, "policy"))) < 1e-5


@dataclass(frozen=True)
class FarthestElement(Embedding):
    """The element with the largest first number: an embedding that no converter has seen before."""

    def prepare(self, layout: SetLayout, elements: Array, mask: Array) -> Array:
        farthest = jnp.where(mask, elements[..., 0], -1.0).argmax(1)
        picked = jnp.take_along_axis(clear(elements, mask), farthest[:, None, None], axis=1)
        return picked[:, 0]


def test_an_embedding_of_ones_own_is_exported_like_any_other() -> None:
    made = exported(random_policy(ONE_SET, FarthestElement()))
    assert largest_difference(made, onnx_format.open_model(made, onnx_format.convert(made, "policy"))) < 1e-5


@pytest.mark.parametrize("network", [FarthestNeighbour(), FixedSlots()])
def test_a_network_of_ones_own_is_exported_like_any_other(network: Network) -> None:
    made = exported(random_policy(ONE_SET, Neural(), network=network))
    assert largest_difference(made, onnx_format.open_model(made, onnx_format.convert(made, "policy"))) < 1e-5


def test_a_network_that_cannot_be_traced_is_refused_in_one_sentence() -> None:
    with pytest.raises(SwarmbedError, match="cannot be written as ONNX: its network and embedding must be JAX") as told:
        onnx_format.convert(exported(random_policy(ONE_SET, Neural(), network=Hesitant())), "policy")
    assert "\n" not in str(told.value)


def test_batch_and_number_of_neighbours_are_open(content: bytes) -> None:
    graph = onnx.load_from_string(content).graph
    shapes = {
        given.name: [size.dim_param or size.dim_value for size in given.type.tensor_type.shape.dim]
        for given in graph.input
    }
    assert shapes == {
        "local": ["batch", 5],
        "neighbours": ["batch", "neighbours", 7],
        "neighbours_mask": ["batch", "neighbours"],
    }
    assert [given.name for given in graph.output] == ["action"]


def test_concatenation_has_a_fixed_number_of_neighbours() -> None:
    made = exported(random_policy(ONE_SET, EMBEDDINGS["concatenation"]))
    # Five agents: four others.
    assert made.shapes == (("batch", 5), ("batch", 4, 7), ("batch", 4))


def test_two_sets_without_local_properties_are_two_inputs_with_a_mask_each() -> None:
    made = exported(random_policy(TWO_SETS, EMBEDDINGS["mean"]))
    assert made.names == ("neighbours", "neighbours_mask", "evaders", "evaders_mask")
    assert made.shapes[2] == ("batch", "evaders", 3)


def test_every_sample_is_decided_on_its_own(made: Exported, content: bytes) -> None:
    run = onnx_format.open_model(made, content)
    arrays = random_inputs(made, count=3, batch=5)
    alone = np.concatenate([run([array[row : row + 1] for array in arrays]) for row in range(5)])
    np.testing.assert_allclose(alone, run(arrays), atol=1e-6)


def test_the_metadata_says_what_goes_in_and_comes_out(content: bytes) -> None:
    told = {prop.key: prop.value for prop in onnx.load_from_string(content).metadata_props}
    inputs = json.loads(told["inputs"])
    assert inputs[1]["columns"][0] == {"name": "distance", "meaning": "distance / 141.421 units"}
    assert "before clipping" in json.loads(told["output"])["meaning"]
    assert 'name = "rendezvous"' in told["config"]


@pytest.mark.parametrize(("package", "call"), [("jax2onnx", "convert"), ("onnxruntime", "open_model")])
def test_a_missing_package_is_named_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch, made: Exported, content: bytes, package: str, call: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(SwarmbedError) as caught:
        onnx_format.convert(made, "policy") if call == "convert" else onnx_format.open_model(made, content)
    assert str(caught.value) == (
        f"format onnx needs the package {package!r}, which is missing: install swarmbed[export]"
    )
