"""A whole swarm as one environment, and the ids under which Gymnasium knows the tasks."""

import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from swarmbed import SwarmbedError, make
from swarmbed.interop.gymnasium import SwarmEnv, SwarmVectorEnv, env_id
from swarmbed.spec import registry
from toy_task import Drift
from vector_lives import assert_same_lives

PURSUIT: dict[str, Any] = {"num_agents": 2, "horizon": 4, "capture_radius": 25.0}
MODES = [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP]
# What Gymnasium's checker says of any observation that has no limits; everything else is an error.
unbounded = pytest.mark.filterwarnings("error", "ignore:.*A Box observation space m:UserWarning")


@unbounded
@pytest.mark.parametrize("name", ["rendezvous", "pursuit", "multi_pursuit"])
def test_every_task_passes_gymnasium_s_checker(name: str) -> None:
    check_env(gymnasium.make(env_id(name), num_agents=2, horizon=3, render_mode="rgb_array").unwrapped)


@unbounded
def test_flattened_observations_pass_gymnasium_s_checker() -> None:
    check_env(gymnasium.make("swarmbed/Pursuit-v0", flatten=True, **PURSUIT).unwrapped)


def test_every_task_and_variant_has_an_id_with_its_settings() -> None:
    for name in [*("rendezvous", "pursuit", "multi_pursuit"), *registry.tasks.variants]:
        spec = gymnasium.spec(env_id(name))
        assert make(spec.kwargs["task"]) == make(name)
    assert env_id("pursuit-local") == "swarmbed/PursuitLocal-v0"
    task = gymnasium.make("swarmbed/PursuitLocal-v0", num_agents=3).unwrapped.task  # type: ignore[attr-defined]
    assert (task.num_agents, task.comm_radius, task.sight_radius) == (3, 40.0, 20.0)


def test_an_id_that_names_its_module_needs_no_import() -> None:
    code = (
        "import gymnasium; env = gymnasium.make('swarmbed.interop.gymnasium:swarmbed/Rendezvous-v0', num_agents=2);"
        "print(env.action_space.shape)"
    )
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert made.stdout == "(2, 2)\n"


def test_actions_and_observations_have_a_row_for_every_agent() -> None:
    env = gymnasium.make("swarmbed/Pursuit-v0", num_agents=3)
    assert env.action_space == gymnasium.spaces.Box(-1.0, 1.0, (3, 2), np.float32)
    observation, info = env.reset(seed=0)
    assert {name: rows.shape for name, rows in observation.items()} == {
        "local": (3, 3), "set_0": (3, 3, 5), "mask_0": (3, 3),
    }  # fmt: skip
    assert info.keys() - {"present"} == {metric.name for metric in make("pursuit").metrics}
    np.testing.assert_array_equal(info["present"], [True] * 3)


@pytest.mark.parametrize("mode", MODES)
def test_many_at_a_time_do_exactly_what_gymnasium_s_own_vector_environment_does(mode: AutoresetMode) -> None:
    ours = gymnasium.make_vec("swarmbed/Pursuit-v0", num_envs=3, autoreset_mode=mode, **PURSUIT)
    theirs = gymnasium.make_vec(
        "swarmbed/Pursuit-v0", num_envs=3, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, **PURSUIT
    )
    assert isinstance(ours.unwrapped, SwarmVectorEnv)
    assert ours.num_envs == theirs.num_envs == 3
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert_same_lives(ours, theirs, seed=5)


def test_an_environment_s_spec_as_json_makes_it_again() -> None:
    made = gymnasium.make("swarmbed/Pursuit-v0", **PURSUIT)
    assert made.spec is not None
    again = gymnasium.make(gymnasium.envs.registration.EnvSpec.from_json(made.spec.to_json()))
    assert again.unwrapped.task == made.unwrapped.task  # type: ignore[attr-defined]


@pytest.mark.parametrize("seed", [-1, True])
def test_a_seed_that_is_no_whole_number_is_refused(seed: Any) -> None:
    with pytest.raises(SwarmbedError, match="seed must be a whole number"):
        SwarmEnv(Drift()).reset(seed=seed)


def test_wrong_actions_are_refused_in_one_sentence() -> None:
    env = SwarmEnv(Drift())
    with pytest.raises(SwarmbedError, match="step was called before reset"):
        env.step(np.zeros((3, 2)))
    env.reset(seed=0)
    with pytest.raises(SwarmbedError, match=r"actions of the swarm must have shape \(3, 2\), not \(2,\)"):
        env.step(np.zeros(2))
