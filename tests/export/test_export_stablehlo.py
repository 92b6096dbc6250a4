"""StableHLO: what is written can be read back by JAX alone, and gives the policy's actions."""

import sys

import jax
import numpy as np
import pytest
from jax import export

from random_policies import (
    EMBEDDINGS,
    ONE_SET,
    TWO_SETS,
    FarthestNeighbour,
    FixedSlots,
    Hesitant,
    random_policy,
)
from swarmbed import SwarmbedError
from swarmbed.export import stablehlo
from swarmbed.export.function import exported, largest_difference
from swarmbed.networks.base import Network
from swarmbed.tasks.base import Task


@pytest.mark.parametrize(
    ("task", "embedding"),
    [(ONE_SET, "mean"), (TWO_SETS, "rbf"), (ONE_SET, "softmax of tanh"), (ONE_SET, "concatenation")],
)
def test_what_is_read_back_gives_the_policys_actions(task: Task, embedding: str) -> None:
    made = exported(random_policy(task, EMBEDDINGS[embedding]))
    run = stablehlo.open_model(made, stablehlo.convert(made, "policy"))
    assert largest_difference(made, run, counts=(1, 9)) < 1e-5


@pytest.mark.parametrize("network", [FarthestNeighbour(), FixedSlots()])
def test_a_network_of_ones_own_is_exported_like_any_other(network: Network) -> None:
    made = exported(random_policy(ONE_SET, EMBEDDINGS["mean"], network=network))
    run = stablehlo.open_model(made, stablehlo.convert(made, "policy"))
    assert largest_difference(made, run, counts=(1, 9)) < 1e-5


def test_a_network_with_fixed_slots_keeps_the_agent_s_own() -> None:
    made = exported(random_policy(ONE_SET, EMBEDDINGS["mean"], network=FixedSlots()))
    # Five agents: five slots of seven numbers, while a perceptron would have the four others.
    assert made.shapes[1:] == (("batch", 5, 7), ("batch", 5))


def test_a_network_that_cannot_be_traced_is_refused_in_one_sentence() -> None:
    made = exported(random_policy(ONE_SET, EMBEDDINGS["mean"], network=Hesitant()))
    with pytest.raises(SwarmbedError) as told:
        stablehlo.convert(made, "policy")
    assert str(told.value).startswith(
        "the policy cannot be written as StableHLO: its network and embedding must be JAX functions that can be traced "
        "for any number of agents and neighbours, and these cannot (TracerBoolConversionError: "
    )
    assert "\n" not in str(told.value)


def test_the_file_alone_is_enough_for_jax() -> None:
    policy = random_policy(ONE_SET, EMBEDDINGS["mean"])
    content = stablehlo.convert(exported(policy), "policy")
    observation = jax.jit(lambda key: ONE_SET.observe(ONE_SET.initial(key)))(jax.random.key(0))
    model = export.deserialize(bytearray(content))
    # An agent's own slot is absent in its mask, so the five slots of a swarm of five can be passed as they are.
    action = model.call(observation.local, observation.sets[0].elements, observation.sets[0].mask)
    np.testing.assert_allclose(action, jax.jit(policy.mean)(observation), atol=1e-5)
    assert set(model.platforms) >= {"cpu", "cuda", "tpu"}


def test_a_missing_package_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "flatbuffers", None)
    with pytest.raises(SwarmbedError) as caught:
        stablehlo.convert(exported(random_policy(ONE_SET, EMBEDDINGS["mean"])), "policy")
    assert str(caught.value) == (
        "format stablehlo needs the package 'flatbuffers', which is missing: install swarmbed[export]"
    )
