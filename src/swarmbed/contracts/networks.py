"""What a network promises: one row of numbers per agent, from what that agent sees and nothing else."""

from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from swarmbed.contracts.check import Check, promise, quick_jit, require, require_equal, require_finite, shapes_of
from swarmbed.embeddings.neural import Neural
from swarmbed.networks.base import Model, Network, Wrapped, as_network
from swarmbed.spec.observation import Layout, Observation, ObservedSet, SetLayout

BATCH, SLOTS, OUTPUTS = 4, 6, 2
ORDER = np.array([3, 5, 0, 4, 1, 2])
CHECKS: list[Check] = []


class NetworkSubject:
    """A network for two sets, with random weights, and four agents: one sees all, some see few, one sees nothing."""

    def __init__(self, spec: type[Any]) -> None:
        self.spec = spec

    @cached_property
    def network(self) -> Network:
        return as_network(self.spec())

    @property
    def sees_no_order(self) -> bool:
        """Whether it ignores the order of a set; a network that reads it declares permutation_invariant = False."""
        own = self.network.module if isinstance(self.network, Wrapped) else self.network
        return bool(getattr(own, "permutation_invariant", True))

    def model(self, slots: int = SLOTS, outputs: int = OUTPUTS) -> Model:
        sets = (SetLayout(slots, 7, includes_self=False), SetLayout(slots, 3, includes_self=False))
        return self.network.model(Layout(3, sets), Neural(features=(4,)), outputs)

    @cached_property
    def params(self) -> Any:
        """Fresh weights plus noise: fresh biases are zero and would hide their mistakes."""
        random = np.random.default_rng(1)
        noisy = lambda leaf: leaf + 0.3 * random.normal(size=leaf.shape).astype(leaf.dtype)  # noqa: E731
        return jax.tree.map(noisy, self.fresh())

    def fresh(self) -> Any:
        """Initial weights; traced again in each call, to expose what differs from trace to trace."""
        return quick_jit(lambda key: self.model().init(key))(jax.random.key(0))

    @cached_property
    def seen(self) -> Observation:
        random = np.random.default_rng(0)

        def draw(*shape: int) -> Any:
            return random.uniform(-1, 1, shape).astype(np.float32)

        there: Any = np.ones((BATCH, SLOTS), bool)
        there[1, [1, 4]], there[2], there[2, 3], there[3] = False, False, True, False
        sets = [ObservedSet(draw(BATCH, SLOTS, features), mask) for features, mask in ((7, there), (3, there[::-1]))]
        return Observation(draw(BATCH, 3), tuple(sets))

    def run(self, params: Any, seen: Observation) -> Array:
        model = self.model(seen.sets[0].mask.shape[1])
        return model.apply(params, model.prepare(seen))

    @cached_property
    def compiled(self) -> Any:
        return quick_jit(self.run)

    @cached_property
    def output(self) -> np.ndarray:
        return self.compiled(self.params, self.seen)

    @cached_property
    def slopes(self) -> Any:
        """How the outputs change with the weights, backwards and forwards."""

        def both(params: Any, seen: Observation) -> Any:
            run = lambda p: self.run(p, seen)  # noqa: E731
            _, ahead = jax.jvp(run, (params,), (jax.tree.map(jnp.cos, params),))
            return jax.grad(lambda p: jnp.square(run(p)).sum())(params), ahead

        return quick_jit(both)


def _with_elements(seen: Observation, change: Any) -> Observation:
    """Another observation: ``change(elements, mask)`` in place of the elements of each set."""
    return seen._replace(sets=tuple(one._replace(elements=change(one.elements, one.mask)) for one in seen.sets))


@promise(
    CHECKS, "gives one row of numbers per agent",
    why="a policy has one number per action and a critic has one",
    remedy="return floats of shape (batch, outputs) from apply; init gets the number of outputs",
    essential=True,
)  # fmt: skip
def _shape(subject: NetworkSubject) -> None:
    for outputs in (1, OUTPUTS):
        model = subject.model(outputs=outputs)
        params = jax.eval_shape(model.init, jax.random.key(0))
        for path, _, kind in shapes_of(params):
            require(
                kind.startswith(("float", "bfloat")), f"the weight {path or 'it starts with'} is {kind}, not a float"
            )
        found = jax.eval_shape(lambda p, s, m=model: m.apply(p, m.prepare(s)), params, subject.seen)
        good = getattr(found, "shape", None) == (BATCH, outputs) and found.dtype.kind == "f"
        require(
            good, f"for {BATCH} agents and {outputs} outputs the result is not floats of shape {(BATCH, outputs)}, "
            f"but {getattr(found, 'dtype', type(found).__name__)} of shape {getattr(found, 'shape', 'none')}",
        )  # fmt: skip


@promise(
    CHECKS, "the same key gives the same weights",
    why="runs must be repeatable",
    remedy="draw everything random from the key with jax.random",
)  # fmt: skip
def _pure(subject: NetworkSubject) -> None:
    first, second = subject.fresh(), subject.fresh()
    require_finite(first, "a weight at the start")
    require_equal(first, second, "init gives other weights when it is called again", within=0)


