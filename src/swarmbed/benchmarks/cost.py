"""What a step costs per agent and per neighbour: a line fitted through swarms of equal size and different density.

    seconds per step = N (a + b k)

with k the mean number of neighbours. ``a`` is what an agent costs by itself: it moves, is sorted into its cell, looks
through the cells around and runs the policy's head; ``b`` is what each neighbour adds: it is sensed and embedded.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import pi
from typing import Any

import jax
import numpy as np
from numpy.typing import ArrayLike

from swarmbed.benchmarks import Column, Effort, Group, Row
from swarmbed.benchmarks.scale import runner_of, swarm_of
from swarmbed.benchmarks.timing import repeat_in_turn, rounded

AGENTS = 2_000
NEIGHBOURS = (5, 10, 20, 40, 80)  # of an agent far from any border; 10 in the paper
UNITS, FEATURES = 64, 5  # of the embedding, and numbers about a neighbour in the extended set
OPERATIONS = UNITS * (2 * FEATURES + 3)  # per neighbour: products and sums of a layer, bias, ReLU, pooling


def measure(name: str, effort: Effort) -> dict[str, Any]:
    policy, task = swarm_of(name, AGENTS, constant_density=True)
    radius = task.comm_range
    sides = [(AGENTS * pi * radius**2 / count) ** 0.5 for count in NEIGHBOURS]
    tasks = [replace(task, width=side, height=side) for side in sides]
    counts = [float(jax.jit(t.neighbourhood_sizes)(t.initial(jax.random.key(0))).mean()) for t in tasks]
    runners = [runner_of(policy, t) for t in tasks]
    timings = repeat_in_turn([call for _, call in runners], effort.repetitions)
    per_step = [timing.processor / steps for timing, (steps, _) in zip(timings, runners, strict=True)]
    alone, each, error = line_through(counts, np.array(per_step) / AGENTS)
    return {
        "agent_microseconds": rounded(1e6 * alone, 3),
        "neighbour_nanoseconds": rounded(1e9 * each, 3),
        "neighbour_gflops": rounded(OPERATIONS / each / 1e9, 3),
        "worst_error": rounded(error, 2),
        "neighbours": [rounded(count, 3) for count in counts],
        "seconds_per_step": [rounded(seconds) for seconds in per_step],
        "agents": AGENTS,
    }


def line_through(x: Sequence[float], y: ArrayLike) -> tuple[float, float, float]:
    """a and b of a + b x with the least relative errors, and the largest relative error that is left."""
    wanted = np.asarray(y, np.float64)
    terms = np.stack([np.ones(len(x)), np.asarray(x, np.float64)], axis=1)
    (a, b), *_ = np.linalg.lstsq(terms / wanted[:, None], np.ones(len(x)), rcond=None)
    error = np.abs(terms @ np.array([a, b]) / wanted - 1).max()
    return float(a), float(b), float(error)


GROUP = Group(
    title="Cost of a step",
    note=f"Processor time of a step of {AGENTS:,} agents with {NEIGHBOURS[0]} to {NEIGHBOURS[-1]} neighbours each, as "
    f"N (a + b k), fitted by least relative squares. GFLOP/s: {OPERATIONS} operations per neighbour over b, which also "
    "holds the search and the sensing. error: the largest of a fitted time.",
    columns=(
        Column("agent_microseconds", "a, µs per agent", ".2f"),
        Column("neighbour_nanoseconds", "b, ns per neighbour", ".0f"),
        Column("neighbour_gflops", "GFLOP/s", ".1f"),
        Column("worst_error", "error", ".0%"),
    ),
    rows=tuple(
        Row(f"cost-{name}", f"{name}, NN, extended set", partial(measure, name))
        for name in ("rendezvous-local", "pursuit-local")
    ),
    position=16,
)
