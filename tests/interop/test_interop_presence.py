"""Agents that are not there: no names in PettingZoo, rows of zeros in Gymnasium."""

import warnings
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest
from pettingzoo.test import parallel_api_test

from swarmbed import SwarmbedError
from swarmbed.interop.gymnasium import SwarmEnv, make_vec
from swarmbed.interop.pettingzoo import SwarmParallelEnv, parallel_env
from swarmbed.tasks.base import State
from toy_task import Drift


@dataclass(frozen=True)
class Shifts(Drift):
    """Three agents: the first is always there, the second leaves after two steps, the third comes after one."""

    horizon: int = 4

    def initial(self, key: Any) -> State:
        return self.shifted(super().initial(key))

    def transition(self, state: State, action: Any, key: Any) -> State:
        moved = super().transition(state, action, key)
        return self.shifted(moved._replace(age=state.age + 1))._replace(age=state.age)

    def shifted(self, state: State) -> State:
        return state._replace(present=jnp.stack([state.age >= 0, state.age < 2, state.age >= 1]))


def ones(env: SwarmParallelEnv) -> dict[str, np.ndarray]:
    return {agent: np.ones(2, np.float32) for agent in env.agents}


def test_agents_are_those_who_are_there() -> None:
    env = parallel_env(Shifts())
    observations, infos = env.reset(seed=0)
    seen = [env.agents]
    assert list(observations) == list(infos) == env.agents
    while env.agents:
        env.step(ones(env))
        seen.append(env.agents)
    assert seen == [
        ["agent_0", "agent_1"],
        ["agent_0", "agent_1", "agent_2"],
        ["agent_0", "agent_2"],
        ["agent_0", "agent_2"],
        [],
    ]
    assert env.possible_agents == ["agent_0", "agent_1", "agent_2"]


def test_one_that_leaves_is_terminated_and_then_told_nothing_more() -> None:
    env = parallel_env(Shifts())
    env.reset(seed=0)
    env.step(ones(env))
    observations, rewards, terminated, truncated, _ = env.step(ones(env))
    assert terminated == {"agent_0": False, "agent_1": True, "agent_2": False}
    assert not any(truncated.values())
    np.testing.assert_array_equal(observations["agent_1"]["local"], [0, 0])
    assert rewards["agent_1"] == rewards["agent_0"] != 0
    for told in env.step(ones(env)):
        assert list(told) == ["agent_0", "agent_2"]
    _, _, terminated, truncated, _ = env.step(ones(env))
    assert (terminated, truncated) == ({"agent_0": False, "agent_2": False}, {"agent_0": True, "agent_2": True})


def test_one_that_comes_is_told_what_it_sees_and_has_earned_nothing_yet() -> None:
    env = parallel_env(Shifts())
    env.reset(seed=0)
    observations, rewards, *_ = env.step(ones(env))
    assert rewards["agent_2"] == 0
    assert rewards["agent_0"] != 0
    assert observations["agent_2"]["local"].any()


def test_absent_agents_do_nothing_and_need_no_action() -> None:
    env = parallel_env(Shifts())
    env.reset(seed=0)
    before = env._episodes.state().agents.position
    env.step(ones(env))
    moved = np.asarray(env._episodes.state().agents.position - before)
    np.testing.assert_allclose(moved, [[1, 1], [1, 1], [0, 0]], atol=1e-6)
    with pytest.raises(SwarmbedError, match="'agent_2' is missing"):
        env.step({"agent_0": np.ones(2), "agent_1": np.ones(2)})


def test_a_swarm_that_changes_passes_the_api_test_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(parallel_env(Shifts()), num_cycles=10)


def test_in_a_vector_of_agents_the_absent_keep_their_place_see_zeros_and_earn_nothing() -> None:
    envs = make_vec(Shifts(), num_swarms=2)
    observations, infos = envs.reset(seed=0)
    np.testing.assert_array_equal(infos["present"], [True, True, False] * 2)
    np.testing.assert_array_equal(observations["local"].any(axis=1), infos["present"])
    for there in ([True, True, True], [True, False, True]):
        acting = infos["present"]
        observations, rewards, _, _, infos = envs.step(np.ones((6, 2)))
        np.testing.assert_array_equal(infos["present"], there * 2)
        np.testing.assert_array_equal(observations["local"].any(axis=1), infos["present"])
        np.testing.assert_array_equal(rewards != 0, acting)


def test_a_whole_swarm_tells_who_is_there() -> None:
    env = SwarmEnv(Shifts())
    observation, info = env.reset(seed=0)
    np.testing.assert_array_equal(info["present"], [True, True, False])
    np.testing.assert_array_equal(observation["local"].any(axis=1), [True, True, False])
