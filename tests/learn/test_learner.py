"""The learner as two pure functions: on its own, and spread over a mesh."""

from typing import Any

import jax
import numpy as np
import pytest

from swarmbed import SwarmbedError
from swarmbed.algorithms.trpo import Trpo
from swarmbed.compute import devices
from swarmbed.embeddings.moments import Moments
from swarmbed.learn.learner import BatchSettings, Learner, Spread
from swarmbed.networks.perceptron import Perceptron
from toy_task import Drift

SMALL = BatchSettings(environments=4, segment=6, sampled_agents=2)
QUICK = Trpo(value_epochs=1, value_minibatch=12, cg_steps=3, line_search_steps=3)
LEARNER = Learner(Drift(), Moments(), QUICK, SMALL, Perceptron((4,)))


@pytest.fixture(scope="module")
def iterate(quick_jit: Any) -> Any:
    return quick_jit(LEARNER.iterate)


@pytest.fixture(scope="module")
def start(quick_jit: Any) -> Any:
    return quick_jit(LEARNER.init)


def test_iterating_is_pure(start: Any, iterate: Any) -> None:
    state = start(jax.random.key(3))
    first, second = iterate(state), iterate(state)
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in _pairs(first, second))


def test_a_mesh_of_one_device_changes_nothing(start: Any, iterate: Any) -> None:
    spread = Spread(LEARNER, devices.mesh(1))
    state = start(jax.random.key(5))
    wanted = iterate(state)
    for one, other in _pairs(spread.iterate(spread.init(5)), wanted):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_a_row_of_metrics_has_what_the_task_declares(start: Any, iterate: Any) -> None:
    _, metrics = iterate(start(jax.random.key(0)))
    declared = {metric.name for metric in Drift.metrics}
    assert declared <= set(metrics)
    assert {"mean_return", "mean_length", "episodes", "kl", "surrogate", "entropy", "explained_variance"} <= set(
        metrics
    )


@pytest.mark.parametrize("wrong", ["task", "embedding", "algorithm", "network"])
def test_a_part_of_the_wrong_kind_is_named(wrong: str) -> None:
    parts = LEARNER.specs | {wrong: "neural"}
    with pytest.raises(SwarmbedError, match=f"^{wrong} must (be an? |have init)"):
        Learner(**parts)


def _pairs(one: Any, other: Any) -> Any:
    plain = lambda leaf: jax.random.key_data(leaf) if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key) else leaf  # noqa: E731
    first, second = (jax.tree.leaves(jax.tree.map(plain, tree)) for tree in (one, other))
    return zip(first, second, strict=True)
