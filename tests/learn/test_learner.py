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


def test_noise_keeps_the_least_deviation_also_where_it_is_scheduled(start: Any, quick_jit: Any) -> None:
    """The deviation begins at 1; an update with a KL bound of 0.01 moves its logarithm by less than a half."""
    step = quick_jit(lambda state, least: LEARNER.iterate(state, {"least_log_std": least}))
    state = start(jax.random.key(0))
    kept, metrics = step(state, np.float32(0.5))
    np.testing.assert_array_equal(kept.policy.log_std, 0.5)
    # ½ log(2πe) + 0.5 for each of two numbers
    assert float(metrics["entropy"]) == pytest.approx(2 * (0.5 * np.log(2 * np.pi * np.e) + 0.5), rel=1e-5)
    free, _ = step(state, np.float32(-100.0))
    assert (np.abs(free.policy.log_std) < 0.5).all()
    assert (np.asarray(free.policy.log_std) != 0).any()
    for one, other in _pairs(free.policy.network, kept.policy.network):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("wrong", ["task", "embedding", "algorithm", "network"])
def test_a_part_of_the_wrong_kind_is_named(wrong: str) -> None:
    parts = LEARNER.specs | {wrong: "neural"}
    with pytest.raises(SwarmbedError, match=f"^{wrong} must (be an? |have init)"):
        Learner(**parts)


def _pairs(one: Any, other: Any) -> Any:
    plain = lambda leaf: jax.random.key_data(leaf) if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key) else leaf  # noqa: E731
    first, second = (jax.tree.leaves(jax.tree.map(plain, tree)) for tree in (one, other))
    return zip(first, second, strict=True)
