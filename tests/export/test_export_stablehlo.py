"""StableHLO: what is written can be read back by JAX alone, and gives the policy's actions."""

import jax
import numpy as np
import pytest
from jax import export
from random_policies import EMBEDDINGS, ONE_SET, TWO_SETS, random_policy

from swarmbed.export import stablehlo
from swarmbed.export.function import exported, largest_difference
from swarmbed.tasks.base import Task


@pytest.mark.parametrize(
    ("task", "embedding"),
    [(ONE_SET, "mean"), (TWO_SETS, "rbf"), (ONE_SET, "softmax of tanh"), (ONE_SET, "concatenation")],
)
def test_what_is_read_back_gives_the_policys_actions(task: Task, embedding: str) -> None:
    made = exported(random_policy(task, EMBEDDINGS[embedding]))
    run = stablehlo.open_model(made, stablehlo.convert(made, "policy"))
    assert largest_difference(made, run, counts=(1, 9)) < 1e-5


def test_the_file_alone_is_enough_for_jax() -> None:
    policy = random_policy(ONE_SET, EMBEDDINGS["mean"])
    content = stablehlo.convert(exported(policy), "policy")
    observation = jax.jit(lambda key: ONE_SET.observe(ONE_SET.initial(key)))(jax.random.key(0))
    model = export.deserialize(bytearray(content))
    # An agent's own slot is absent in its mask, so the five slots of a swarm of five can be passed as they are.
    action = model.call(observation.local, observation.sets[0].elements, observation.sets[0].mask)
    np.testing.assert_allclose(action, jax.jit(policy.mean)(observation), atol=1e-5)
    assert set(model.platforms) >= {"cpu", "cuda", "tpu"}
