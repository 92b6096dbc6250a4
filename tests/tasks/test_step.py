"""The one step of the project, and what is built on it: worked numbers with points on a plane."""

import copy
import pickle
import re
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed.sim.unicycle import Agents
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.settings import setting
from swarmbed.tasks import make
from swarmbed.tasks.auto_reset import auto_reset
from swarmbed.tasks.base import Advance, State, Step
from toy_task import Drift

KEY = jax.random.key(0)
PUSH = jnp.full((2, 2), 0.5)


@dataclass(frozen=True)
class Race(Drift):
    """Drift that ends when the first point has come as far as the line."""

    num_agents: int = setting(2, "number of points", at_least=1)
    horizon: int = setting(3, "steps of an episode", at_least=1)
    line: float = setting(100.0, "where it ends")

    def terminated(self, state: State) -> Any:
        return state.agents.position[0, 0] >= self.line


def at(*positions: tuple[float, float], age: int = 0) -> State:
    position = jnp.array(positions, float)
    return State(Agents(position, jnp.zeros(len(position))), age=jnp.int32(age))


ORIGIN = at((0.0, 0.0), (1.0, 1.0))


def test_an_advance_moves_counts_and_rewards() -> None:
    # Both points move by (0.5, 0.5): |0.5|, |0.5|, |1.5|, |1.5| have the mean 1.
    moved = Race().advance(KEY, ORIGIN, PUSH)
    assert isinstance(moved, Advance)
    np.testing.assert_allclose(moved.state.agents.position, [[0.5, 0.5], [1.5, 1.5]])
    assert float(moved.reward) == -1.0
    assert (int(moved.state.age), bool(moved.terminated), bool(moved.truncated)) == (1, False, False)


def test_time_runs_out_at_the_horizon_and_nothing_is_reset() -> None:
    ends, state = [], ORIGIN
    for _ in range(4):
        moved = Race().advance(KEY, state, PUSH)
        state = moved.state
        ends.append((int(state.age), bool(moved.truncated)))
    # A step after the horizon is truncated as well.
    assert ends == [(1, False), (2, False), (3, True), (4, True)]
    np.testing.assert_allclose(state.agents.position, [[2, 2], [3, 3]])


def test_an_end_in_the_last_step_is_an_end_and_no_truncation() -> None:
    moved = Race(line=2.0).advance(KEY, at((1.5, 0.0), (1.0, 1.0), age=2), PUSH)
    assert (int(moved.state.age), bool(moved.terminated), bool(moved.truncated)) == (3, True, False)


def test_a_step_is_an_advance_with_what_is_seen_and_measured() -> None:
    seen, state, reward, terminated, truncated, info = Race().step(KEY, ORIGIN, PUSH)
    np.testing.assert_array_equal(seen.local, state.agents.position)
    assert (float(reward), bool(terminated), bool(truncated)) == (-1.0, False, False)
    assert {name: float(value) for name, value in info.items()} == {"offset": 1.0}


def test_a_reset_is_a_start_and_what_is_seen_of_it() -> None:
    seen, state = Race().reset(KEY)
    np.testing.assert_array_equal(state.agents.position, Race().initial(KEY).agents.position)
    np.testing.assert_array_equal(seen.local, state.agents.position)
    assert int(state.age) == 0


def test_random_actions_lie_between_minus_one_and_one() -> None:
    action = np.asarray(replace(Race(), num_agents=500).sample_action(KEY))
    assert action.shape == (500, 2)
    assert -1 <= action.min() < -0.99
    assert 0.99 < action.max() <= 1


def test_a_step_can_be_jitted_vmapped_scanned_and_differentiated() -> None:
    task = Race(noise=0.1)
    keys = jax.random.split(KEY, 3)
    states = jax.vmap(task.initial)(keys)
    together = jax.jit(jax.vmap(task.step, (0, 0, None)))(keys, states, PUSH)
    plain = jax.jit(task.step)
    for index in range(3):
        alone = plain(keys[index], jax.tree.map(lambda leaf, i=index: leaf[i], states), PUSH)
        for a, b in zip(jax.tree.leaves(alone), jax.tree.leaves(together), strict=True):
            np.testing.assert_allclose(a, b[index], rtol=1e-6)

    def total(action: Any) -> Any:
        step = lambda state, key: task.advance(key, state, action)[:2]  # noqa: E731
        return jax.lax.scan(step, at((5.0, 5.0), (5.0, 5.0)), keys)[1].sum()

    # −Σ_t mean |x_t| with x_t = 5 + t·a + …: each of four numbers counts −(1 + 2 + 3)/4.
    np.testing.assert_allclose(jax.grad(total)(PUSH), np.full((2, 2), -1.5), rtol=1e-6)


# Automatic resets.


