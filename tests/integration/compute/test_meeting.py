"""Means over the devices of one process that wait awake for each other: the numbers of XLA's own collective.

The devices of this process are made when the first test computes something, so several live in a process of their own.
"""

import json
import subprocess
import sys
from functools import cache
from typing import Any

import pytest

from swarmbed.compute.c_compiler import find_compiler

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="no C compiler: there is nothing to meet in")

BEGINNING = """
import json
import jax, jax.numpy as jnp, numpy as np
from jax import lax
from jax.sharding import PartitionSpec as P
from swarmbed.compute import c_compiler, devices, meeting

devices.set_up(4, cache=False)
MESH = devices.mesh()
ALL = P(devices.AXIS)

def on_every_device(function):
    return jax.jit(jax.shard_map(function, mesh=MESH, in_specs=ALL, out_specs=ALL, check_vma=False))

def told(**facts):
    print(json.dumps(facts))
"""

MEANS = """
def three(x):
    mean = meeting.series_of_means(earlier=x)
    first = mean(x[0])
    second = mean(first + devices.device_index())
    return (mean(second * x[0]) + 0 * second)[None]

shares = np.arange(12.0, dtype=np.float32).reshape(4, 3)
both = np.stack([shares, -2 * shares], axis=1)
is_possible = meeting.is_possible()
met = on_every_device(three)(shares), on_every_device(lambda x: jax.vmap(three)(x[0][:, None])[None])(both)
meeting.is_possible = lambda: False
collective = on_every_device(three)(shares)
text = on_every_device(three).lower(shares).as_text()
told(
    is_possible=is_possible,
    met=np.asarray(met[0]).tolist(),
    mapped=np.asarray(met[1])[:, :, 0].tolist(),
    collective=np.asarray(collective).tolist(),
    text="swarmbed_mean_over_devices" in text,
)
"""


@cache
def told_by(*parts: str) -> dict[str, Any]:
    result = subprocess.run([sys.executable, "-c", "\n".join([BEGINNING, *parts])], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return found


def test_every_device_has_the_mean() -> None:
    facts = told_by(MEANS)
    assert facts["is_possible"]
    # The mean of the shares is (4.5, 5.5, 6.5); of these plus the devices' numbers (6, 7, 8); that times the shares:
    assert facts["met"] == [[27.0, 38.5, 52.0]] * 4


def test_xlas_own_collective_gives_the_same() -> None:
    facts = told_by(MEANS)
    assert facts["met"] == facts["collective"]
    assert not facts["text"]  # the other was another program


def test_vectors_under_vmap_are_vectors_of_their_own() -> None:
    assert told_by(MEANS)["mapped"] == [[[27.0, 38.5, 52.0], [67.5, 104.5, 149.5]]] * 4


TRAINING = """
from swarmbed import Learner, make
from swarmbed.algorithms.trpo import Trpo
from swarmbed.embeddings.neural import Neural
from swarmbed.learn.learner import BatchSettings, Spread
from swarmbed.networks.perceptron import Perceptron
from concurrent.futures import ThreadPoolExecutor

def learner(seed):  # different settings, so that their programs differ
    return Learner(
        make("pursuit", num_agents=3 + seed, horizon=12), Neural(features=(8,)),
        Trpo(value_epochs=2, value_minibatch=24), BatchSettings(environments=8, segment=8, sampled_agents=2),
        Perceptron(hidden=(8,)),
    )

def weights(state):
    return [np.asarray(leaf).tolist() for leaf in jax.tree.leaves((state.policy, state.critic))]

def trained(seed):
    spread = Spread(learner(seed), MESH)
    state = spread.init(seed)
    for _ in range(3):
        state, metrics = spread.iterate(state)
    return weights(state)

def meets():
    spread = Spread(learner(0), MESH)
    return "swarmbed_mean_over_devices" in spread.iterate.lower(spread.init(0)).as_text()

met = meets()
alone = [trained(0), trained(1)]
with ThreadPoolExecutor(2) as pool:
    together = list(pool.map(trained, [0, 1] * 3))
c_compiler.COMPILERS = ()
meeting._library.cache_clear()
without = [trained(0), trained(1)]
far = lambda a, b: max(float(np.max(np.abs(np.subtract(x, y)))) for x, y in zip(a, b, strict=True))
told(
    together=max(far(alone[i % 2], run) for i, run in enumerate(together)),
    without=[far(a, b) for a, b in zip(alone, without)],
    learnt=[far(run, weights(Spread(learner(seed), MESH).init(seed))) for seed, run in enumerate(alone)],
    met=[met, meets()],
)
"""


def test_training_gives_the_same_without_a_compiler() -> None:
    facts = told_by(TRAINING)
    assert facts["met"] == [True, False]  # only the first met here
    assert max(facts["without"]) < 1e-5 < 1e-3 < min(facts["learnt"])


def test_trainings_side_by_side_do_not_meet_each_other() -> None:
    assert told_by(TRAINING)["together"] == 0


MISTAKES = """
meeting.FLAGS += ("-DNAPS=100L",)

def tried(function):
    try:
        jax.block_until_ready(on_every_device(function)(np.ones((4, 3), np.float32)))
    except Exception as error:
        return str(error)

def of_two_sizes(x):
    mean = meeting.series_of_means(earlier=x)
    return lax.cond(devices.device_index() == 2, lambda: mean(x[0]), lambda: mean(x[0].repeat(2))[:3])[None]

def with_one_missing(x):
    mean = meeting.series_of_means(earlier=x)
    return lax.cond(devices.device_index() == 2, lambda: x[0], lambda: mean(x[0]))[None]

def without_mistake(x):
    return meeting.series_of_means(earlier=x)(x[0])[None]

told(
    before=tried(without_mistake), sizes=tried(of_two_sizes), between=tried(without_mistake),
    missing=tried(with_one_missing), after=tried(without_mistake),
)
"""


def test_what_does_not_belong_together_is_an_error() -> None:
    facts = told_by(MISTAKES)
    assert "devices brought vectors of different sizes" in facts["sizes"]
    assert facts["before"] is facts["between"] is None  # all came and left


def test_a_device_that_does_not_come_is_an_error_from_then_on() -> None:
    facts = told_by(MISTAKES)
    assert "the other devices did not come to the mean" in facts["missing"]
    assert "the other devices did not come to the mean" in facts["after"]


LOOPS = """
import os
from swarmbed.compute import compiling
os.environ.pop("SWARMBED_COMPILE", None)  # tests compile quickly

def is_shared_out(options):
    function = jax.jit(lambda x: jnp.sin(x) * jnp.exp(x), compiler_options=options)
    return "outer_dimension_partitions" in function.lower(jnp.ones((4096, 512))).compile().as_text()

told(ours=is_shared_out(compiling.often()), xlas=is_shared_out({}))
"""


def test_the_loops_of_a_device_stay_on_its_core() -> None:
    assert told_by(LOOPS) == {"ours": False, "xlas": True}
