"""Environment steps per second on one core: dynamics, rewards, ends, resets and what every agent observes.

All episodes run under uniformly random actions, through the same rollout that training uses. Every array of every
observation is summed into the result, so the compiler has to compute it. The batch is the number of environments that
advance together; several sizes are tried, and the fastest is measured.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, PRNGKeyArray

from swarmbed.benchmarks import Column, Effort, Group, Row
from swarmbed.benchmarks.timing import Timing, repeat, rounded
from swarmbed.compute import compiling
from swarmbed.learn.rollout import Environments, rollout, start
from swarmbed.tasks import make
from swarmbed.tasks.base import Observation, State, Task

BATCH_SIZES = (8, 16, 32, 64, 128)
QUICK_BATCH_SIZES = (16, 64)
STEPS_PER_CALL = 4096  # environment steps, whatever the batch


@dataclass(frozen=True)
class Case:
    """A task, and the speed of the authors' numpy simulator on it: one core, observations included."""

    name: str
    title: str
    task: str
    numpy_steps_per_second: float
    required_ratio: float
    settings: dict[str, Any] = field(default_factory=dict)

    def measure(self, effort: Effort) -> dict[str, Any]:
        task = make(self.task, **self.settings)
        batch, tried, timing = fastest_batch(task, effort)
        speed = STEPS_PER_CALL / timing.median
        return {
            "steps_per_second": rounded(speed),
            "steps_per_second_best": rounded(STEPS_PER_CALL / timing.best),
            "steps_per_processor_second": rounded(STEPS_PER_CALL / timing.processor),
            "agent_steps_per_second": rounded(speed * task.num_agents),
            "million_agent_steps_per_second": rounded(speed * task.num_agents / 1e6),
            "numpy_steps_per_second": self.numpy_steps_per_second,
            "ratio": rounded(speed / self.numpy_steps_per_second, 4),
            "required_ratio": self.required_ratio,
            "agents": task.num_agents,
            "observation": getattr(task, "observation", ""),
            "batch": batch,
            "steps_per_second_by_batch": tried,
            **timing.facts(),
        }


def fastest_batch(task: Task, effort: Effort) -> tuple[int, dict[str, float], Timing]:
    """Try the batch sizes shortly, then measure the best: that size, the speed of each, and the timing."""
    sizes = QUICK_BATCH_SIZES if effort.quick else BATCH_SIZES
    trials: dict[int, tuple[Timing, Callable[[], Array]]] = {}
    for size in sizes:
        effort.say(f"batch of {size}")
        call = stepper(task, size, STEPS_PER_CALL // size)
        trials[size] = repeat(call, max(effort.repetitions // 2, 1)), call
    tried = {str(size): rounded(STEPS_PER_CALL / timing.median) for size, (timing, _) in trials.items()}
    best = min(trials, key=lambda size: trials[size][0].median)
    effort.say(f"batch of {best}, the fastest")
    trial, call = trials[best]
    # Chosen by one set of repetitions and measured by another, so the choice does not bias the figure.
    timing = repeat(call, effort.repetitions)
    return best, tried, replace(timing, compile_seconds=trial.compile_seconds)


def stepper(task: Task, num_envs: int, num_steps: int) -> Callable[[], Array]:
    """A function that takes a batch of environments ``num_steps`` further each time it is called."""
    run = lambda environments, key: advanced(task, environments, key, num_steps)  # noqa: E731
    advance = jax.jit(run, compiler_options=compiling.often())  # as training is compiled
    start_key, key = jax.random.split(jax.random.key(0))
    environments = start(task, start_key, num_envs)

    def call() -> Array:
        nonlocal environments, key
        environments, key, total = advance(environments, key)
        return total

    return call


def advanced(
    task: Task, environments: Environments, key: PRNGKeyArray, num_steps: int
) -> tuple[Environments, PRNGKeyArray, Float[Array, ""]]:
    """The environments ``num_steps`` later, a new key, and the sum of all observations and rewards on the way."""
    rollout_key, next_key = jax.random.split(key)
    everybody = jnp.arange(task.num_agents)
    shape = (environments.episode_return.shape[0], task.num_agents, task.action_size)

    def act(state: State, transmitted: Array | None, act_key: PRNGKeyArray) -> tuple[Array, Array]:
        observe = jax.vmap(lambda one, sent: task.observe_from(one, everybody, sent))
        return jax.random.uniform(act_key, shape, minval=-1.0, maxval=1.0), total_of(observe(state, transmitted))

    environments, segment = rollout(task, act, environments, rollout_key, num_steps)
    return environments, next_key, segment.steps.extra.sum() + segment.steps.reward.sum()


def total_of(observation: Observation) -> Float[Array, ""]:
    """One number that depends on every number of an observation, masks included."""
    return jnp.stack([leaf.sum(dtype=jnp.float32) for leaf in jax.tree.leaves(observation)]).sum()


CASES = (
    Case("rendezvous-20", "rendezvous, N = 20", "rendezvous", 358, 100),
    Case("rendezvous-100", "rendezvous, N = 100", "rendezvous", 74, 50, {"num_agents": 100}),
    Case("rendezvous-local", "rendezvous local, comm, N = 20", "rendezvous-local", 486, 100, {"observation": "comm"}),
    Case("pursuit-10", "pursuit, N = 10", "pursuit", 385, 100),
    Case("pursuit-local", "pursuit local, comm, N = 20", "pursuit-local", 261, 100, {"observation": "comm"}),
    Case("multi-pursuit", "multi-pursuit, 50 + 5", "multi-pursuit", 78, 50),
)

GROUP = Group(
    title="Simulator",
    note="Environment steps per second, one core, random actions, all observations of all agents (extended set unless "
    "noted). numpy: the authors' simulator. ratio: to that; target: the ratio to reach.",
    columns=(
        Column("steps_per_second", "steps/s", ",.0f"),
        Column("steps_per_second_best", "best", ",.0f"),
        Column("steps_per_processor_second", "per CPU s", ",.0f"),
        Column("million_agent_steps_per_second", "M agent steps/s", ".2f"),
        Column("numpy_steps_per_second", "numpy", ",.0f"),
        Column("ratio", "ratio", ",.0f"),
        Column("required_ratio", "target", ",.0f"),
        Column("batch", "batch", "d"),
        Column("compile_seconds", "compile s", ".1f"),
    ),
    rows=tuple(Row(case.name, case.title, case.measure) for case in CASES),
    position=10,
)
