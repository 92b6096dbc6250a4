"""What a training run and one decision of one agent cost on this machine."""

import math
import statistics
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from swarmbed.controllers.voronoi_pursuit import VoronoiPursuit
from swarmbed.embeddings.neural import Neural
from swarmbed.networks.perceptron import Perceptron
from swarmbed.run.folder import read_rows
from swarmbed.study.budget import Budget
from swarmbed.study.store import Store, run_name
from swarmbed.tasks import make

CALLS = 300
DECIDING = (10, 20, 50)
OBSERVING = (10, 20, 50, 100, 200)


def measure_cost(store: Store, budget: Budget) -> dict[str, Any]:
    """What every run took, and microseconds of one decision: network against Voronoi control."""
    return {
        "paper": {"training_hours": [4, 6], "cores": 10, "forward_pass_microseconds": 1000},
        **training_cost(store),
        "decision_microseconds": {str(agents): _decisions(agents) for agents in DECIDING},
        "observation_bytes": {str(agents): _observation_bytes(agents) for agents in OBSERVING},
    }


def training_cost(store: Store) -> dict[str, Any]:
    """Seconds of every run. The clock also counts what other work on the machine took; processor seconds do not."""
    runs: dict[str, float] = {}
    worked: dict[str, float] = {}
    for path in sorted((store.results / "runs").glob("*/seed-*.csv")):
        if rows := read_rows(path):
            name = run_name(path)
            runs[name] = rows[-1]["seconds"]
            if not math.isnan(processor := rows[-1].get("processor_seconds", math.nan)):
                worked[name] = processor
    return {
        "training_seconds": runs,
        "training_processor_seconds": worked,
        "median_training_minutes": statistics.median(runs.values()) / 60 if runs else None,
        "median_training_processor_minutes": statistics.median(worked.values()) / 60 if worked else None,
    }


def _decisions(agents: int) -> dict[str, float]:
    """One agent deciding alone, as on a robot; and all at once, as in a simulation, divided by their number."""
    task = make("pursuit", num_agents=agents)
    network = Perceptron().model(task.layout, Neural(), task.action_size)
    params = network.init(jax.random.key(0))
    state = task.initial(jax.random.key(1))
    seen = task.observe(state)
    alone = jax.tree.map(lambda leaf: leaf[:1], seen)
    forward = jax.jit(lambda observation: network.apply(params, network.prepare(observation)))
    controller = VoronoiPursuit()
    control = jax.jit(lambda state: controller.control(task, state, jax.random.key(0)))
    return {
        "network_alone": microseconds(lambda: forward(alone)),
        "network_of_all": microseconds(lambda: forward(seen)) / agents,
        "voronoi_of_all": microseconds(lambda: control(state)) / agents,
    }


def _observation_bytes(agents: int) -> int:
    """What all agents together observe in one step of rendezvous; the sets make it grow with N (N − 1)."""
    task = make("rendezvous", num_agents=agents)
    seen = jax.eval_shape(lambda key: task.observe(task.initial(key)), jax.random.key(0))
    return sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(seen))


def microseconds(call: Callable[[], jnp.ndarray]) -> float:
    """Median time of a compiled call."""
    jax.block_until_ready(call())
    times = []
    for _ in range(CALLS):
        began = time.perf_counter()
        jax.block_until_ready(call())
        times.append(time.perf_counter() - began)
    return 1e6 * statistics.median(times)
