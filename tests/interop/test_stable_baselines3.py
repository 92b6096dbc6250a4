"""Swarms as Stable-Baselines3 asks for them. It needs torch, so its base class is played by one of our own here; the
library itself trains in tests/integration/interop."""

import importlib
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from swarmbed import SwarmbedError


class VecEnv:
    """What SwarmVecEnv uses of ``stable_baselines3.common.vec_env.VecEnv``."""

    def __init__(self, num_envs: int, observation_space: Any, action_space: Any) -> None:
        self.num_envs, self.observation_space, self.action_space = num_envs, observation_space, action_space
        self._reset_seeds()

    def seed(self, seed: int) -> None:
        self._seeds = [seed + index for index in range(self.num_envs)]

    def _reset_seeds(self) -> None:
        self._seeds: list[int | None] = [None] * self.num_envs

    def _reset_options(self) -> None:
        pass

    def _get_indices(self, indices: Any) -> Any:
        return range(self.num_envs) if indices is None else [indices] if isinstance(indices, int) else indices


@pytest.fixture(scope="module")
def env() -> Iterator[Any]:
    """Two swarms of three agents, whose episodes take two steps."""
    names = ("stable_baselines3", "stable_baselines3.common", "stable_baselines3.common.vec_env")
    with pytest.MonkeyPatch.context() as patch:
        for name in names:
            patch.setitem(sys.modules, name, ModuleType(name))
        patch.setattr(sys.modules[names[-1]], "VecEnv", VecEnv, raising=False)
        patch.delitem(sys.modules, "swarmbed.interop.stable_baselines3", raising=False)
        module = importlib.import_module("swarmbed.interop.stable_baselines3")
        yield module.SwarmVecEnv("rendezvous", num_swarms=2, num_agents=3, horizon=2)
        del sys.modules[module.__name__]


def step(env: Any) -> Any:
    env.step_async(np.zeros((6, 2), np.float32))
    return env.step_wait()


def test_a_seed_is_used_once(env: Any) -> None:
    env.seed(3)
    first, second = env.reset(), env.reset()
    env.seed(3)
    np.testing.assert_array_equal(env.reset(), first)
    assert not np.array_equal(first, second)


def test_the_end_of_an_episode_is_told_with_what_was_seen_last(env: Any) -> None:
    env.seed(3)
    env.reset()
    _, _, ended, infos = step(env)
    assert not ended.any() and infos == [{}] * 6
    observation, reward, ended, infos = step(env)
    assert ended.all() and reward.dtype == np.float32
    assert all(info["TimeLimit.truncated"] is True and info["mean_distance"] > 0 for info in infos)
    assert infos[4]["terminal_observation"].shape == observation[4].shape
    assert not np.array_equal(infos[4]["terminal_observation"], observation[4])  # that one is of the next episode


def test_an_attribute_of_the_swarms_is_every_agents(env: Any) -> None:
    assert env.get_attr("num_swarms") == [2] * 6
    assert env.get_attr("num_swarms", indices=[0, 5]) == [2, 2]
    assert env.get_attr("render_mode", indices=1) == [None]


def test_setting_an_attribute_is_refused_in_one_sentence(env: Any) -> None:
    with pytest.raises(SwarmbedError, match="'num_swarms' cannot be set: all agents share one task"):
        env.set_attr("num_swarms", 3)


def test_a_method_of_the_swarms_is_called_once_for_all(env: Any) -> None:
    answers = env.env_method("reset", seed=3)
    assert len(answers) == 6 and all(answer is answers[0] for answer in answers)
    env.seed(3)
    np.testing.assert_array_equal(answers[0][0], env.reset())


def test_a_method_for_some_agents_only_is_refused_in_one_sentence(env: Any) -> None:
    with pytest.raises(SwarmbedError, match="'reset' is a method of all swarms together: leave indices out"):
        env.env_method("reset", indices=[0])


def test_no_agent_is_wrapped(env: Any) -> None:
    assert env.env_is_wrapped(object, indices=2) == [False]
