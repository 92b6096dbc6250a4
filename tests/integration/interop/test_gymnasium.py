"""Many swarms as a Gymnasium vector environment, against the parallel environment and against Gymnasium's own one."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from swarmbed import SwarmbedError
from swarmbed.interop.gymnasium import SwarmVectorEnv, make_vec
from swarmbed.interop.pettingzoo import parallel_env
from vector_lives import assert_same_lives

# As short and as easy as to see both kinds of end in a few steps.
PURSUIT: dict[str, Any] = {"horizon": 4, "capture_radius": 25.0}
MODES = [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP]


class OneAgent(gymnasium.Env[Any, np.ndarray]):
    """A swarm of one agent as a plain environment, so that Gymnasium's own vector environment can run it."""

    def __init__(self) -> None:
        self.swarm = parallel_env("pursuit", num_agents=1, **PURSUIT)
        self.observation_space = self.swarm.observation_space("agent_0")
        self.action_space = self.swarm.action_space("agent_0")

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        observation, info = (result["agent_0"] for result in self.swarm.reset(seed))
        return observation, info | {"present": True}

    def step(self, action: np.ndarray) -> Any:
        *outcome, info = (result["agent_0"] for result in self.swarm.step({"agent_0": action}))
        return *outcome, info | {"present": True}


@pytest.fixture(scope="module")
def pursuit() -> SwarmVectorEnv:
    """Three swarms of two pursuers."""
    return make_vec("pursuit", num_swarms=3, num_agents=2, **PURSUIT)


@pytest.mark.parametrize("mode", MODES)
def test_swarms_of_one_agent_do_exactly_what_gymnasium_s_own_vector_environment_does(mode: AutoresetMode) -> None:
    ours = make_vec("pursuit", num_swarms=3, num_agents=1, autoreset_mode=mode, **PURSUIT)
    theirs = SyncVectorEnv([OneAgent] * 3, autoreset_mode=mode)
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"] == mode
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert_same_lives(ours, theirs, seed=11)


def test_each_swarm_lives_as_the_parallel_environment_with_its_seed(pursuit: SwarmVectorEnv) -> None:
    alone = [parallel_env("pursuit", num_agents=2, **PURSUIT) for _ in range(3)]
    observations, _ = pursuit.reset(seed=20)
    expected = [env.reset(seed=20 + i)[0] for i, env in enumerate(alone)]
    pursuit.action_space.seed(1)
    for _ in range(12):
        for i, by_agent in enumerate(expected):
            for j in range(2):
                for name, value in by_agent[f"agent_{j}"].items():
                    np.testing.assert_allclose(observations[name][2 * i + j], value, atol=1e-5)
        action = pursuit.action_space.sample()
        observations, rewards, terminated, truncated, _ = pursuit.step(action)
        for i, env in enumerate(alone):
            if not env.agents:
                expected[i] = env.reset()[0]
                assert rewards[2 * i] == 0
                continue
            expected[i], reward, ended, cut, _ = env.step({f"agent_{j}": action[2 * i + j] for j in range(2)})
            for j in range(2):
                assert rewards[2 * i + j] == pytest.approx(reward[f"agent_{j}"], abs=1e-5)
                assert terminated[2 * i + j] == ended[f"agent_{j}"]
                assert truncated[2 * i + j] == cut[f"agent_{j}"]


@pytest.mark.parametrize(
    ("name", "observation"), [("rendezvous", "comm"), ("pursuit-local", "comm"), ("multi-pursuit", "extended")]
)
def test_the_spaces_contain_every_flattened_output(name: str, observation: str) -> None:
    envs = make_vec(name, num_swarms=2, num_agents=2, horizon=2, flatten=True, observation=observation)
    observations, _ = envs.reset(seed=0)
    for _ in range(4):
        assert envs.observation_space.contains(observations)
        assert all(envs.single_observation_space.contains(row) for row in observations)
        observations, rewards, terminated, truncated, _ = envs.step(envs.action_space.sample())
        assert rewards.shape == terminated.shape == truncated.shape == (4,)
        assert (terminated.dtype, truncated.dtype) == (bool, bool)


