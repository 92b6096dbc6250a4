"""Gradients of whole episodes, against finite differences; and what the algorithm makes of them."""

from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree

from swarmbed.algorithms.analytic import Analytic
from swarmbed.algorithms.base import PolicyParams
from swarmbed.embeddings.moments import Moments
from swarmbed.embeddings.neural import Neural
from swarmbed.learn import rollout
from swarmbed.learn.differentiable import discounted_return
from swarmbed.learn.experience import act_with
from swarmbed.learn.learner import BatchSettings, Learner
from swarmbed.networks.perceptron import Perceptron
from swarmbed.tasks import make
from toy_task import Drift

KEY = jax.random.key(0)


@pytest.mark.usefixtures("float64")
@pytest.mark.parametrize(
    ("name", "observation", "pooling"),
    [
        ("rendezvous", "displacement", "mean"),
        ("rendezvous", "extended", "max"),
        ("rendezvous-local", "comm", "softmax"),
    ],
)
def test_the_gradient_of_a_whole_episode_is_that_of_finite_differences(
    name: str, observation: str, pooling: str, quick_jit: Any
) -> None:
    task = make(name, num_agents=3, observation=observation, width=60, height=40)
    model = Perceptron((4,)).model(task.layout, Neural(features=(4,), pooling=pooling, activation="tanh"), 2)
    start = quick_jit(lambda key: rollout.start(task, key, 2, random_age=False))(jax.random.key(1))
    weights, unravel = ravel_pytree(quick_jit(model.init)(KEY))

    def objective(weights: Any) -> Any:
        params = PolicyParams(unravel(weights), jnp.array([-2.0, -2.0]))
        return discounted_return(task, act_with(task, model, params), start, jax.random.key(2), 8, 0.9)[0]

    evaluate = quick_jit(jax.value_and_grad(objective))
    weights = np.asarray(weights)
    gradient = np.asarray(evaluate(weights)[1])
    step = 1e-6
    for direction in np.random.default_rng(3).normal(size=(3, weights.size)):
        above, below = (float(evaluate(weights + side * direction)[0]) for side in (step, -step))
        wanted = (above - below) / (2 * step)
        assert abs(wanted) > 1e-6
        assert float(gradient @ direction) == pytest.approx(wanted, rel=1e-5)


@dataclass(frozen=True)
class Leaving(Drift):
    """Ends as soon as the first point is beyond 2; everybody moves by its action."""

    def terminated(self, state: Any) -> Any:
        return state.agents.position[0, 0] > 2


def test_what_comes_after_the_end_of_an_episode_does_not_count() -> None:
    # One point from (0, 0), action (1, 0): r = −½, −1, −1.5 and out at x = 3. γ = ½: −(0.5 + 0.5 + 0.375).
    task = Leaving(num_agents=1)
    start = rollout.start(task, KEY, 1, random_age=False)
    start = start._replace(
        state=start.state._replace(agents=start.state.agents._replace(position=jnp.zeros((1, 1, 2))))
    )
    act = lambda state, transmitted, key: (jnp.array([[[1.0, 0.0]]]), None)  # noqa: E731
    objective, told = discounted_return(task, act, start, KEY, 6, 0.5)
    assert objective == pytest.approx(-(0.5 + 0.5 + 0.375))
    tally = rollout.tally_of(task, told.environments, told.ended)
    assert (tally.returns, tally.lengths, tally.episodes) == (-3, 3, 1)
    np.testing.assert_array_equal(told.environments.state.agents.position, [[[3, 0]]])


