"""What an algorithm promises: from one small batch to a policy of the same shape that is better, not broken."""

from functools import cached_property
from typing import Any

import jax
import numpy as np
from jax.sharding import PartitionSpec as P

from swarmbed.algorithms.base import Algorithm, Batch, PolicyParams, ThroughTheSwarm, Update, surrogate_and_kl
from swarmbed.compute import devices
from swarmbed.contracts.check import (
    Check,
    during,
    program,
    promise,
    quick_jit,
    require,
    require_equal,
    require_finite,
    same_structure,
    shapes_of,
)
from swarmbed.embeddings.neural import Neural
from swarmbed.networks.base import Model
from swarmbed.networks.perceptron import Perceptron
from swarmbed.spec.observation import Layout, Observation, ObservedSet, SetLayout

SAMPLES = 64
CHECKS: list[Check] = []


class AlgorithmSubject:
    """An algorithm with a tiny network and a batch in which larger first numbers of the action are better."""

    def __init__(self, spec: type[Any]) -> None:
        self.spec = spec

    @cached_property
    def algorithm(self) -> Algorithm | ThroughTheSwarm:
        made: Algorithm | ThroughTheSwarm = self.spec()
        return made

    @cached_property
    def model(self) -> Model:
        layout = Layout(2, (SetLayout(slots=3, features=3, includes_self=False),))
        return Perceptron(hidden=(4,)).model(layout, Neural(features=(4,)), 2)

    @cached_property
    def params(self) -> PolicyParams:
        log_std: Any = np.zeros(2, np.float32)
        return PolicyParams(quick_jit(lambda key: self.model.init(key))(jax.random.key(0)), log_std)

    @cached_property
    def memory(self) -> Any:
        return quick_jit(lambda params: self.algorithm.memory(params))(self.params)

    @cached_property
    def batch(self) -> Batch:
        random = np.random.default_rng(0)

        def normal(*shape: int) -> Any:
            return random.normal(size=shape).astype(np.float32)

        present: Any = np.ones((SAMPLES, 3), bool)
        everybody = ObservedSet(normal(SAMPLES, 3, 3), present)
        inputs = quick_jit(self.model.prepare)(Observation(normal(SAMPLES, 2), (everybody,)))
        mean = quick_jit(self.model.apply)(self.params.network, inputs)
        noise = normal(SAMPLES, 2)
        better = noise[:, 0] - noise[:, 0].mean()
        return Batch(inputs, mean + noise, mean, better / better.std(), normal(SAMPLES), normal(SAMPLES))

    @cached_property
    def update(self) -> Any:
        return quick_jit(self.run)

    def run(self, params: PolicyParams, memory: Any, batch: Batch, key: Any) -> Update:
        algorithm = self.algorithm
        if isinstance(algorithm, Algorithm):
            return algorithm.update(self.model, params, memory, batch, key)
        # To one that goes through the swarm, the batch is a return that it can differentiate.
        climbed = lambda p, _: (surrogate_and_kl(self.model, p, params.log_std, batch)[0], ())  # noqa: E731
        found = algorithm.improve(climbed, params, memory, key)[0]
        return found._replace(kl=0.0 * found.surrogate) if "kl" in algorithm.not_measured else found

    @cached_property
    def gain(self) -> Any:
        """How much better the policy is on the batch than the one that made it: E[π/π_old · Â]."""

        def gain(params: PolicyParams, old: PolicyParams, batch: Batch) -> Any:
            return surrogate_and_kl(self.model, params, old.log_std, batch)[0]

        return quick_jit(gain)

    @cached_property
    def updated(self) -> Update:
        return self.update(self.params, self.memory, self.batch, jax.random.key(1))


@promise(
    CHECKS, "an update keeps all shapes",
    why="training repeats one compiled iteration; parameters and memory must keep their structure, shapes and types",
    remedy="return Update(params, memory, kl, surrogate, accepted) with the shapes and types you were given",
    essential=True,
)  # fmt: skip
def _shapes(subject: AlgorithmSubject) -> None:
    given = (subject.params, subject.memory, subject.batch, jax.random.key(0))
    found = jax.eval_shape(subject.run, *given)
    require(isinstance(found, Update), f"update must return an Update, not {type(found).__name__}")
    for name, before, after in (
        ("params", subject.params, found.params),
        ("memory", subject.memory, found.memory),
    ):
        same = same_structure(before, after) and shapes_of(before) == shapes_of(after)
        require(same, f"{name} have another structure, shape or type after the update")
    for name in ("kl", "surrogate", "accepted"):
        shape = getattr(found, name).shape
        require(shape == (), f"{name} must be one number, but has shape {shape}")


