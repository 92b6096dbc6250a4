"""Swarms of 100 to 10,000 agents with their policy in the loop, on one core: speed, memory, and how the cost grows.

Every call runs one swarm from the same random start for a few steps, through the same functions as evaluation. Either
the world grows with the swarm, and an agent has about ten neighbours as in the paper; or it stays the paper's, and half
of the swarm is every agent's neighbour.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from swarmbed.benchmarks import Column, Effort, Group, Row
from swarmbed.benchmarks.timing import repeat, repeat_in_turn, rounded
from swarmbed.compute import compiling
from swarmbed.learn.rollout import step_keys
from swarmbed.policy.find import load_policy
from swarmbed.policy.policy import Policy
from swarmbed.tasks.base import Task
from swarmbed.tasks.swarm import SwarmTask

SIZES = (100, 300, 1_000, 3_000, 10_000)
AGENT_STEPS = 40_000  # of a call, about
DENSITY = 20 / 100**2  # agents per area in the paper


def swarm_of(name: str, agents: int, constant_density: bool) -> tuple[Policy, SwarmTask]:
    """The shipped policy of a task, and the task with this many agents."""
    policy = load_policy(f"{name}-nn-extended")
    task = policy.task.resized(agents)
    assert isinstance(task, SwarmTask)
    side = (agents / DENSITY) ** 0.5
    return policy, replace(task, width=side, height=side) if constant_density else task


def runner_of(policy: Policy, task: Task) -> tuple[int, Callable[[], Any]]:
    """How many steps a call makes, and the call."""
    steps = max(2, AGENT_STEPS // task.num_agents)
    key = jax.random.key(0)

    def run(state: Any) -> Any:
        def step(state: Any, time: Array) -> tuple[Any, Any]:
            act_key, move_key = step_keys(key, time)
            overlooked = task.overlooked(state)
            moved = task.advance(move_key, state, policy.control(task, state, act_key))
            return moved.state, (moved.reward, overlooked)

        return lax.scan(step, state, jnp.arange(steps))

    compiled = jax.jit(run, compiler_options=compiling.often())
    start = task.initial(key)
    return steps, lambda: compiled(start)


def measure(name: str, agents: int, constant_density: bool, effort: Effort) -> dict[str, Any]:
    policy, task = swarm_of(name, agents, constant_density)
    steps, call = runner_of(policy, task)
    timing = repeat(call, effort.repetitions)
    _, (_, overlooked) = call()
    return {
        "steps_per_second": rounded(steps / timing.median),
        "steps_per_processor_second": rounded(steps / timing.processor),
        "agent_steps_per_second": rounded(steps * agents / timing.median),
        "agents": agents,
        "slots": task.slots,
        "search": "all pairs" if task.cells is None else "cells",
        "overlooked": 0 if overlooked is None else int(overlooked.sum()),
        **timing.facts(),
    }


def growth(name: str, effort: Effort) -> dict[str, Any]:
    """The exponent p in cost ∝ Nᵖ at constant density from 1,000 agents on, all sizes measured in turn."""
    sizes = [size for size in SIZES if size >= 1_000]
    runners = [runner_of(*swarm_of(name, size, True)) for size in sizes]
    timings = repeat_in_turn([call for _, call in runners], effort.repetitions)
    # By processor time, and round by round: what slows the machine slows all sizes of a round.
    per_step = np.array(
        [np.divide(timing.processor_seconds, steps) for timing, (steps, _) in zip(timings, runners, strict=True)]
    )
    exponents = np.polyfit(np.log(sizes), np.log(per_step), 1)[0]
    low, middle, high = np.quantile(exponents, [0.25, 0.5, 0.75])
    return {"exponent": rounded(middle, 3), "exponent_quartiles": [rounded(low, 3), rounded(high, 3)]}


def _rows() -> tuple[Row, ...]:
    rows = []
    for name in ("rendezvous-local", "pursuit-local"):
        for constant, world in ((True, "growing world"), (False, "paper's world")):
            for size in SIZES:
                label = f"scale-{name}-{size}" + ("" if constant else "-paper")
                rows.append(Row(label, f"{name}, {world}, N = {size:,}", partial(measure, name, size, constant)))
        rows.append(Row(f"scale-{name}-growth", f"{name}, growing world, cost ∝ Nᵖ", partial(growth, name)))
    return tuple(rows)


GROUP = Group(
    title="Scale",
    note="Steps per second of one swarm with its policy (NN, extended set) in the loop, one core, from a random start. "
    "growing world: 20 agents per 100 × 100 units as in the paper; paper's world: 100 × 100 units for all. p: exponent "
    "of the cost per step in N from 1,000 to 10,000 agents, median over rounds.",
    columns=(
        Column("steps_per_second", "steps/s", ",.1f"),
        Column("steps_per_processor_second", "per CPU s", ",.1f"),
        Column("agent_steps_per_second", "agent steps/s", ",.0f"),
        Column("peak_memory_mib", "peak MiB", ",.0f"),
        Column("search", "search"),
        Column("slots", "slots", "d"),
        Column("exponent", "p", ".2f"),
        Column("compile_seconds", "compile s", ".0f"),
    ),
    rows=_rows(),
    position=15,
)