@pytest.mark.parametrize(("kept", "wanted"), [(1.0, -3.0), (0.5, -2.125)])
def test_a_gradient_that_fades_halves_with_every_step_back_in_time(kept: float, wanted: float) -> None:
    # Every action moves one point by (b, 0), r_t = −x_t/2. By the last of three actions x_t grows by 1, by the one
    # before it by the share that is kept, and so on: −½ [1 + (1 + κ) + (1 + κ + κ²)].
    task = Drift(num_agents=1)
    start = rollout.start(task, KEY, 1, random_age=False)
    agents = start.state.agents._replace(position=jnp.full((1, 1, 2), 0.5))
    start = start._replace(state=start.state._replace(agents=agents))

    def objective(ahead: Any) -> Any:
        act = lambda state, transmitted, key: (jnp.stack([ahead, 0.0])[None, None], None)  # noqa: E731
        return discounted_return(task, act, start, KEY, 3, 1.0, kept)[0]

    value, gradient = jax.value_and_grad(objective)(jnp.array(1.0))
    assert value == pytest.approx(-(1.0 + 1.5 + 2.0))  # ½ (x_t + ½) for x_t = 1.5, 2.5, 3.5
    assert gradient == pytest.approx(wanted)


SMALL = BatchSettings(environments=8, segment=6)
LEARNER = Learner(Drift(), Moments(), Analytic(learning_rate=0.05), SMALL, Perceptron((8,)))


def test_it_learns_to_go_to_the_origin_within_thirty_updates(quick_jit: Any) -> None:
    state, iterate, returns = quick_jit(LEARNER.init)(KEY), quick_jit(LEARNER.iterate), []
    for _ in range(30):
        state, metrics = iterate(state)
        returns.append(float(metrics["mean_return"]))
    assert metrics["mean_length"] == 6
    assert np.mean(returns[-3:]) > 0.5 * np.mean(returns[:3])  # returns are negative: at least halved
    np.testing.assert_array_equal(state.policy.log_std, np.float32(-2.3))


def test_continued_episodes_go_on_where_the_last_update_left_them(quick_jit: Any) -> None:
    # Episodes of 12 steps, 6 in every update: each environment ends in every second one and begins anew.
    learner = replace(LEARNER, algorithm=Analytic(learning_rate=1e-9, episodes="continued"))
    state, iterate = quick_jit(learner.init)(KEY), quick_jit(learner.iterate)
    age = np.asarray(state.environments.state.age)
    for update in range(5):
        before, (state, metrics) = state, iterate(state)
        ended = age + 6 >= 12
        age = np.where(ended, 0, age + 6)
        np.testing.assert_array_equal(state.environments.state.age, age)
        np.testing.assert_array_equal(state.environments.episode_return[ended], 0)
        assert (np.asarray(state.environments.episode_return)[~ended] < 0).all()
        assert metrics["episodes"] == (ended & np.asarray(before.environments.is_whole)).sum()
        assert update < 2 or metrics["mean_length"] == 12


def test_a_continued_episode_returns_the_sum_of_all_its_updates(quick_jit: Any) -> None:
    # Nobody moves: a whole episode returns 12 times the reward of its start, over two updates of 6 steps.
    algorithm = Analytic(learning_rate=1e-9, initial_log_std=-30, episodes="continued")
    learner = replace(LEARNER, algorithm=algorithm)
    state = quick_jit(learner.init)(KEY)
    network = jax.tree.map(jnp.zeros_like, state.policy.network)
    start = rollout.start(learner.task, KEY, 8, random_age=False)
    state = state._replace(policy=state.policy._replace(network=network), environments=start)
    state, first = quick_jit(learner.iterate)(state)
    assert first["episodes"] == 0 and np.isnan(first["mean_return"])
    _, second = quick_jit(learner.iterate)(state)
    offset = np.abs(np.asarray(start.state.agents.position)).mean()
    assert second["episodes"] == 8 and second["mean_return"] == pytest.approx(-12 * offset, rel=1e-5)


def test_a_gradient_that_is_not_finite_leaves_the_policy_as_it_was() -> None:
    algorithm = Analytic()
    params = PolicyParams(jnp.array([1.0]), jnp.zeros(2))
    update, _ = algorithm.improve(
        lambda p, key: (jnp.sqrt(p.network - 1).sum(), ()), params, algorithm.memory(params), KEY
    )
    assert update.accepted == 0
    np.testing.assert_array_equal(update.params.network, [1.0])
