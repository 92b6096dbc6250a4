"""Stable-Baselines3, TorchRL and BenchMARL train on swarms. They need torch, which is gigabytes: unless ``make torch``
has installed them these tests are skipped, but never in CI."""

import importlib
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

if os.environ.get("CI"):
    for name in ("torch", "stable_baselines3", "torchrl", "benchmarl"):
        importlib.import_module(name)

torch = pytest.importorskip("torch", reason="torch is not installed")
torch.set_num_threads(1)  # small networks: threads only get in each other's way

SETTINGS: dict[str, Any] = {"num_agents": 3, "horizon": 40, "comm_radius": None}


class TestStableBaselines3:
    @pytest.fixture(autouse=True)
    def installed(self) -> None:
        pytest.importorskip("stable_baselines3")

    def env(self, **changes: Any) -> Any:
        from swarmbed.interop.stable_baselines3 import SwarmVecEnv

        return SwarmVecEnv("rendezvous", num_swarms=4, **SETTINGS | changes)

    def test_it_steps_as_the_gymnasium_environment_does(self) -> None:
        from swarmbed.interop.gymnasium import make_vec

        env = self.env()
        other = make_vec("rendezvous", num_swarms=4, flatten=True, autoreset_mode="SameStep", **SETTINGS)
        env.seed(7)
        np.testing.assert_array_equal(env.reset(), other.reset(seed=7)[0])
        generator = np.random.default_rng(0)
        for step in range(40):
            action = generator.uniform(-1, 1, (12, 2)).astype(np.float32)
            observation, reward, ended, infos = env.step(action)
            expected = other.step(action)
            np.testing.assert_array_equal(observation, expected[0])
            np.testing.assert_allclose(reward, expected[1], rtol=1e-6)
            assert ended.all() == (step == 39)
        np.testing.assert_array_equal(infos[5]["terminal_observation"], expected[4]["final_obs"][5])
        assert infos[5]["TimeLimit.truncated"] is True
        assert infos[5]["mean_distance"] > 0

    def test_dictionaries_go_with_the_multi_input_policy(self) -> None:
        from stable_baselines3 import PPO

        model = PPO("MultiInputPolicy", self.env(flatten=False), n_steps=8, batch_size=32, n_epochs=1, device="cpu")
        model.learn(96)
        assert model.num_timesteps == 96

    def test_ppo_learns_to_meet(self) -> None:
        """The mean distance between agents at the end of an episode falls by a quarter or more."""
        from stable_baselines3 import PPO

        torch.manual_seed(0)
        env = self.env(observation="displacement", dynamics="single", width=30.0, height=30.0)
        model = PPO("MlpPolicy", env, n_steps=40, batch_size=240, learning_rate=1e-3, device="cpu", seed=0)
        before = self.last_distance(model, env)
        model.learn(24_000)
        after = self.last_distance(model, env)
        print(f"mean distance after 40 steps: {before:.1f} before, {after:.1f} after 24,000 agent steps")
        assert after < 0.75 * before

    def last_distance(self, model: Any, env: Any) -> float:
        env.seed(100)
        observation, found = env.reset(), []
        for _ in range(40 * 5):
            observation, _, ended, infos = env.step(model.predict(observation, deterministic=True)[0])
            found += [infos[i]["mean_distance"] for i in np.flatnonzero(ended)]
        return float(np.mean(found))


class TestTorchRL:
    @pytest.fixture(autouse=True)
    def installed(self) -> None:
        pytest.importorskip("torchrl")

    def test_it_keeps_the_librarys_own_contract(self) -> None:
        from torchrl.envs.utils import check_env_specs

        from swarmbed.interop.torchrl import SwarmTorchEnv

        check_env_specs(SwarmTorchEnv("rendezvous", num_swarms=4, seed=0, **SETTINGS))

    def test_a_swarm_that_ends_is_reset_and_the_others_go_on(self) -> None:
        from swarmbed.interop.torchrl import SwarmTorchEnv

        env = SwarmTorchEnv("pursuit", num_swarms=16, seed=0, num_agents=10, horizon=60, capture_radius=8.0)
        rollout = env.rollout(50, break_when_any_done=False)
        ended = rollout["next", "done"][..., 0]
        assert 0 < ended.sum() < ended.numel()
        seen, following = rollout["agents", "observation"], rollout["next", "agents", "observation"]
        same = (seen[:, 1:] == following[:, :-1]).flatten(2).all(-1)
        assert torch.equal(same, ~ended[:, :-1])


class TestBenchMARL:
    @pytest.mark.parametrize("name", ["MappoConfig", "IppoConfig"])
    def test_its_algorithms_train_on_swarms(self, name: str, tmp_path: Path) -> None:
        pytest.importorskip("benchmarl")
        from benchmarl import algorithms
        from benchmarl.experiment import Experiment, ExperimentConfig
        from benchmarl.models.mlp import MlpConfig

        from swarmbed.interop.benchmarl import SwarmTask

        config = ExperimentConfig.get_from_yaml()
        config.save_folder, config.loggers, config.create_json = str(tmp_path), [], False
        config.render = config.evaluation = False
        config.max_n_frames, config.max_n_iters = 4_800, None
        config.on_policy_collected_frames_per_batch, config.on_policy_n_envs_per_worker = 800, 20
        config.on_policy_n_minibatch_iters, config.on_policy_minibatch_size = 2, 400
        experiment = Experiment(
            task=SwarmTask("rendezvous", **SETTINGS), algorithm_config=getattr(algorithms, name).get_from_yaml(),
            model_config=MlpConfig.get_from_yaml(), critic_model_config=MlpConfig.get_from_yaml(), seed=0,
            config=config,
        )  # fmt: skip
        experiment.run()
        assert experiment.total_frames == 4_800
        assert np.isfinite(experiment.mean_return)