def test_an_episode_that_ends_is_followed_by_a_new_start_in_the_same_step() -> None:
    env = auto_reset(Race())
    late = at((0.0, 0.0), (1.0, 1.0), age=2)
    seen, state, reward, terminated, truncated, info = env.step(KEY, late, PUSH)
    assert (bool(terminated), bool(truncated), float(reward)) == (False, True, -1.0)
    assert int(state.age) == 0
    assert (np.asarray(state.agents.position) <= 1).all()  # starts lie in the unit square
    np.testing.assert_array_equal(seen.local, state.agents.position)
    # The end itself is not lost, and the metrics are its.
    np.testing.assert_allclose(info["final_state"].agents.position, [[0.5, 0.5], [1.5, 1.5]])
    assert int(info["final_state"].age) == 3
    assert float(info["offset"]) == 1.0


def test_an_end_of_the_task_resets_as_well() -> None:
    step = auto_reset(Race(line=0.5)).step(KEY, ORIGIN, PUSH)
    assert (bool(step.terminated), bool(step.truncated), int(step.state.age)) == (True, False, 0)


def test_before_the_end_it_is_the_task_itself() -> None:
    env, key = auto_reset(Race()), jax.random.split(KEY)[0]
    step, plain = env.step(KEY, ORIGIN, PUSH), Race().step(key, ORIGIN, PUSH)
    for a, b in zip(jax.tree.leaves(step[:5]), jax.tree.leaves(plain[:5]), strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(step.info["final_state"].agents.position, plain.state.agents.position)


def test_an_environment_that_resets_itself_runs_for_ever_in_one_scan() -> None:
    env = auto_reset(Race())

    def step(state: State, key: Any) -> tuple[State, Any]:
        moved = env.step(key, state, PUSH)
        return moved.state, (moved.state.age, moved.truncated)

    _, (ages, ends) = jax.lax.scan(step, env.reset(KEY)[1], jax.random.split(KEY, 7))
    assert ages.tolist() == [1, 2, 0, 1, 2, 0, 1]
    assert ends.tolist() == [False, False, True, False, False, True, False]


def test_everything_else_of_the_task_is_still_there() -> None:
    env = auto_reset(Race(line=7.0))
    assert (env.num_agents, env.horizon, env.line, env.action_size) == (2, 3, 7.0, 2)
    assert env.sample_action(KEY).shape == (2, 2)
    with pytest.raises(AttributeError, match="colour"):
        env.colour  # noqa: B018


# Another reward.


def test_another_reward_changes_the_reward_and_nothing_else() -> None:
    task = Race(line=7.0).with_reward(lambda state, action, next_state: 10 * action.sum() + state.age)
    step, plain = (one.step(KEY, at((0.0, 0.0), (1.0, 1.0), age=1), PUSH) for one in (task, Race(line=7.0)))
    assert isinstance(step, Step)
    assert float(step.reward) == 10 * 2.0 + 1
    assert float(plain.reward) == -1.0
    for a, b in zip(jax.tree.leaves(step._replace(reward=0)), jax.tree.leaves(plain._replace(reward=0)), strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_task_with_another_reward_is_still_such_a_task_with_its_settings() -> None:
    task = make("pursuit-local", num_agents=3).with_reward(lambda state, action, next_state: jnp.zeros(()))
    assert isinstance(task, type(make("pursuit")))
    assert (task.num_agents, task.comm_radius, task.sight_radius) == (3, 40.0, 20.0)
    assert task.metrics == make("pursuit").metrics
    with pytest.raises(SwarmbedError, match="num_agents must be a whole number of at least 1"):
        replace(task, num_agents=0)


def test_two_rewards_are_two_classes_with_two_names_and_the_same_reward_is_one() -> None:
    first, second = (lambda state, action, next_state: 1.0), (lambda state, action, next_state: 2.0)
    task = make("pursuit", num_agents=3)
    one, two = task.with_reward(first), task.with_reward(second)
    assert type(one).__name__ != type(two).__name__
    assert one != two and one == task.with_reward(first)
    state, action = jax.jit(task.initial)(KEY), jnp.zeros((3, 2))
    assert [float(jax.jit(each.step)(KEY, state, action).reward) for each in (one, two)] == [1.0, 2.0]


def test_a_task_with_another_reward_is_copied_and_pickled() -> None:
    task = make("rendezvous", num_agents=3).with_reward(effort)
    for twin in (pickle.loads(pickle.dumps(task)), copy.copy(task), copy.deepcopy(task)):
        assert twin == task
        assert float(twin.reward(None, jnp.ones((3, 2)), None)) == 6.0


def effort(state: Any, action: Any, next_state: Any) -> Any:
    return jnp.square(action).sum()


@pytest.mark.usefixtures("unchecked_types")
@pytest.mark.parametrize(
    ("reward", "words"),
    [
        (3, "reward must be a function of (state, action, next_state), not 3"),
        (lambda state, action: 0.0, "reward must be a function of (state, action, next_state), but this one has too"),
    ],
)
def test_what_cannot_be_a_reward_is_refused_at_once(reward: Any, words: str) -> None:
    with pytest.raises(SwarmbedError, match=re.escape(words)):
        Race().with_reward(reward)


# What the functions of a task may return, and what a step takes.


class Sloppy(Race):
    """Returns what it is made with, in place of what it should."""

    def __init__(self, reward: Any = 0.0, ends: Any = False) -> None:
        super().__init__()
        object.__setattr__(self, "returned", (reward, ends))

    def reward(self, state: State, action: Any, next_state: State) -> Any:
        return self.returned[0]  # type: ignore[attr-defined]

    def terminated(self, state: State) -> Any:
        return self.returned[1]  # type: ignore[attr-defined]


@pytest.mark.parametrize("reward", [2, 2.0, np.float64(2), np.array(2), jnp.array(2)])
def test_plain_numbers_and_truth_values_are_taken_as_arrays(reward: Any) -> None:
    step = Sloppy(reward).step(KEY, at((0.0, 0.0), (1.0, 1.0), age=2), PUSH)
    assert float(step.reward) == 2.0 and step.reward.dtype == jnp.float32
    assert (step.terminated.dtype, step.truncated.dtype) == (bool, bool)
    assert not step.terminated and step.truncated


@pytest.mark.parametrize(
    ("task", "words"),
    [
        (Sloppy(jnp.zeros(2)), "reward of Sloppy must be one number for the whole swarm, not float32 of shape (2,)"),
        (Sloppy(ends=jnp.zeros(2, bool)), "terminated of Sloppy must be true or false for the whole swarm, not bool"),
        (Sloppy(ends=0.0), "terminated of Sloppy must be true or false for the whole swarm, not float32 of shape ()"),
    ],
)
def test_one_number_for_every_agent_is_refused(task: Sloppy, words: str) -> None:
    with pytest.raises(SwarmbedError, match=re.escape(words)):
        task.step(KEY, ORIGIN, PUSH)


SEVERAL = jax.tree.map(lambda leaf: jnp.stack([leaf, leaf]), ORIGIN)


@pytest.mark.usefixtures("unchecked_types")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0, ORIGIN, PUSH), "key must be a random key such as jax.random.key(0), not 0"),
        ((None, ORIGIN, PUSH), "key must be a random key such as jax.random.key(0), not None"),
        ((jax.random.split(KEY, 3), ORIGIN, PUSH), "key must be one random key, not (3,) of them"),
        ((KEY, PUSH, ORIGIN), "state must be a State, as reset and step return it, not Array"),
        ((KEY, SEVERAL, PUSH), "state must be of one swarm, not of (2,); use jax.vmap for several"),
        ((KEY, ORIGIN, "left"), "action must be an array of numbers, not 'left'"),
        ((KEY, ORIGIN, [[0.0], [0.0]]), "action must have shape (2, 2) (agents, numbers per agent), not (2, 1)"),
    ],
)
@pytest.mark.parametrize("env", [Race(), auto_reset(Race())], ids=["task", "auto_reset"])
def test_an_argument_that_does_not_fit_a_step_is_named(env: Any, arguments: Any, words: str) -> None:
    with pytest.raises(SwarmbedError, match=re.escape(words)):
        env.step(*arguments)


@pytest.mark.usefixtures("unchecked_types")
def test_lists_are_actions_and_old_keys_are_keys() -> None:
    step, listed = Race().step(KEY, ORIGIN, PUSH), Race().step(jax.random.PRNGKey(0), ORIGIN, [[0.5, 0.5], [0.5, 0.5]])
    for a, b in zip(jax.tree.leaves(step), jax.tree.leaves(listed), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.usefixtures("unchecked_types")
@pytest.mark.parametrize("function", ["reset", "sample_action"])
def test_a_seed_is_no_key(function: str) -> None:
    with pytest.raises(SwarmbedError, match="key must be a random key such as"):
        getattr(Race(), function)(3)


# What a task says about itself.


def test_a_metric_that_is_not_declared_is_an_error_with_the_names_there_are() -> None:
    with pytest.raises(SwarmbedError, match="metric 'caught' does not exist; choose one of: captured, evader_distance"):
        make("pursuit").metric("caught")


def test_the_headline_is_the_first_metric_or_none() -> None:
    assert make("pursuit").headline == make("pursuit").metric("captured")

    @dataclass(frozen=True)
    class Silent(Race):
        """Measures nothing."""

        metrics = ()

    assert Silent().headline is None
