"""All interfaces go through the task's one step: the same start and actions give the same states everywhere."""

from functools import cache
from typing import Any, NamedTuple

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed import Observation, Task, make
from swarmbed.interop.gymnasium import env_id, make_vec
from swarmbed.interop.pettingzoo import parallel_env
from toy_task import Drift

SEED, STEPS = 12, 6
# Noise that only equal keys make equal; an oblong world; settings of a variant.
TASKS = {
    "drift": Drift(num_agents=2, noise=0.5, horizon=STEPS),
    "pursuit": make("pursuit", num_agents=3, horizon=STEPS, capture_radius=3.0, width=90.0, height=40.0),
    "rendezvous-local": make("rendezvous-local", num_agents=3, horizon=STEPS),
}


class Trajectory(NamedTuple):
    """One row per step; ``seen`` has one more, for the start."""

    seen: np.ndarray
    reward: np.ndarray
    truncated: np.ndarray
    metrics: np.ndarray


def flat(observation: Observation) -> jax.Array:
    """Everybody's observation as one row: local, then set by set, slot by slot, each with its mask."""
    parts = [observation.local]
    for elements, mask in observation.sets:
        table = jnp.concatenate([elements, mask[..., None]], axis=-1)
        parts.append(table.reshape(len(table), -1))
    return jnp.concatenate(parts, axis=-1)


def random_actions(task: Task) -> np.ndarray:
    return np.random.default_rng(0).uniform(-1, 1, (STEPS, task.num_agents, task.action_size)).astype(np.float32)


@cache
def scanned(task: Task) -> Trajectory:
    """As somebody writes it in JAX, with the keys that the documentation tells."""
    stream, key = jax.random.split(jax.random.key(SEED))
    first, state = jax.jit(task.reset)(key)

    def body(carry: Any, action: Any) -> Any:
        state, stream = carry
        stream, key = jax.random.split(stream)
        step = task.step(key, state, action)
        return (step.state, stream), (step.observation, step.reward, step.truncated, step.info)

    _, (seen, reward, truncated, info) = jax.jit(lambda *start: jax.lax.scan(body, start, random_actions(task)))(
        state, stream
    )
    rows = jax.vmap(flat)(jax.tree.map(lambda start, later: jnp.concatenate([start[None], later]), first, seen))
    return Trajectory(np.asarray(rows), np.asarray(reward), np.asarray(truncated), numbers(task, info))


def numbers(task: Task, info: Any) -> np.ndarray:
    return np.stack([np.asarray(info[metric.name]) for metric in task.metrics], axis=-1)


def in_pettingzoo(task: Task, actions: np.ndarray) -> Trajectory:
    env = parallel_env(task, flatten=True)
    observations, _ = env.reset(seed=SEED)
    seen, rest = [np.stack(list(observations.values()))], []
    for action in actions:
        observations, reward, _, truncated, infos = env.step(dict(zip(env.agents, action, strict=True)))
        seen.append(np.stack(list(observations.values())))
        rest.append((reward["agent_0"], truncated["agent_0"], numbers(task, infos["agent_0"])))
    return Trajectory(np.stack(seen), *map(np.array, zip(*rest, strict=True)))


def in_a_vector_of_agents(task: Task, actions: np.ndarray) -> Trajectory:
    """The second swarm of three."""
    envs = make_vec(task, num_swarms=3, flatten=True)
    mine = slice(task.num_agents, 2 * task.num_agents)
    observations, _ = envs.reset(seed=SEED - 1)
    seen, rest = [observations[mine]], []
    for action in actions:
        everybody = np.zeros((3 * task.num_agents, task.action_size))
        everybody[mine] = action
        observations, reward, _, truncated, infos = envs.step(everybody)
        seen.append(observations[mine])
        rest.append((reward[mine][0], truncated[mine][0], numbers(task, infos)[mine][0]))
    return Trajectory(np.stack(seen), *map(np.array, zip(*rest, strict=True)))


def in_gymnasium(task: Task, actions: np.ndarray) -> Trajectory:
    """By an id; the task itself may be given in place of the one that the id names."""
    env = gymnasium.make(env_id("pursuit"), task=task, flatten=True)
    seen, rest = [env.reset(seed=SEED)[0]], []
    for action in actions:
        observation, reward, _, truncated, info = env.step(action.astype(np.float32))
        seen.append(observation)
        rest.append((reward, truncated, numbers(task, info)))
    return Trajectory(np.stack(seen), *map(np.array, zip(*rest, strict=True)))


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("other", [in_pettingzoo, in_a_vector_of_agents, in_gymnasium])
def test_an_interface_gives_what_a_scan_over_the_task_s_step_gives(name: str, other: Any) -> None:
    task = TASKS[name]
    wanted, found = scanned(task), other(task, random_actions(task))
    np.testing.assert_allclose(found.seen, wanted.seen, atol=2e-5)
    np.testing.assert_allclose(found.reward, wanted.reward, atol=2e-5)
    np.testing.assert_allclose(found.metrics, wanted.metrics, atol=2e-3)
    np.testing.assert_array_equal(found.truncated, wanted.truncated)
    assert wanted.truncated.tolist() == [False] * (STEPS - 1) + [True]


def test_the_age_is_the_state_s_and_nothing_else_counts() -> None:
    env = parallel_env(TASKS["drift"])
    env.reset(seed=0)
    swarms = env._episodes.swarms
    assert swarms is not None
    env._episodes.swarms = swarms._replace(state=swarms.state._replace(age=swarms.state.age + STEPS - 1))
    assert env.step({agent: np.zeros(2) for agent in env.agents})[3] == {"agent_0": True, "agent_1": True}
