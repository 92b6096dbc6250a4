"""Learning where the best action is known: r = −Σ (a − target)², so the mean action must go to the target."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array
from jaxtyping import Bool, Float, PRNGKeyArray

from swarmbed.algorithms.base import Algorithm
from swarmbed.algorithms.ppo import Ppo
from swarmbed.algorithms.trpo import Trpo
from swarmbed.embeddings.moments import Moments
from swarmbed.learn.learner import BatchSettings, Learner
from swarmbed.networks.perceptron import Perceptron
from swarmbed.sim.unicycle import Agents
from swarmbed.tasks.base import Observation, State, Task

TARGET = (0.8, -0.5)


@dataclass(frozen=True)
class Aim(Task):
    """Two agents that see a constant. Every episode is one step long."""

    num_agents: int = 2

    def initial(self, key: PRNGKeyArray) -> State:
        return State(Agents(jnp.zeros((2, 2)), jnp.zeros(2)))

    def transition(self, state: State, action: Float[Array, "N A"], key: PRNGKeyArray) -> State:
        return state

    def observe(self, state: State) -> Observation:
        return Observation(jnp.ones((2, 1)), ())

    def reward(self, state: State, action: Float[Array, "N A"], next_state: State) -> Float[Array, ""]:
        return -jnp.square(action - jnp.array(TARGET)).sum()

    def terminated(self, state: State) -> Bool[Array, ""]:
        return jnp.array(True)


@pytest.mark.parametrize(
    ("algorithm", "iterations"),
    [
        (Trpo(kl_bound=0.05, initial_log_std=-0.7, value_minibatch=64), 25),
        (Ppo(learning_rate=0.02, minibatch=128, initial_log_std=-0.7, value_minibatch=64), 25),
    ],
    ids=["trpo", "ppo"],
)
def test_the_mean_action_goes_to_the_best_one(algorithm: Algorithm, iterations: int, quick_jit: Any) -> None:
    learner = Learner(Aim(), Moments(), algorithm, BatchSettings(environments=32, segment=8), Perceptron((8,)))
    network = learner.policy_model
    state = quick_jit(learner.init)(jax.random.key(0))
    iterate = quick_jit(learner.iterate)
    greedy = quick_jit(lambda params: network.apply(params, network.prepare(Observation(jnp.ones((1, 1)), ())))[0])
    before = np.asarray(greedy(state.policy.network))
    returns = []
    for _ in range(iterations):
        state, metrics = iterate(state)
        returns.append(float(metrics["mean_return"]))
    # It starts near 0 (last layer 0.01), 0.94 away from the target.
    assert np.linalg.norm(before - TARGET) > 0.9
    assert np.asarray(greedy(state.policy.network)) == pytest.approx(TARGET, abs=0.1)
    # Two agents, each −(0.8² + 0.5² + 2 e^{−1.4}) = −1.4 at first.
    assert returns[0] == pytest.approx(-2.8, abs=0.5)
    assert np.mean(returns[-3:]) > 0.3 * returns[0]
