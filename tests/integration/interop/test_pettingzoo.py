"""The swarm as a PettingZoo parallel environment, by PettingZoo's own tests and against the task's functions."""

import copy
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from pettingzoo.test import parallel_api_test, parallel_seed_test

from swarmbed import SwarmbedError, make
from swarmbed.interop.pettingzoo import SwarmParallelEnv, parallel_env
from swarmbed.spec import registry

# A horizon of 4 cuts most episodes off; with a reach of 25 units the pursuers often catch the evader before that.
PURSUIT = {"num_agents": 2, "horizon": 4, "capture_radius": 25.0}


def random_actions(env: SwarmParallelEnv) -> dict[str, np.ndarray]:
    return {agent: env.action_space(agent).sample() for agent in env.agents}


@pytest.fixture(scope="module")
def pursuit() -> SwarmParallelEnv:
    return parallel_env("pursuit", **PURSUIT)


@pytest.mark.parametrize("name", registry.tasks.names())
def test_every_task_with_a_single_agent_passes_the_api_test_without_a_warning(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(parallel_env(name, num_agents=1, horizon=3), num_cycles=10)


@pytest.mark.parametrize("name", registry.tasks.names())
def test_every_task_passes_the_seed_test(name: str) -> None:
    parallel_seed_test(lambda: parallel_env(name, num_agents=1, horizon=3), num_cycles=10)


def test_several_agents_pass_the_api_test_without_a_warning(pursuit: SwarmParallelEnv) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(pursuit, num_cycles=10)


def test_several_agents_pass_the_seed_test() -> None:
    parallel_seed_test(lambda: parallel_env("pursuit", **PURSUIT), num_cycles=10)


def test_the_spaces_contain_every_observation_action_and_state(pursuit: SwarmParallelEnv) -> None:
    observations, _ = pursuit.reset(seed=3)
    for _ in range(20):
        for agent, observation in observations.items():
            assert pursuit.observation_space(agent).contains(observation)
        assert pursuit.state_space.contains(pursuit.state())
        if not pursuit.agents:
            pursuit.reset()
        observations = pursuit.step(random_actions(pursuit))[0]


def test_a_step_is_the_task_s_step(pursuit: SwarmParallelEnv, compiled: Callable[[object, str], Any]) -> None:
    task = make("pursuit", **PURSUIT)
    reset_key, step_stream = jax.random.split(jax.random.key(7))[::-1]
    _, before = compiled(task, "reset")(reset_key)
    action = jnp.array([[0.5, -0.2], [1.0, 0.3]])
    seen, _, reward, _, _, metrics = compiled(task, "step")(jax.random.split(step_stream)[1], before, action)

    pursuit.reset(seed=7)
    observations, rewards, _, _, infos = pursuit.step({"agent_0": action[0], "agent_1": action[1]})

    for i, agent in enumerate(["agent_0", "agent_1"]):
        np.testing.assert_allclose(observations[agent]["local"], seen.local[i], atol=1e-5)
        np.testing.assert_allclose(observations[agent]["set_0"], seen.sets[0].elements[i], atol=1e-5)
        np.testing.assert_array_equal(observations[agent]["mask_0"], seen.sets[0].mask[i])
        assert rewards[agent] == pytest.approx(float(reward), abs=1e-6)
        assert infos[agent] == pytest.approx({name: float(value) for name, value in metrics.items()}, abs=1e-4)
        assert set(infos[agent]) == {metric.name for metric in task.metrics}


def test_running_out_of_time_is_a_truncation_and_not_a_termination() -> None:
    env = parallel_env("rendezvous", num_agents=1, horizon=3)
    env.reset(seed=0)
    flags = []
    while env.agents:
        _, _, terminated, truncated, _ = env.step(random_actions(env))
        flags.append((terminated["agent_0"], truncated["agent_0"]))
    assert flags == [(False, False), (False, False), (False, True)]


def test_a_capture_is_a_termination_and_not_a_truncation(pursuit: SwarmParallelEnv) -> None:
    ends = []
    pursuit.reset(seed=0)
    for _ in range(40):
        _, _, terminated, truncated, infos = pursuit.step(random_actions(pursuit))
        captured = infos["agent_0"]["evader_distance"] <= PURSUIT["capture_radius"]
        assert terminated == {"agent_0": captured, "agent_1": captured}
        assert not any(terminated[agent] and truncated[agent] for agent in terminated)
        if not pursuit.agents:
            ends.append((terminated["agent_0"], truncated["agent_0"]))
            pursuit.reset()
    assert {(True, False), (False, True)} == set(ends)


def test_a_capture_in_the_last_step_is_a_termination_only(pursuit: SwarmParallelEnv) -> None:
    still = {"agent_0": np.zeros(2), "agent_1": np.zeros(2)}
    for seed in range(20):
        pursuit.reset(seed=seed)
        start = pursuit._episodes.swarms
        if pursuit.step(still)[2]["agent_0"]:
            break
    # The same step again, but this time it is the last one that the horizon allows.
    pursuit.reset(seed=seed)
    old = start.state._replace(age=jnp.full_like(start.state.age, PURSUIT["horizon"] - 1))
    pursuit._episodes.swarms = start._replace(state=old)
    _, _, terminated, truncated, _ = pursuit.step(still)
    assert (terminated["agent_0"], truncated["agent_0"]) == (True, False)


def test_a_reset_without_a_seed_goes_on_to_a_new_start(pursuit: SwarmParallelEnv) -> None:
    pursuit.reset(seed=5)
    first = pursuit.state()
    pursuit.reset()
    second = pursuit.state()
    pursuit.reset(seed=5)
    assert not np.allclose(first, second)
    np.testing.assert_array_equal(pursuit.state(), first)


def test_the_state_lists_positions_then_headings_then_evaders_then_presence_and_age(
    pursuit: SwarmParallelEnv, compiled: Callable[[object, str], Any]
) -> None:
    pursuit.reset(seed=2)
    start = compiled(make("pursuit", **PURSUIT), "initial")(jax.random.split(jax.random.key(2))[1])
    numbers = [start.agents.position.ravel(), start.agents.heading, start.evaders.ravel()]
    wanted = jnp.concatenate([*numbers, jnp.array([1.0, 1.0, 0.0])])  # two agents are there; the episode is new
    np.testing.assert_allclose(pursuit.state(), wanted, rtol=1e-6)


def test_observations_belong_to_the_caller(pursuit: SwarmParallelEnv) -> None:
    observations, _ = pursuit.reset(seed=1)
    observations["agent_0"]["local"][:] = 7.0
    again, _ = pursuit.reset(seed=1)
    assert not np.any(again["agent_0"]["local"] == 7.0)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_by_itself(
    pursuit: SwarmParallelEnv, duplicate: Callable[[SwarmParallelEnv], SwarmParallelEnv]
) -> None:
    pursuit.reset(seed=4)
    twin = duplicate(pursuit)
    action = dict.fromkeys(pursuit.agents, np.array([1.0, 0.5], np.float32))
    pursuit.step(action)
    moved = pursuit.state()
    assert not np.allclose(twin.state(), moved)
    twin.step(action)
    np.testing.assert_array_equal(twin.state(), moved)


def test_a_step_before_the_first_reset_is_refused() -> None:
    with pytest.raises(SwarmbedError, match="call reset"):
        parallel_env("pursuit", **PURSUIT).step({})


def test_an_action_after_the_end_is_refused_and_no_action_gives_nothing() -> None:
    env = parallel_env("rendezvous", num_agents=1, horizon=3)
    env.reset(seed=0)
    action = random_actions(env)
    while env.agents:
        env.step(action)
    with pytest.raises(SwarmbedError, match="the episode has ended"):
        env.step(action)
    assert env.step({}) == ({}, {}, {}, {}, {})


@pytest.mark.parametrize(
    ("actions", "sentence"),
    [
        ({"agent_0": [0, 0]}, "'agent_1' is missing"),
        ({"agent_0": [0, 0], "agent_1": [0, np.nan]}, "finite"),
        ({"agent_0": [0, 0, 0], "agent_1": [0, 0, 0]}, r"shape \(2, 2\), not \(2, 3\)"),
        ({"agent_0": [0, 0], "agent_1": "left"}, "must be numbers"),
    ],
)
def test_wrong_actions_are_refused_in_one_sentence(
    pursuit: SwarmParallelEnv, actions: dict[str, object], sentence: str
) -> None:
    pursuit.reset(seed=0)
    with pytest.raises(SwarmbedError, match=sentence):
        pursuit.step(actions)


def test_a_setting_that_the_task_does_not_have_is_refused() -> None:
    with pytest.raises(SwarmbedError, match="has no setting 'num_agent'; did you mean 'num_agents'"):
        parallel_env("pursuit", num_agent=5)


@pytest.mark.parametrize("seed", [-1, True])
def test_a_seed_that_is_no_whole_number_is_refused(pursuit: SwarmParallelEnv, seed: object) -> None:
    with pytest.raises(SwarmbedError, match="seed must be a whole number"):
        pursuit.reset(seed=seed)
