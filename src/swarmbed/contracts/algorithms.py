"""What an algorithm promises: from one small batch to a policy of the same shape that is better, not broken."""

from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

from swarmbed.algorithms.base import AXIS, Algorithm, Batch, PolicyParams, Update, surrogate_and_kl
from swarmbed.contracts.check import (
    Check,
    promise,
    quick_jit,
    require,
    require_equal,
    require_finite,
    same_structure,
    shapes_of,
)
from swarmbed.contracts.settings import settings_checks
from swarmbed.embeddings.base import SetLayout
from swarmbed.embeddings.neural import Neural
from swarmbed.networks.network import Inputs, Layout, Network

SAMPLES = 64
CHECKS: list[Check] = settings_checks()


class AlgorithmSubject:
    """An algorithm with a tiny network and a batch in which larger first numbers of the action are better."""

    def __init__(self, spec: type[Algorithm]) -> None:
        self.spec = spec

    @cached_property
    def algorithm(self) -> Algorithm:
        return self.spec()

    @cached_property
    def network(self) -> Network:
        layout = Layout(2, (SetLayout(slots=3, features=3, includes_self=False),))
        return Network(layout, Neural(features=(4,)), (4,), 2)

    @cached_property
    def params(self) -> PolicyParams:
        return PolicyParams(self.network.init(jax.random.key(0)), jnp.zeros(2))

    @cached_property
    def memory(self) -> Any:
        return self.algorithm.memory(self.params)

    @cached_property
    def batch(self) -> Batch:
        random = np.random.default_rng(0)
        normal = lambda *shape: jnp.asarray(random.normal(size=shape), jnp.float32)  # noqa: E731
        present = jnp.ones((SAMPLES, 3, 1), jnp.float32)
        inputs = Inputs(normal(SAMPLES, 2), (jnp.concatenate([normal(SAMPLES, 3, 3), present], -1),))
        mean = jax.jit(self.network.apply)(self.params.network, inputs)
        noise = normal(SAMPLES, 2)
        better = noise[:, 0] - noise[:, 0].mean()
        return Batch(inputs, mean + noise, mean, better / better.std(), normal(SAMPLES), normal(SAMPLES))

    def on_devices(self, function: Any) -> Any:
        """As the learner runs it: inside shard_map, over the axis that a batch is spread on."""
        mesh = Mesh(np.array(jax.devices()[:1]), (AXIS,))
        specs = (P(), P(), P(AXIS), P())
        return jax.shard_map(function, mesh=mesh, in_specs=specs, out_specs=P(), check_vma=False)

    @cached_property
    def update(self) -> Any:
        return self.compile_update()

    def compile_update(self) -> Any:
        """Traced anew in each call, so that what differs from trace to trace can be seen."""

        def update(params: PolicyParams, memory: Any, batch: Batch, key: Any) -> Update:
            return self.algorithm.update(self.network, params, memory, batch, key)

        return quick_jit(self.on_devices(update))

    @cached_property
    def gain(self) -> Any:
        """How much better the policy is on the batch than the one that made it: E[π/π_old · Â]."""

        def gain(params: PolicyParams, old: PolicyParams, batch: Batch, key: Any) -> Any:
            return surrogate_and_kl(self.network, params, old.log_std, batch)[0]

        return quick_jit(self.on_devices(gain))

    @cached_property
    def updated(self) -> Update:
        return self.update(self.params, self.memory, self.batch, jax.random.key(1))


@promise(
    CHECKS, "an update keeps all shapes",
    why="training repeats one compiled iteration; parameters and memory must come back as they went in",
    remedy="return Update(params, memory, kl, surrogate, accepted) with the shapes and types you were given",
    essential=True,
)  # fmt: skip
def _shapes(subject: AlgorithmSubject) -> None:
    given = (subject.params, subject.memory, subject.batch, jax.random.key(0))
    found = jax.eval_shape(subject.update, *given)
    require(isinstance(found, Update), f"update must give an Update, not {type(found).__name__}")
    for name, before, after in (
        ("params", subject.params, found.params),
        ("memory", subject.memory, found.memory),
    ):
        same = same_structure(before, after) and shapes_of(before) == shapes_of(after)
        require(same, f"{name} come back with another structure, shape or type")
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
    key = jax.random.key(0)
    before = float(subject.gain(subject.params, subject.params, subject.batch, key))
    after = float(subject.gain(subject.updated.params, subject.params, subject.batch, key))
    require(after > before, f"E[π/π_old · Â] went from {before:.4g} to {after:.4g}")


@promise(
    CHECKS, "a batch without advantages does no harm",
    why="it happens when every action is as good as any other, as early in a sparse task",
    remedy="guard the length of the step where the gradient is zero",
)  # fmt: skip
def _nothing_to_learn(subject: AlgorithmSubject) -> None:
    flat = subject.batch._replace(advantage=jnp.zeros(SAMPLES))
    found = subject.update(subject.params, subject.memory, flat, jax.random.key(1))
    require_finite(found, "the update")


@promise(
    CHECKS, "a batch of nonsense leaves the policy as it was",
    why="a simulator that overflows once must not cost the weights of hours",
    remedy="give the old parameters and memory back, with accepted = 0, where the new ones or their KL are not finite",
)  # fmt: skip
def _nonsense(subject: AlgorithmSubject) -> None:
    batch = subject.batch
    for name, nonsense in {
        "advantage": batch._replace(advantage=batch.advantage.at[0].set(jnp.nan)),
        "action": batch._replace(action=batch.action.at[0].set(jnp.nan)),
    }.items():
        found = subject.update(subject.params, subject.memory, nonsense, jax.random.key(1))
        require_equal(subject.params, found.params, f"one NaN among the {name}s of a batch changes the parameters", 0)
        require_finite(found, f"with one NaN among the {name}s of a batch, the update")
        require(float(found.accepted) == 0, f"with one NaN among the {name}s of a batch, accepted is not 0")


@promise(
    CHECKS, "the same key gives the same update",
    why="runs must be repeatable, and be the same after --resume",
    remedy="draw everything random from the key with jax.random; keep what you remember in memory(params)",
)  # fmt: skip
def _pure(subject: AlgorithmSubject) -> None:
    again = subject.compile_update()(subject.params, subject.memory, subject.batch, jax.random.key(1))
    require_equal(subject.updated, again, "the update differs when it is traced again", within=0)


@promise(
    CHECKS, "what an update is given stays as it was",
    why="the learner goes on using the old parameters, to measure how far the new ones are from them",
    remedy="make new dictionaries, with jax.tree.map for example, instead of assigning to those you were given",
)  # fmt: skip
def _untouched(subject: AlgorithmSubject) -> None:
    kept = []

    def update(params: PolicyParams, memory: Any, batch: Batch, key: Any) -> Update:
        given = (params, memory, batch)
        before = jax.tree.leaves(given)
        found = subject.algorithm.update(subject.network, params, memory, batch, key)
        after = jax.tree.leaves(given)
        kept.append(len(before) == len(after) and all(a is b for a, b in zip(before, after, strict=True)))
        return found

    jax.eval_shape(subject.on_devices(update), subject.params, subject.memory, subject.batch, jax.random.key(1))
    require(all(kept), "update writes into the parameters, the memory or the batch that it was given")