def test_the_spaces_contain_every_output_as_dictionaries(pursuit: SwarmVectorEnv) -> None:
    observations, _ = pursuit.reset(seed=0)
    for _ in range(12):
        assert pursuit.observation_space.contains(observations)
        observations = pursuit.step(pursuit.action_space.sample())[0]


def test_the_agents_of_a_swarm_share_reward_and_end_and_other_swarms_do_not(pursuit: SwarmVectorEnv) -> None:
    pursuit.reset(seed=3)
    _, rewards, _, _, infos = pursuit.step(pursuit.action_space.sample())
    by_swarm = rewards.reshape(3, 2)
    np.testing.assert_array_equal(by_swarm[:, 0], by_swarm[:, 1])
    assert len(set(by_swarm[:, 0])) == 3
    # r = −d_min / d_o, and on a torus of 100 × 100 without a limit of sight d_o is half of the diagonal, 70.71.
    np.testing.assert_allclose(rewards, -infos["evader_distance"] / 70.7107, rtol=1e-4)


def test_a_list_gives_each_swarm_its_own_seed(pursuit: SwarmVectorEnv) -> None:
    by_list, _ = pursuit.reset(seed=[9, 9, 4])
    np.testing.assert_array_equal(by_list["local"][:2], by_list["local"][2:4])
    assert not np.allclose(by_list["local"][:2], by_list["local"][4:])


def test_a_reset_without_a_seed_goes_on_to_new_starts(pursuit: SwarmVectorEnv) -> None:
    first = pursuit.reset(seed=9)[0]["local"]
    assert not np.allclose(first, pursuit.reset()[0]["local"])
    np.testing.assert_array_equal(first, pursuit.reset(seed=9)[0]["local"])


def test_gymnasium_s_episode_statistics_count_each_agent_s_return(pursuit: SwarmVectorEnv) -> None:
    envs = RecordEpisodeStatistics(pursuit)
    envs.reset(seed=0)
    total, counted, ended = np.zeros(6), np.zeros(6, int), np.zeros(6, bool)
    for _ in range(12):
        # The step after an end is a reset and belongs to no episode.
        total, counted = np.where(ended, 0.0, total), np.where(ended, -1, counted)
        _, rewards, terminated, truncated, infos = envs.step(envs.action_space.sample())
        total, counted, ended = total + rewards, counted + 1, terminated | truncated
        if ended.any():
            np.testing.assert_allclose(infos["episode"]["r"][ended], total[ended], rtol=1e-5)
            np.testing.assert_array_equal(infos["episode"]["l"][ended], counted[ended])


def test_a_step_before_the_first_reset_is_refused() -> None:
    envs = make_vec("pursuit", num_agents=2)
    with pytest.raises(SwarmbedError, match="call reset"):
        envs.step(envs.action_space.sample())


def test_actions_for_the_wrong_number_of_agents_are_refused(pursuit: SwarmVectorEnv) -> None:
    pursuit.reset(seed=0)
    with pytest.raises(SwarmbedError, match=r"shape \(6, 2\), not \(3, 2\)"):
        pursuit.step(np.zeros((3, 2)))


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"num_swarms": 0}, "num_swarms must be a whole number of at least 1, not 0"),
        ({"num_swarms": True}, "num_swarms must be a whole number"),
        ({"autoreset_mode": AutoresetMode.DISABLED}, "autoreset_mode must be NextStep or SameStep"),
        ({"autoreset_mode": "Later"}, "autoreset_mode must be NextStep or SameStep, not 'Later'"),
    ],
)
def test_wrong_settings_are_refused_in_one_sentence(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SwarmbedError, match=sentence):
        make_vec("pursuit", **settings)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"seed": [1, 2]}, "seed must be a list of 3, one for each swarm, not of 2"),
        ({"seed": [1, 2, -3]}, "seed must be a whole number of at least 0, not -3"),
        ({"options": {"reset_mask": np.ones(6, bool)}}, "no option 'reset_mask'"),
    ],
)
def test_wrong_resets_are_refused_in_one_sentence(
    pursuit: SwarmVectorEnv, arguments: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(SwarmbedError, match=sentence):
        pursuit.reset(**arguments)
