"""What an embedding promises: a function of the set, and of nothing else."""

from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from swarmbed.contracts.check import Check, promise, quick_jit, require, require_equal, require_finite
from swarmbed.embeddings.base import Embedding
from swarmbed.spec.observation import SetLayout

BATCH = 4
SLOTS = 6
FEATURES = 7  # distance, bearing, orientation, velocity: the largest set of the built-in tasks
CHECKS: list[Check] = []


class EmbeddingSubject:
    """An embedding with random parameters (biases included), and four sets: full, partly full, single and empty."""

    def __init__(self, spec: type[Embedding]) -> None:
        self.spec = spec

    @cached_property
    def embedding(self) -> Embedding:
        return self.spec()

    def layout(self, slots: int = SLOTS) -> SetLayout:
        return SetLayout(slots, FEATURES, includes_self=False)

    @cached_property
    def params(self) -> Any:
        """Fresh parameters plus noise: fresh biases are zero and would hide their mistakes."""
        fresh = quick_jit(lambda key: self.embedding.init(self.layout(), key))(jax.random.key(0))
        random = np.random.default_rng(1)
        return jax.tree.map(lambda leaf: leaf + 0.3 * random.normal(size=leaf.shape).astype(leaf.dtype), fresh)

    @cached_property
    def elements(self) -> np.ndarray:
        random = np.random.default_rng(0)
        values = random.uniform(-1, 1, (BATCH, SLOTS, FEATURES))
        values[..., 0] = random.random((BATCH, SLOTS))
        for cos in (1, 3):
            angle = random.uniform(-np.pi, np.pi, (BATCH, SLOTS))
            values[..., cos], values[..., cos + 1] = np.cos(angle), np.sin(angle)
        return values.astype(np.float32)

    @cached_property
    def mask(self) -> np.ndarray:
        present = np.ones((BATCH, SLOTS), bool)
        present[1, [1, 4]], present[2], present[2, 3], present[3] = False, False, True, False
        return present

    def embed(self, params: Any, elements: Array, mask: Array) -> Array:
        layout = SetLayout(elements.shape[1], elements.shape[2], includes_self=False)
        self.embedding.check(layout)
        return self.embedding.apply(params, self.embedding.prepare(layout, elements, mask))

    @cached_property
    def compiled(self) -> Any:
        return quick_jit(self.embed)

    @cached_property
    def output(self) -> np.ndarray:
        return self.compiled(self.params, self.elements, self.mask)

    @cached_property
    def gradient(self) -> Any:
        """How the vectors change with the parameters and with the elements."""

        def total(params: Any, elements: Array, mask: Array) -> Array:
            return jnp.square(self.embed(params, elements, mask)).sum()

        return quick_jit(jax.grad(total, argnums=(0, 1)))


@promise(
    CHECKS, "gives one vector per set",
    why="the head of the network reads vectors of one size",
    remedy="return an array (batch, K) of floats, where K depends on settings only",
    essential=True,
)  # fmt: skip
def _shape(subject: EmbeddingSubject) -> None:
    found = jax.eval_shape(subject.embed, subject.params, subject.elements, subject.mask)
    good = len(found.shape) == 2 and found.shape[0] == BATCH and found.dtype.kind == "f"
    require(
        good, f"for {BATCH} sets the result is {found.dtype} of shape {found.shape}, not floats of shape ({BATCH}, K)"
    )


@promise(
    CHECKS, "the order of the elements does not matter",
    why="a set has no order; an embedding that sees one must declare permutation_invariant = False",
    remedy="pool with a sum, mean or maximum over the slots, or declare it",
)  # fmt: skip
def _order(subject: EmbeddingSubject) -> None:
    if not subject.embedding.permutation_invariant:
        return
    order = np.array([3, 5, 0, 4, 1, 2])
    shuffled = subject.compiled(subject.params, subject.elements[:, order], subject.mask[:, order])
    require_equal(subject.output, shuffled, "the same elements in another order give another vector")


@promise(
    CHECKS, "what absent slots hold does not matter",
    why="absent slots may hold anything, and a policy must not react to absent neighbours",
    remedy="replace absent elements first (clear(elements, mask)), and mask again after adding a bias",
)  # fmt: skip
def _absent(subject: EmbeddingSubject) -> None:
    slope, _ = subject.gradient(subject.params, subject.elements, subject.mask)
    for garbage in (0.0, 1e6, -1e6, np.inf, -np.inf, np.nan):
        dirty = np.where(subject.mask[..., None], subject.elements, np.float32(garbage))
        found = subject.compiled(subject.params, dirty, subject.mask)
        require_equal(subject.output, found, f"the vector changes when absent slots hold {garbage:g}")
        # 0 · NaN is NaN: a mask that comes after a product hides garbage from the value, but not from the gradient.
        found, to_elements = subject.gradient(subject.params, dirty, subject.mask)
        require_equal(slope, found, f"the gradient of the parameters changes when absent slots hold {garbage:g}")
        absent = to_elements[~subject.mask]
        require((absent == 0).all(), f"absent slots that hold {garbage:g} have a gradient that is not zero")


