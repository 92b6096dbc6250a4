"""Exploration noise that the agents of a swarm share."""

from typing import Any

import jax
import numpy as np
import pytest

import swarmbed
from swarmbed.algorithms.base import PolicyParams
from swarmbed.embeddings.moments import Moments
from swarmbed.learn.experience import act_with
from swarmbed.networks.perceptron import Perceptron
from toy_task import Drift

TASK = Drift(num_agents=4)
MODEL = Perceptron((2,)).model(TASK.layout, Moments(), 2)
PARAMS = PolicyParams(MODEL.init(jax.random.key(0)), np.log(np.array([2.0, 0.5], np.float32)))  # type: ignore[arg-type]
SWARMS = 4000


def noise(shared: float, quick_jit: Any) -> np.ndarray:
    """ε of many swarms, in units of the deviation: (swarms, agents, numbers of an action)."""
    states = jax.vmap(TASK.initial)(jax.random.split(jax.random.key(1), SWARMS))
    action, mean = quick_jit(act_with(TASK, MODEL, PARAMS, shared))(states, None, jax.random.key(2))
    return np.asarray((action - mean) / np.exp(PARAMS.log_std))


@pytest.mark.parametrize("shared", [0.0, 0.3, 1.0])
def test_every_agent_alone_explores_as_much_as_before(shared: float, quick_jit: Any) -> None:
    found = noise(shared, quick_jit)
    # Likelihoods are per agent, so the noise of one agent must stay standard normal: mean, deviation, fourth moment.
    np.testing.assert_allclose(found.mean(0), 0, atol=4 / np.sqrt(SWARMS))
    np.testing.assert_allclose(found.std(0), 1, atol=4 / np.sqrt(2 * SWARMS))
    np.testing.assert_allclose((found**4).mean(0), 3, atol=4 * np.sqrt(96 / SWARMS))


@pytest.mark.parametrize("shared", [0.0, 0.3, 1.0])
def test_agents_of_a_swarm_have_that_share_of_the_variance_in_common(shared: float, quick_jit: Any) -> None:
    found = noise(shared, quick_jit)
    together = (found[:, 0] * found[:, 1]).mean(0)
    np.testing.assert_allclose(together, shared, atol=4 * np.sqrt(2 / SWARMS))


def test_large_swarms_share_it_too() -> None:
    task = swarmbed.make("rendezvous-local", num_agents=256)
    assert task.is_large
    model = Perceptron((2,)).model(task.layout, Moments(), 2)
    params = PolicyParams(jax.jit(model.init)(jax.random.key(0)), PARAMS.log_std)
    states = jax.jit(jax.vmap(task.initial))(jax.random.split(jax.random.key(1), 2))
    action, mean = jax.jit(act_with(task, model, params, 1.0))(states, None, jax.random.key(2))
    np.testing.assert_allclose((action - mean).std(1), 0, atol=1e-5)


def test_nothing_is_shared_between_swarms_or_between_the_numbers_of_an_action(quick_jit: Any) -> None:
    found = noise(1.0, quick_jit)
    assert abs((found[:-1, 0, 0] * found[1:, 0, 0]).mean()) < 4 / np.sqrt(SWARMS)
    assert abs((found[:, 0, 0] * found[:, 0, 1]).mean()) < 4 / np.sqrt(SWARMS)
    np.testing.assert_allclose(found[:, 0], found[:, 3], atol=1e-5)