@promise(
    CHECKS, "every agent's row depends on its own observation only",
    why="rows of one batch are different agents at different times; none may look into another's observation",
    remedy="reduce over the axis of the slots (1), never over the batch (0)",
)  # fmt: skip
def _rows(subject: NetworkSubject) -> None:
    alone = jax.tree.map(lambda leaf: leaf[:1], subject.seen)
    require_equal(
        subject.output[:1],
        subject.compiled(subject.params, alone),
        "an agent gets other numbers when it is alone in its batch",
    )
    for row in range(BATCH):
        keep = np.arange(BATCH) == row

        def change(leaf: np.ndarray, keep: np.ndarray = keep) -> np.ndarray:
            other = ~leaf if leaf.dtype == bool else np.full_like(leaf, np.nan)
            return np.where(keep.reshape(-1, *[1] * (leaf.ndim - 1)), leaf, other)

        beside = subject.compiled(subject.params, jax.tree.map(change, subject.seen))
        require_equal(
            subject.output[row],
            beside[row],
            "an agent gets other numbers when other agents of the batch see something else",
        )


@promise(
    CHECKS, "what absent elements hold does not matter",
    why="absent slots may hold anything, and an agent must not react to absent neighbours",
    remedy="replace absent elements first, with jnp.where(mask[..., None], elements, 0)",
)  # fmt: skip
def _absent(subject: NetworkSubject) -> None:
    slope = subject.slopes(subject.params, subject.seen)
    for garbage in (0.0, 1e6, -1e6, np.inf, np.nan):
        dirty = _with_elements(subject.seen, lambda e, m, g=garbage: np.where(m[..., None], e, np.float32(g)))
        found = subject.compiled(subject.params, dirty)
        require_equal(subject.output, found, f"the numbers change when absent elements hold {garbage:g}")
        found = subject.slopes(subject.params, dirty)
        require_equal(slope, found, f"the gradient of the weights changes when absent elements hold {garbage:g}")


@promise(
    CHECKS, "the order of the elements does not matter",
    why="a set has no order; a network that sees one must declare permutation_invariant = False",
    remedy="pool with a sum, mean or maximum over the slots, or declare it",
)  # fmt: skip
def _order(subject: NetworkSubject) -> None:
    if subject.sees_no_order:
        sets = tuple(ObservedSet(one.elements[:, ORDER], one.mask[:, ORDER]) for one in subject.seen.sets)
        shuffled = subject.compiled(subject.params, subject.seen._replace(sets=sets))
        require_equal(subject.output, shuffled, "the same elements in another order give other numbers")


@promise(
    CHECKS, "the number of slots is free where that is declared",
    why="one policy runs in swarms of any size; empty slots at the end must change nothing",
    remedy="let no weight's shape depend on the slots, or declare any_number_of_slots = False",
)  # fmt: skip
def _slots(subject: NetworkSubject) -> None:
    if not subject.model().any_number_of_slots:
        return
    for slots in (1, 40):
        fresh = jax.eval_shape(subject.model(slots).init, jax.random.key(0))
        same = shapes_of(fresh) == shapes_of(subject.params)
        require(same, f"with {slots} slots the weights have another shape than with {SLOTS}")
    more = [(0, 0), (0, 2)]
    wider: Any = [(np.pad(one.elements, [*more, (0, 0)]), np.pad(one.mask, more)) for one in subject.seen.sets]
    sets = tuple(ObservedSet(*one) for one in wider)
    wide = subject.compiled(subject.params, subject.seen._replace(sets=sets))
    require_equal(subject.output, wide, "two more empty slots change the numbers")


@promise(
    CHECKS, "numbers and gradients stay finite",
    why="one NaN spreads to every weight; empty sets and equal elements are where they come from",
    remedy="guard roots, divisions and arctangents before the call, with jnp.where on their argument",
)  # fmt: skip
def _finite(subject: NetworkSubject) -> None:
    for where, seen in (
        ("random elements", subject.seen),
        ("equal elements", _with_elements(subject.seen, lambda e, m: np.broadcast_to(e[:, :1], e.shape))),
        ("elements of zeros", _with_elements(subject.seen, lambda e, m: np.zeros_like(e))),
    ):
        require_finite(subject.compiled(subject.params, seen), f"with {where}, the result")
        require_finite(subject.slopes(subject.params, seen), f"with {where}, the gradient")


@promise(
    CHECKS, "several sets of weights at once behave like each alone",
    why="learners are vmapped over seeds",
    remedy="write apply with plain jax.numpy, and branch with jnp.where instead of if",
)  # fmt: skip
def _seeds(subject: NetworkSubject) -> None:
    twice = jax.tree.map(lambda leaf: np.stack([leaf, -0.5 * leaf]), subject.params)
    together = quick_jit(jax.vmap(subject.run, (0, None)))(twice, subject.seen)
    for index in range(2):
        weights = jax.tree.map(lambda leaf, index=index: leaf[index], twice)
        alone = subject.compiled(weights, subject.seen)
        require_equal(alone, together[index], "under jax.vmap over its weights a network gives other numbers")


@promise(
    CHECKS, "rescaled weights rescale the output",
    why="the critic follows the scale of the returns through them; weights that do something else would spoil it",
    remedy="leave rescaled alone, or return weights whose output is factor · output + shift",
)  # fmt: skip
def _rescaled(subject: NetworkSubject) -> None:
    scaled = subject.model().rescaled(subject.params, jnp.float32(0.5), jnp.float32(2.0))
    found = subject.compiled(scaled, subject.seen)
    if not np.array_equal(found, subject.output):
        require_equal(0.5 * subject.output + 2.0, found, "the output is not factor · output + shift")