@promise(
    CHECKS, "an empty set gives zeros",
    why="an agent without neighbours must be recognisable, whatever the biases are",
    remedy="divide a masked sum by jnp.maximum(count, 1), and put 0 where the count is 0",
)  # fmt: skip
def _empty(subject: EmbeddingSubject) -> None:
    if subject.embedding.any_number_of_slots:
        require_equal(np.zeros_like(subject.output[3]), subject.output[3], "the vector of the empty set is not zero", 0)


@promise(
    CHECKS, "the number of slots is free where that is declared",
    why="one policy runs in swarms of any size; empty slots at the end must change nothing",
    remedy="let no parameter's shape depend on layout.slots, or declare any_number_of_slots = False",
)  # fmt: skip
def _slots(subject: EmbeddingSubject) -> None:
    if not subject.embedding.any_number_of_slots:
        return
    for slots in (1, 40):
        fresh = jax.eval_shape(lambda slots=slots: subject.embedding.init(subject.layout(slots), jax.random.key(0)))
        same = jax.tree.map(lambda a, b: a.shape == b.shape, fresh, subject.params)
        require(all(jax.tree.leaves(same)), f"with {slots} slots parameters have another shape than with {SLOTS}")
    more = [(0, 0), (0, 2)]
    found = subject.compiled(subject.params, np.pad(subject.elements, [*more, (0, 0)]), np.pad(subject.mask, more))
    require_equal(subject.output, found, "two more empty slots change the vector")
    one = slice(2, 3)  # the set whose only element is in slot 3
    among = subject.compiled(subject.params, subject.elements[one], subject.mask[one])
    alone = subject.compiled(subject.params, subject.elements[one, 3:4], subject.mask[one, 3:4])
    require_equal(among, alone, "one element in one slot is not the same as one element among empty slots")


@promise(
    CHECKS, "doubling every element changes nothing where that is declared",
    why="means and maxima do not count; an embedding that does must declare invariant_to_duplication = False",
    remedy="divide sums by the number of elements, or declare it",
)  # fmt: skip
def _duplication(subject: EmbeddingSubject) -> None:
    embedding = subject.embedding
    if embedding.invariant_to_duplication and embedding.any_number_of_slots:
        twice = subject.compiled(subject.params, np.tile(subject.elements, (1, 2, 1)), np.tile(subject.mask, (1, 2)))
        require_equal(subject.output, twice, "a set in which every element appears twice gives another vector")


@promise(
    CHECKS, "every set is embedded on its own",
    why="samples of one batch are different agents at different times; none may look into another's set",
    remedy="reduce over the axis of the slots (1), never over the batch (0)",
)  # fmt: skip
def _alone(subject: EmbeddingSubject) -> None:
    for row in range(BATCH):
        one = slice(row, row + 1)
        alone = subject.compiled(subject.params, subject.elements[one], subject.mask[one])
        require_equal(subject.output[one], alone, "a set gives another vector when it is alone in its batch")
        others = np.where((np.arange(BATCH) == row)[:, None, None], subject.elements, 3 * subject.elements)
        beside = subject.compiled(subject.params, others, subject.mask)
        require_equal(
            subject.output[one], beside[one], "a set gives another vector when other sets of the batch change"
        )


@promise(
    CHECKS, "numbers and gradients stay finite",
    why="one NaN spreads to every weight; empty sets and equal elements are where they come from",
    remedy="guard roots, divisions and arctangents before the call, with jnp.where on their argument",
)  # fmt: skip
def _finite(subject: EmbeddingSubject) -> None:
    equal = np.broadcast_to(subject.elements[:, :1], subject.elements.shape)
    for elements, where in (
        (subject.elements, "random elements"),
        (equal, "equal elements"),
        (np.zeros_like(equal), "elements of zeros"),
    ):
        require_finite(subject.compiled(subject.params, elements, subject.mask), f"with {where}, the vector")
        require_finite(subject.gradient(subject.params, elements, subject.mask), f"with {where}, the gradient")
