"""Whole iterations of a learner, each of which compiles for seconds: over seeds, by schedule, with a central critic."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from swarmbed.algorithms.trpo import Trpo
from swarmbed.embeddings.moments import Moments
from swarmbed.embeddings.neural import Neural
from swarmbed.learn.learner import BatchSettings, Learner
from swarmbed.learn.schedule import numbers_at, schedules_for
from swarmbed.networks.perceptron import Perceptron
from swarmbed.tasks import make
from swarmbed.tasks.base import Observation, ObservedSet, State
from toy_task import Drift

SMALL = BatchSettings(environments=4, segment=6, sampled_agents=2)
QUICK: dict[str, Any] = {"value_epochs": 1, "value_minibatch": 12, "cg_steps": 3, "line_search_steps": 3}


@dataclass(frozen=True)
class Seeing(Drift):
    """Points that see each other."""

    def observe(self, state: State) -> Observation:
        offset = state.agents.position[None, :] - state.agents.position[:, None]
        others = ObservedSet(offset, ~jnp.eye(self.num_agents, dtype=bool))
        return Observation(state.agents.position, (others,))


def test_seeds_run_in_one_program(quick_jit: Any) -> None:
    # A neural embedding, whose hand-written gradient has to be vmapped too.
    learner = Learner(Seeing(), Neural(features=(4,)), Trpo(**QUICK), SMALL, Perceptron((4,)))
    keys = jax.random.split(jax.random.key(0), 2)
    start = quick_jit(jax.vmap(learner.init))(keys)
    together = quick_jit(jax.vmap(learner.iterate))(start)
    alone = quick_jit(learner.iterate)
    for index in range(len(keys)):
        state, metrics = alone(jax.tree.map(lambda leaf, i=index: leaf[i], start))
        same = jax.tree.map(lambda leaf, i=index: leaf[i], together)
        found, wanted = ((s.policy, s.critic.params, m) for s, m in (same, (state, metrics)))
        for one, other in zip(jax.tree.leaves(wanted), jax.tree.leaves(found), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-4)


def _learner(noise: float, rate: float, kl_bound: float) -> Learner:
    algorithm = Trpo(value_epochs=1, value_minibatch=12, cg_steps=3, value_learning_rate=rate, kl_bound=kl_bound)
    return Learner(Drift(noise=noise), Moments(), algorithm, BatchSettings(4, 6, 2), Perceptron((4,)))


def test_an_iteration_with_scheduled_numbers_is_one_with_these_settings(quick_jit: Any) -> None:
    numbers = numbers_at(
        schedules_for(("noise=0.5:0", "value_learning_rate=0.01:0", "kl_bound=0.02:0"), Drift(), Trpo()), 3
    )
    state = quick_jit(_learner(0, 1e-3, 0.01).init)(jax.random.key(0))
    iterate = quick_jit(_learner(0, 1e-3, 0.01).iterate)
    found, _ = iterate(state, numbers)
    wanted, _ = quick_jit(_learner(0.5, 0.01, 0.02).iterate)(state)
    for one, other in zip(
        jax.tree.leaves((found.policy, found.critic)), jax.tree.leaves((wanted.policy, wanted.critic)), strict=True
    ):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
    own = {"noise": np.float32(0), "value_learning_rate": np.float32(1e-3), "kl_bound": np.float32(0.01)}
    plain, _ = iterate(state, own)
    assert not np.allclose(jax.tree.leaves(plain.policy)[0], jax.tree.leaves(found.policy)[0], atol=1e-5)


def test_a_central_critic_learns_from_the_overview(quick_jit: Any) -> None:
    task = make("pursuit-local", num_agents=4, horizon=6)
    learner = Learner(task, Neural(features=(4,)), Trpo(critic="central", **QUICK), SMALL, Perceptron((4,)))
    before = quick_jit(learner.init)(jax.random.key(0))
    after, _ = quick_jit(learner.iterate)(before)
    old, new = (s.critic.params["embeddings"][1][0]["weight"] for s in (before, after))
    assert np.abs(new - old).max() > 1e-4
