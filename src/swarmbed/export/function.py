"""The exported function: local properties and sets in, mean action out. All formats are made from it or held to it."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.export import SymbolicScope, symbolic_shape
from jaxtyping import Float

from swarmbed.export.description import Description, describe, exported_layout
from swarmbed.policy.policy import Policy
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.observation import Layout, Observation, ObservedSet

TOLERANCE = 1e-4  # how far an export may be from the policy; rounding stays far below, a mistake does not
COUNTS = (1, 9, 49, 127)  # numbers of neighbours with which an export is tested

# Arrays in the order of ``input_names`` → the mean actions.
Run = Callable[[Sequence[np.ndarray]], np.ndarray]


class Exported(NamedTuple):
    """A policy as a pure function of arrays, with the name and the shape of each: a word where a size is left open."""

    policy: Policy
    description: Description
    layout: Layout
    function: Callable[..., Float[Array, "batch A"]]
    names: tuple[str, ...]
    shapes: tuple[tuple[int | str, ...], ...]

    @property
    def any_number_of_slots(self) -> bool:
        return self.policy.model.any_number_of_slots

    def abstract(self) -> list[jax.ShapeDtypeStruct]:
        """The inputs as JAX traces them, with symbols for what is open."""
        scope = SymbolicScope()
        return [
            jax.ShapeDtypeStruct(symbolic_shape(", ".join(map(str, shape)), scope=scope), kind(name))
            for name, shape in zip(self.names, self.shapes, strict=True)
        ]


def kind(name: str) -> Any:
    return np.bool_ if name.endswith("_mask") else np.float32


def exported(policy: Policy) -> Exported:
    """The policy as a function of plain arrays.

    Local properties are left out where a policy reads none. The number of slots is open unless the weights belong to
    one.
    """
    names: list[str] = []
    shapes: list[tuple[int | str, ...]] = []
    description, layout = describe(policy), exported_layout(policy)
    model = policy.network.model(layout, policy.embedding, policy.task.action_size)
    if layout.local:
        names.append("local")
        shapes.append(("batch", layout.local))
    for name, seen in zip(description.set_names, layout.sets, strict=True):
        slots = name if model.any_number_of_slots else seen.slots
        names += [name, f"{name}_mask"]
        shapes += [("batch", slots, seen.features), ("batch", slots)]

    def function(*arrays: Array) -> Float[Array, "batch A"]:
        batch, rest = arrays[0].shape[0], arrays[1:] if layout.local else arrays
        local = arrays[0] if layout.local else jnp.zeros((batch, 0), jnp.float32)
        sets = tuple(ObservedSet(rest[2 * i], rest[2 * i + 1]) for i in range(len(layout.sets)))
        return model.apply(policy.params.network, model.prepare(Observation(local, sets)))

    return Exported(policy, description, layout, function, tuple(names), tuple(shapes))


def check_weights(made: Exported) -> None:
    """A policy that diverged cannot drive a robot."""
    if not all(bool(np.isfinite(leaf).all()) for leaf in jax.tree.leaves(made.policy.params)):
        raise SwarmbedError("the policy holds weights that are not finite numbers, so it cannot be exported")


def not_convertible(made: Exported, format: str, error: Exception) -> SwarmbedError:
    """The sentence for a network or an embedding that a converter cannot follow."""
    sizes = "any number of agents and neighbours" if made.any_number_of_slots else "any number of agents"
    reason = f"{type(error).__name__}: {next(iter(str(error).strip().splitlines()), '')}"
    return SwarmbedError(
        f"the policy cannot be written as {format}: its network and embedding must be JAX functions that can be traced "
        f"for {sizes}, and these cannot ({reason})"
    )


def missing(format: str, error: ModuleNotFoundError) -> SwarmbedError:
    """The sentence for a package that a format needs."""
    package = str(error.name).partition(".")[0]
    return SwarmbedError(f"format {format} needs the package {package!r}, which is missing: install swarmbed[export]")


def random_inputs(made: Exported, count: int, batch: int, seed: int = 0) -> list[np.ndarray]:
    """Inputs with ``count`` slots per set (where that is open), of which about a third are absent.

    The first sample has no neighbours and the second one all of them. Absent slots must not matter, so they hold large
    numbers.
    """
    random = np.random.default_rng(seed)
    sizes: dict[str, int] = {"batch": batch}
    arrays: list[np.ndarray] = []
    for name, shape in zip(made.names, made.shapes, strict=True):
        concrete = [sizes.get(size, count) if isinstance(size, str) else size for size in shape]
        if kind(name) is np.bool_:
            mask = random.random(concrete) < 2 / 3
            mask[0], mask[1:2] = False, True
            arrays[-1] = np.where(mask[..., None], arrays[-1], np.float32(50.0))
            arrays.append(mask)
        else:
            arrays.append(_like_an_observation(random, concrete))
    return arrays


def largest_difference(made: Exported, run: Run, counts: Sequence[int] = COUNTS, batch: int = 8) -> float:
    """How far a run of the export is from the policy itself, over several numbers of neighbours.

    The difference is measured against the largest action, if that is more than 1: floats have no finer steps.
    """
    function = jax.jit(made.function)
    worst = 0.0
    for count in counts if made.any_number_of_slots else counts[:1]:
        arrays = random_inputs(made, count, batch, seed=count)
        # Absent slots change nothing, so one compilation serves every count.
        wanted = np.asarray(
            function(*(_filled_up(array, max(counts)) if made.any_number_of_slots else array for array in arrays))
        )
        scale = max(1.0, float(np.abs(wanted).max()))
        worst = max(worst, float(np.abs(run(arrays) - wanted).max()) / scale)
    return worst


def _filled_up(array: np.ndarray, slots: int) -> np.ndarray:
    if array.ndim == 2 and array.dtype != np.bool_:
        return array  # local properties have no slots
    return np.pad(array, [(0, 0), (0, slots - array.shape[1]), *[(0, 0)] * (array.ndim - 2)])


def _like_an_observation(random: np.random.Generator, shape: Sequence[int]) -> np.ndarray:
    """Distances in [0, 1], then cosines and sines of one angle each, as the elements of the built-in tasks."""
    values = random.uniform(-1, 1, shape)
    if len(shape) == 3:
        values[..., 0] = random.random(shape[:2])
        for cos in range(1, min(shape[2] - 1, 4), 2):
            angle = random.uniform(-np.pi, np.pi, shape[:2])
            values[..., cos], values[..., cos + 1] = np.cos(angle), np.sin(angle)
    return values.astype(np.float32)
