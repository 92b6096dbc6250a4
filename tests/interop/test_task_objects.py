"""A task object goes wherever a task's name does."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from swarmbed import SwarmbedError, make
from swarmbed.interop.gymnasium import SwarmEnv, make_vec, whole_swarms
from swarmbed.interop.pettingzoo import parallel_env
from toy_task import Drift

EVERY = pytest.mark.parametrize("environment", [parallel_env, make_vec, whole_swarms, SwarmEnv])


@dataclass(frozen=True)
class Sideways(Drift):
    """As somebody writes it in a cell: never registered, in no file of tasks."""

    horizon: int = 2


def test_a_task_from_a_cell_runs_as_a_parallel_environment() -> None:
    env = parallel_env(Sideways(num_agents=2))
    start, infos = env.reset(seed=0)
    observations, rewards, _, truncated, _ = env.step(
        {"agent_0": np.array([1.0, 0.0]), "agent_1": np.array([0.0, -1.0])}
    )
    assert env.metadata["name"] == "swarmbed_sideways"
    assert set(infos["agent_0"]) == {"offset"}
    np.testing.assert_allclose(observations["agent_0"]["local"], start["agent_0"]["local"] + [1, 0], rtol=1e-6)
    np.testing.assert_allclose(observations["agent_1"]["local"], start["agent_1"]["local"] + [0, -1], rtol=1e-6)
    assert truncated == {"agent_0": False, "agent_1": False}
    # r = −mean |x′| over the four coordinates.
    both = np.concatenate([observations[agent]["local"] for agent in env.agents])
    assert rewards["agent_0"] == pytest.approx(-np.abs(both).mean(), rel=1e-5)


def test_a_task_from_a_cell_runs_as_a_vector_environment() -> None:
    envs = make_vec(Sideways(num_agents=2), num_swarms=4, flatten=True)
    start, _ = envs.reset(seed=0)
    observations = envs.step(np.ones((8, 2)))[0]
    np.testing.assert_allclose(observations, start + 1, rtol=1e-6)


def test_a_built_in_task_s_object_lives_as_its_name_does() -> None:
    settings: dict[str, Any] = {"num_agents": 2, "horizon": 3}
    by_name, by_object = parallel_env("rendezvous", **settings), parallel_env(make("rendezvous", **settings))
    by_name.reset(seed=1)
    by_object.reset(seed=1)
    np.testing.assert_array_equal(by_name.state(), by_object.state())
    assert by_name.metadata == by_object.metadata


@EVERY
def test_settings_beside_a_task_object_are_refused(environment: Callable[..., Any]) -> None:
    with pytest.raises(SwarmbedError) as caught:
        environment(Sideways(), noise=0.5)
    assert str(caught.value) == (
        "the setting 'noise' goes with a task's name, not with a task object; make it with Sideways(noise=0.5)"
    )


@EVERY
def test_what_is_no_task_is_refused(environment: Callable[..., Any]) -> None:
    with pytest.raises(SwarmbedError, match=r"task must be a task or the name of one, not .*; make one: Sideways\(\)"):
        environment(Sideways)
    with pytest.raises(SwarmbedError, match="task must be a task or the name of one, not 3"):
        environment(3)


def test_short_names_of_the_command_line_are_refused_with_the_field_s_name() -> None:
    with pytest.raises(SwarmbedError, match="has no setting 'agents'; did you mean 'num_agents'"):
        make_vec("pursuit", agents=5)
