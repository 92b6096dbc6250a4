"""One compiled program for all policies of one form."""

from typing import Any

import jax
import numpy as np
import pytest

from swarmbed.embeddings.moments import Moments
from swarmbed.evaluation import episodes
from swarmbed.evaluation.episodes import runner
from swarmbed.learn.learner import Learner
from swarmbed.networks.perceptron import Perceptron
from swarmbed.policy.policy import Policy
from swarmbed.tasks import make
from toy_task import Drift

TASK = make("rendezvous", num_agents=3, horizon=4)


def policy_of(seed: int, task: Any = TASK) -> Policy:
    learner = Learner(task, Moments(), network=Perceptron((4,)))
    params = jax.jit(learner.init)(jax.random.key(seed)).policy
    network = jax.tree.map(lambda leaf: 50 * leaf, params.network)
    return Policy(task, Moments(), params._replace(network=network), Perceptron((4,)))


@pytest.fixture
def traced(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The controllers whose episode was traced."""
    seen: list[Any] = []
    original = episodes.episode_of
    monkeypatch.setattr(episodes, "episode_of", lambda *args: [seen.append(args[1]), original(*args)][1])
    episodes._program.cache_clear()
    return seen


def returns(policy: Policy, task: Any = TASK) -> Any:
    return runner(task, policy, 0, 2)(np.arange(2))[0]


def test_policies_that_differ_in_their_weights_share_a_program_and_keep_their_own_numbers(traced: list[Any]) -> None:
    first, second = policy_of(1), policy_of(2)
    together = [returns(first), returns(second)]
    assert len(traced) == 1
    episodes._program.cache_clear()
    np.testing.assert_allclose(returns(second), together[1], rtol=1e-6)
    assert np.abs(together[0] - together[1]).min() > 1e-4


def test_another_form_has_a_program_of_its_own(traced: list[Any]) -> None:
    policy = policy_of(1)
    returns(policy)
    returns(policy.sampling(True))
    assert len(traced) == 2


def test_a_task_from_outside_is_compiled_each_time_since_it_may_have_changed(traced: list[Any]) -> None:
    task = Drift()
    policy = policy_of(1, task)
    returns(policy, task)
    returns(policy, task)
    assert len(traced) == 2
