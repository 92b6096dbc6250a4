"""The critic: its scale, its fit, and what bad numbers do to it."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed.algorithms.base import Batch
from swarmbed.embeddings.moments import Moments
from swarmbed.learn.critic import FORGETTING, Critic, Value
from swarmbed.networks.perceptron import Inputs, PerceptronModel
from swarmbed.spec.observation import Layout

NETWORK = PerceptronModel(Layout(2, ()), 1, Moments(), (8,))
LOCAL = np.random.default_rng(0).normal(size=(100, 2)).astype(np.float32)
TARGET = 30 + 20 * np.abs(LOCAL[:, 0]) - 5 * LOCAL[:, 1]


def batch_with(target: np.ndarray) -> Batch:
    unread = jnp.zeros((100, 2))
    return Batch(Inputs(jnp.array(LOCAL), ()), unread, unread, unread[:, 0], jnp.array(target), unread[:, 0])


class Programs:
    """A critic's functions, compiled: ``fit`` with no epoch only follows the scale."""

    def __init__(self, quick_jit: Any) -> None:
        self.value = Value(NETWORK, learning_rate=1e-2, epochs=20, minibatch=30)
        self.fresh: Critic = quick_jit(self.value.init)(jax.random.key(0))
        self.fit = quick_jit(self.value.fit)
        self.rescale = quick_jit(Value(NETWORK, learning_rate=1e-2, epochs=0, minibatch=30).fit)
        self.predict = quick_jit(self.value.predict)

    def error(self, critic: Critic, target: np.ndarray) -> float:
        return float(np.square(np.asarray(self.predict(critic, Inputs(jnp.array(LOCAL), ()))) - target).mean())


@pytest.fixture(scope="module")
def programs(quick_jit: Any) -> Programs:
    return Programs(quick_jit)


KEY = jax.random.key(1)


def test_the_first_batch_sets_the_scale(programs: Programs) -> None:
    critic = programs.rescale(programs.fresh, batch_with(TARGET), KEY)
    assert critic.mean == pytest.approx(TARGET.mean(), rel=1e-5)
    assert critic.std == pytest.approx(TARGET.std(), rel=1e-4)


def test_later_batches_move_the_scale_by_a_tenth(programs: Programs) -> None:
    critic = programs.rescale(programs.fresh, batch_with(TARGET), KEY)
    critic = programs.rescale(critic, batch_with(3 * TARGET), KEY)
    kept = FORGETTING + 3 * (1 - FORGETTING)
    assert kept == pytest.approx(1.2)
    assert critic.mean == pytest.approx(kept * TARGET.mean(), rel=1e-5)
    assert critic.std == pytest.approx(kept * TARGET.std(), rel=1e-4)


def test_a_new_scale_changes_no_prediction(programs: Programs) -> None:
    inputs = Inputs(jnp.array(LOCAL), ())
    critic = programs.fit(programs.fresh, batch_with(TARGET), KEY)
    before = np.asarray(programs.predict(critic, inputs))
    rescaled = programs.rescale(critic, batch_with(7 - 3 * TARGET), KEY)
    assert np.ptp(before) > 5
    assert abs(rescaled.std - critic.std) > 1
    assert np.asarray(programs.predict(rescaled, inputs)) == pytest.approx(before, abs=1e-3)


def test_fitting_learns_the_targets(programs: Programs) -> None:
    critic = programs.fresh
    for seed in range(3):
        critic = programs.fit(critic, batch_with(TARGET), jax.random.key(seed))
    assert programs.error(critic, TARGET) < 0.1 * TARGET.var()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_targets_that_are_not_finite_leave_the_critic_as_it_was(bad: float, programs: Programs) -> None:
    target = TARGET.copy()
    target[17] = bad
    for critic in (programs.fresh, programs.fit(programs.fresh, batch_with(TARGET), KEY)):
        jax.tree.map(np.testing.assert_array_equal, programs.fit(critic, batch_with(target), KEY), critic)


def test_targets_that_are_all_the_same_do_not_break_the_scale(programs: Programs) -> None:
    critic = programs.fit(programs.fresh, batch_with(np.full(100, 7.0, np.float32)), KEY)
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(critic))
    assert critic.mean == 7
    assert critic.std > 0