@promise(
    CHECKS, "an update gives finite numbers",
    why="one NaN ends a run",
    remedy="guard divisions by norms, deviations and curvatures that can be zero",
    essential=True,
)  # fmt: skip
def _finite(subject: AlgorithmSubject) -> None:
    require_finite(subject.updated, "the update")
    require(float(subject.updated.kl) >= -1e-6, f"kl is negative ({float(subject.updated.kl):.3g})")


@promise(
    CHECKS, "an update makes the policy better",
    why="the batch says plainly which actions are better; a sign error goes the other way",
    remedy="climb E[π/π_old · Â]: minimise its negative, and check that the new parameters are returned",
)  # fmt: skip
def _uphill(subject: AlgorithmSubject) -> None:
    before = float(subject.gain(subject.params, subject.params, subject.batch))
    after = float(subject.gain(subject.updated.params, subject.params, subject.batch))
    require(after > before, f"E[π/π_old · Â] went from {before:.4g} to {after:.4g}")


@promise(
    CHECKS, "a batch without advantages does no harm",
    why="it happens when every action is as good as any other, for example early in a task with sparse rewards",
    remedy="guard the length of the step where the gradient is zero",
)  # fmt: skip
def _nothing_to_learn(subject: AlgorithmSubject) -> None:
    nothing: Any = np.zeros(SAMPLES, np.float32)
    flat = subject.batch._replace(advantage=nothing)
    found = subject.update(subject.params, subject.memory, flat, jax.random.key(1))
    require_finite(found, "the update")


@promise(
    CHECKS, "a batch with a NaN leaves the policy unchanged",
    why="one overflow in the simulator must not destroy hours of training",
    remedy="return the old parameters and memory, with accepted = 0, if the new ones or their KL are not finite",
)  # fmt: skip
def _nonsense(subject: AlgorithmSubject) -> None:
    batch = subject.batch
    for name, nonsense in {
        "advantage": batch._replace(advantage=_one_nan(batch.advantage)),
        "action": batch._replace(action=_one_nan(batch.action)),
    }.items():
        found = subject.update(subject.params, subject.memory, nonsense, jax.random.key(1))
        require_equal(subject.params, found.params, f"one NaN among the {name}s of a batch changes the parameters", 0)
        require_finite(found, f"with one NaN among the {name}s of a batch, the update")
        require(float(found.accepted) == 0, f"with one NaN among the {name}s of a batch, accepted is not 0")


def _one_nan(rows: Any) -> Any:
    spoilt = np.array(rows)
    spoilt[0] = np.nan
    return spoilt


@promise(
    CHECKS, "the same key gives the same update",
    why="runs must be repeatable, and be the same after --resume",
    remedy="draw everything random from the key with jax.random; keep state between updates in memory(params)",
)  # fmt: skip
def _pure(subject: AlgorithmSubject) -> None:
    given = (subject.params, subject.memory, subject.batch, jax.random.key(1))
    if program(subject.run, *given) == program(subject.run, *given):
        return
    again = quick_jit(lambda *g: subject.run(*g))(*given)
    require_equal(subject.updated, again, "the update differs when it is traced again", within=0)


@promise(
    CHECKS, "an update does not modify its arguments",
    why="the learner still uses the old parameters, to measure how far the new ones are from them",
    remedy="make new dictionaries, with jax.tree.map for example, instead of assigning to the ones passed in",
)  # fmt: skip
def _untouched(subject: AlgorithmSubject) -> None:
    kept = []

    def update(params: PolicyParams, memory: Any, batch: Batch, key: Any) -> Update:
        given = (params, memory, batch)
        before = jax.tree.leaves(given)
        found = subject.run(params, memory, batch, key)
        after = jax.tree.leaves(given)
        kept.append(len(before) == len(after) and all(a is b for a, b in zip(before, after, strict=True)))
        return found

    jax.eval_shape(update, subject.params, subject.memory, subject.batch, jax.random.key(1))
    require(all(kept), "update modifies the parameters, the memory or the batch passed to it")


@promise(
    CHECKS, "an update can be vmapped, and spread over devices",
    why="several seeds train in one program, and one batch on several devices",
    remedy="write with plain jax.numpy; take means over samples with batch_mean or mean_over_samples",
)  # fmt: skip
def _wrapped(subject: AlgorithmSubject) -> None:
    given = (subject.params, subject.memory, subject.batch, jax.random.key(1))
    with during("under jax.vmap", subject.spec):
        jax.eval_shape(jax.vmap(subject.run), *jax.tree.map(lambda leaf: leaf[None], given))
    specs = (P(), P(), P(devices.AXIS), P())
    with during("under jax.shard_map", subject.spec):
        spread = jax.shard_map(subject.run, mesh=devices.mesh(1), in_specs=specs, out_specs=P(), check_vma=False)
        jax.eval_shape(spread, *given)
