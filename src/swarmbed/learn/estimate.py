"""What a run needs, from shapes alone: nothing is compiled or allocated to find out.

Memory counts the arrays that have to exist at the same time; time takes what one number of an observation costs on one
core of a server (:data:`SECONDS_PER_NUMBER`). Both are rough, meant to distinguish minutes from years.
"""

from functools import lru_cache
from math import prod
from typing import Any

import jax

from swarmbed.learn.learner import GROUP, Learner
from swarmbed.spec import limits
from swarmbed.spec.registry import task_name
from swarmbed.tasks.base import Task

SECONDS_PER_NUMBER = 1.5e-8  # 20 agents, 7 numbers about each neighbour: 42 µs per step with a policy of 64 units
COPIES = 3  # of an observation at a time: sensed, masked, embedded
LEARNING = 5  # an iteration takes about five times its simulation


@lru_cache(maxsize=256)
def state_bytes(task: Task) -> int:
    """The state of one swarm."""
    return _bytes(jax.eval_shape(task.initial, jax.random.key(0)))


def swarm_bytes(task: Task) -> int:
    """One swarm while it takes a step: its state and what all agents sense."""
    return state_bytes(task) + COPIES * _bytes(task.observation_shape)


def check_swarm(task: Task) -> None:
    """Whether one swarm fits at all."""
    limits.check_memory(_who(task), swarm_bytes(task))


def check_episodes(task: Task, episodes: int, side_by_side: int, steps: int, *, keep_states: bool = False) -> None:
    """Whether this many episodes of this many steps fit, some of which run at the same time."""
    what = f"{_who(task)}, {episodes} episode{'s' if episodes != 1 else ''} of {steps} steps"
    kept = 8 * (steps + 1) * episodes * (1 + len(task.metrics))
    if keep_states:
        kept += 2 * (steps + 1) * episodes * state_bytes(task)
    limits.check_memory(what, kept + side_by_side * swarm_bytes(task))
    limits.check_time(what, steps * episodes * _step_seconds(task))


def check_training(learner: Learner, num_devices: int) -> None:
    """Whether an iteration fits: the states of the whole batch, the swarms that run side by side, all weights."""
    task, batch = learner.task, learner.batch
    what = f"training {_who(task)}, {batch.environments} environments, segments of {batch.segment}"
    weights = jax.eval_shape(lambda key: learner.init(key)[1:4], jax.random.key(0))  # policy, memory, critic
    stored = 2 * batch.environments * batch.segment * state_bytes(task)
    running = min(batch.environments, GROUP * num_devices) * swarm_bytes(task)
    limits.check_memory(what, stored + running + 4 * _bytes(weights))
    limits.check_time(
        f"one iteration of {what}", LEARNING * batch.environments * batch.segment * _step_seconds(task) / num_devices
    )


def _step_seconds(task: Task) -> float:
    return SECONDS_PER_NUMBER * (_numbers(task.observation_shape) + task.num_agents)


def _who(task: Task) -> str:
    return f"{task_name(task)} with {task.num_agents} agents"


def _numbers(tree: Any) -> int:
    return sum(prod(leaf.shape) for leaf in jax.tree.leaves(tree))


def _bytes(tree: Any) -> int:
    return sum(prod(leaf.shape) * leaf.dtype.itemsize for leaf in jax.tree.leaves(tree))
