"""Time of one agent's decision: the policy in JAX, in onnxruntime and in C, on one core.

The policy is that of rendezvous with the extended set: 7 numbers per neighbour, 64 neural features, mean, 64 hidden
units. Weights are random, which costs the same as trained ones.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from swarmbed.algorithms.base import PolicyParams
from swarmbed.benchmarks import Column, Effort, Group, Row
from swarmbed.benchmarks.timing import repeat, rounded
from swarmbed.compute.c_compiler import find_compiler
from swarmbed.embeddings.neural import Neural
from swarmbed.export import c_header, onnx
from swarmbed.export.c_compile import compile_header
from swarmbed.export.function import Exported, exported, random_inputs
from swarmbed.networks.perceptron import Perceptron
from swarmbed.policy.policy import Policy
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks import make

NEIGHBOURS = (19, 99)  # swarms of 20 and of 100
PAPER_MICROSECONDS = 1000.0
CALLS = 1000  # decisions per call into C, which are too short to be timed one by one

# A function of the inputs → something to time, and how many decisions that is.
Decide = Callable[[Exported, list[np.ndarray]], tuple[Callable[[], Any], int]]


def measure(decide: Decide, effort: Effort) -> dict[str, Any]:
    """Microseconds per decision, with few neighbours and with many."""
    made = exported(random_policy())
    facts: dict[str, Any] = {"paper_microseconds": PAPER_MICROSECONDS}
    for count in NEIGHBOURS:
        effort.say(f"{count} neighbours")
        arrays = [array[1:] for array in random_inputs(made, count, batch=2)]  # the second agent sees all others
        call, decisions = decide(made, arrays)
        timing = repeat(call, effort.repetitions)
        facts[f"microseconds_{count}"] = rounded(1e6 * timing.median / decisions, 4)
        facts[f"processor_microseconds_{count}"] = rounded(1e6 * timing.processor / decisions, 4)
        if count == NEIGHBOURS[0]:
            facts |= timing.facts()
    return facts


def random_policy() -> Policy:
    task, embedding, network = make("rendezvous"), Neural(), Perceptron()
    model = network.model(task.layout, embedding, task.action_size)
    params = PolicyParams(model.init(jax.random.key(0)), jnp.zeros(task.action_size))
    return Policy(task, embedding, params, network)


def in_jax(made: Exported, arrays: list[np.ndarray]) -> tuple[Callable[[], Any], int]:
    function = jax.jit(made.function)
    return lambda: np.asarray(function(*arrays)), 1


def in_onnxruntime(made: Exported, arrays: list[np.ndarray]) -> tuple[Callable[[], Any], int]:
    run = onnx.open_model(made, onnx.convert(made, "policy"))
    return lambda: run(arrays), 1


def in_c(made: Exported, arrays: list[np.ndarray]) -> tuple[Callable[[], Any], int]:
    compiler = find_compiler()
    if compiler is None:
        raise SwarmbedError("no C compiler (cc, gcc or clang) is installed")
    compiled = compile_header(compiler, c_header.convert(made, "policy").decode(), ("-std=c99", "-O3"))
    local, elements = arrays[0][0], arrays[1][0]
    return lambda: compiled.repeat(CALLS, [local], [elements], len(made.description.action)), CALLS


GROUP = Group(
    title="One agent's decision",
    note="Microseconds from an agent's observation to its action, one core, one agent at a time, with 19 and with 99 "
    "neighbours. C is compiled with -O3. paper: about 1 ms for a forward pass.",
    columns=(
        Column("microseconds_19", "µs (19)", ".1f"),
        Column("processor_microseconds_19", "CPU µs (19)", ".1f"),
        Column("microseconds_99", "µs (99)", ".1f"),
        Column("processor_microseconds_99", "CPU µs (99)", ".1f"),
        Column("paper_microseconds", "paper", ",.0f"),
    ),
    rows=(
        Row("decision-jax", "JAX, compiled", partial(measure, in_jax)),
        Row("decision-onnx", "onnxruntime", partial(measure, in_onnxruntime)),
        Row("decision-c", "C", partial(measure, in_c)),
    ),
    position=40,
)
