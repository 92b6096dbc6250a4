"""Swarms of 5 to 50 agents in one batch against swarms of 50, and against one training for each size: a TRPO iteration.

A part of an iteration does not depend on neighbours, so a pair costs more in a small swarm than in a large one, mixed
or not. The trainings of single sizes tell how much of the difference that is.

Pairs are counted in two ways: each that is sensed once, or as often as the update passes it through the embedding. A
swarm of n gives n (n − 1) pairs to the rollout but 8 (n − 1) to the update, which passes each of them many times.
"""

import statistics
from collections.abc import Sequence
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
# Single sizes that are measured besides; the cost of others lies on lines between them.
BETWEEN, BETWEEN_IF_QUICK = (16, 28, 39), (28,)
BATCH = BatchSettings()


def measure(task: str, effort: Effort) -> dict[str, Any]:
    """All in one process and in turn."""
    devices.set_up(1, cache=False)
    sizes = tuple(range(SMALLEST, LARGEST + 1))
    singles = (SMALLEST, *(BETWEEN_IF_QUICK if effort.quick else BETWEEN), LARGEST)
    swarms = [make(task, num_agents=LARGEST, sizes=sizes), *(make(task, num_agents=n) for n in singles)]
    calls = [iterations(Learner(swarm, Neural(), ALGORITHM, BATCH), 1) for swarm in swarms]
    mixed, *alone = repeat_in_turn(calls, effort.repetitions, at_least=0)
    largest = alone[-1]
    pairs, most = (BATCH.environments * BATCH.segment * sensed(n) for n in (sizes, (LARGEST,)))
    each_alone = [mean_over(sizes, singles, taken) for taken in zip(*(one.seconds for one in alone), strict=True)]
    cost = median_ratio(mixed.seconds, largest.seconds)
    cost_alone = median_ratio(each_alone, largest.seconds)
    fewer, less = sensed(sizes) / sensed((LARGEST,)), passed(sizes) / passed((LARGEST,))
    return {
        "seconds": rounded(mixed.median, 4),
        "seconds_largest": rounded(largest.median, 4),
        "seconds_alone": rounded(statistics.median(each_alone), 4),
        "saved": rounded(largest.median / mixed.median, 3),
        "nanoseconds_per_pair": rounded(1e9 * mixed.median / pairs, 3),
        "nanoseconds_per_pair_largest": rounded(1e9 * largest.median / most, 3),
        "per_pair": rounded(cost / fewer, 3),
        "per_pair_alone": rounded(cost_alone / fewer, 3),
        "per_pass": rounded(cost / less, 3),
        "per_pass_alone": rounded(cost_alone / less, 3),
        "compile_seconds": rounded(mixed.compile_seconds, 3),
    }


def median_ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Of times that were measured in turn."""
    return statistics.median(one / other for one, other in zip(ours, theirs, strict=True))


def mean_over(sizes: tuple[int, ...], singles: tuple[int, ...], seconds: tuple[float, ...]) -> float:
    """The mean cost of these sizes, each trained alone, from the seconds of a few of them."""
    return float(np.interp(sizes, singles, seconds).mean())


def sensed(sizes: tuple[int, ...]) -> float:
    """Pairs that a swarm senses in a step, when it runs and when the batch is built from a few of its agents."""
    agents = np.array(sizes)
    return float(((agents + np.minimum(agents, BATCH.sampled_agents)) * (agents - 1)).mean())


def passed(sizes: tuple[int, ...]) -> float:
    """Operations of the embedding in a step, in forward passes of one pair: a gradient takes three, a Fisher product
    five (as in the kernels' benchmark)."""
    agents = np.array(sizes)
    products = 5 * ALGORITHM.cg_steps / ALGORITHM.fisher_every
    gradients = 3 * (1 + ALGORITHM.value_epochs)
    update = gradients + products + 2  # building the batch and the line search are forward passes
    return float(((agents + update * np.minimum(agents, BATCH.sampled_agents)) * (agents - 1)).mean())


GROUP = Group(
    title="Sizes mixed in one batch",
    note=f"Seconds for one TRPO iteration with swarms of {SMALLEST} to {LARGEST} agents, and with {LARGEST} in every "
    "swarm, on one core, in turn; alone: mean of trainings with a single size, as if mixing were free. Then per pair "
    "of agents that is sensed, in the rollout and by the sampled agents. per pair: mixed ÷ largest, median over "
    "rounds; if free: alone ÷ largest. per pass: the same per operation of the embedding, which the update passes its "
    "pairs through many times.",
    columns=(
        Column("seconds", "s, mixed", ".2f"),
        Column("seconds_largest", "s, largest", ".2f"),
        Column("seconds_alone", "s, alone", ".2f"),
        Column("saved", "largest ÷ mixed", ".2f"),
        Column("nanoseconds_per_pair", "ns/pair, mixed", ".0f"),
        Column("nanoseconds_per_pair_largest", "ns/pair, largest", ".0f"),
        Column("per_pair", "per pair", ".2f"),
        Column("per_pair_alone", "if free", ".2f"),
        Column("per_pass", "per pass", ".2f"),
        Column("per_pass_alone", "if free", ".2f"),
        Column("compile_seconds", "compile s", ".0f"),
    ),
    rows=tuple(
        Row(f"mixed-{task}", f"{task}, {SMALLEST} to {LARGEST}", partial(measure, task))
        for task in ("rendezvous", "pursuit")
    ),
    position=32,
)
