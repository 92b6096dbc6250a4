"""Swarms of 5 to 50 agents in one batch against swarms of 50: a TRPO iteration of each, per pair that is sensed."""

import statistics
from functools import partial
from typing import Any

import numpy as np

from swarmbed.benchmarks import Column, Effort, Group, Row
from swarmbed.benchmarks.timing import repeat_in_turn, rounded
from swarmbed.benchmarks.training import ALGORITHM, iterations
from swarmbed.compute import devices
from swarmbed.embeddings.neural import Neural
from swarmbed.learn.learner import BatchSettings, Learner
from swarmbed.tasks import make

SMALLEST, LARGEST = 5, 50
BATCH = BatchSettings()


def measure(task: str, effort: Effort) -> dict[str, Any]:
    """Both in one process and in turn."""
    devices.set_up(1, cache=False)
    sizes = tuple(range(SMALLEST, LARGEST + 1))
    swarms = {"mixed": make(task, num_agents=LARGEST, sizes=sizes), "largest": make(task, num_agents=LARGEST)}
    calls = [iterations(Learner(swarm, Neural(), ALGORITHM, BATCH), 1) for swarm in swarms.values()]
    mixed, largest = repeat_in_turn(calls, effort.repetitions, at_least=0)
    pairs, most = (BATCH.environments * BATCH.segment * sensed(n) for n in (sizes, (LARGEST,)))
    ratios = [(one / pairs) / (other / most) for one, other in zip(mixed.seconds, largest.seconds, strict=True)]
    return {
        "seconds": rounded(mixed.median, 4),
        "seconds_largest": rounded(largest.median, 4),
        "saved": rounded(largest.median / mixed.median, 3),
        "nanoseconds_per_pair": rounded(1e9 * mixed.median / pairs, 3),
        "nanoseconds_per_pair_largest": rounded(1e9 * largest.median / most, 3),
        "per_pair": rounded(statistics.median(ratios), 3),
        "compile_seconds": rounded(mixed.compile_seconds, 3),
    }


def sensed(sizes: tuple[int, ...]) -> float:
    """Pairs that a swarm senses in a step, when it runs and when the batch is built from a few of its agents."""
    agents = np.array(sizes)
    return float(((agents + np.minimum(agents, BATCH.sampled_agents)) * (agents - 1)).mean())


GROUP = Group(
    title="Sizes mixed in one batch",
    note=f"Seconds for one TRPO iteration with swarms of {SMALLEST} to {LARGEST} agents, and with {LARGEST} in every "
    "swarm, on one core, in turn; then per pair of agents that is sensed, in the rollout and by the sampled agents. "
    "per pair: mixed ÷ largest, median over rounds.",
    columns=(
        Column("seconds", "s, mixed", ".2f"),
        Column("seconds_largest", "s, largest", ".2f"),
        Column("saved", "largest ÷ mixed", ".2f"),
        Column("nanoseconds_per_pair", "ns/pair, mixed", ".0f"),
        Column("nanoseconds_per_pair_largest", "ns/pair, largest", ".0f"),
        Column("per_pair", "per pair", ".2f"),
        Column("compile_seconds", "compile s", ".0f"),
    ),
    rows=tuple(
        Row(f"mixed-{task}", f"{task}, {SMALLEST} to {LARGEST}", partial(measure, task))
        for task in ("rendezvous", "pursuit")
    ),
    position=32,
)
