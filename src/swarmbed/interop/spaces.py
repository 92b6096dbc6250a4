"""What one agent sees and does, as Gymnasium spaces: a dictionary of local properties, sets and masks, or one vector.

    {"local": (properties,), "set_0": (slots, features), "mask_0": (slots,), "set_1": …}

The vector holds the same numbers: the local properties, then each set slot by slot, a slot being its features followed
by 1 if it holds an element and 0 if not. So ``vector[properties:].reshape(slots, features + 1)`` is the set, if there
is only one. An agent has a slot for itself among its neighbours, which is always empty.
"""

from math import prod
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space
from jax import Array

from swarmbed.tasks.base import Observation, Task


def action_space(task: Task) -> spaces.Box:
    """Fractions of the agent's limits; what lies outside is clipped by the simulator."""
    return spaces.Box(-1.0, 1.0, (task.action_size,), np.float32)


def observation_space(task: Task, flatten: bool) -> spaces.Space[Any]:
    """The space of one agent's observation. Numbers are unbounded: a task scales them, but guarantees no limit."""
    shape = task.observation_shape
    if flatten:
        return _unbounded((len(flat_names(task)),), shape.local.dtype)
    members: dict[str, spaces.Space[Any]] = {"local": _unbounded(shape.local.shape[1:], shape.local.dtype)}
    for i, observed in enumerate(shape.sets):
        members[f"set_{i}"] = _unbounded(observed.elements.shape[1:], observed.elements.dtype)
        members[f"mask_{i}"] = spaces.MultiBinary(observed.mask.shape[1])
    return spaces.Dict(members)


def joint_space(space: spaces.Space[Any], task: Task) -> spaces.Space[Any]:
    """The same for all agents of a swarm at once: every array has a row for each of them."""
    return batch_space(space, task.num_agents)


def flat_names(task: Task) -> tuple[str, ...]:
    """What every number of the flattened observation means, in order."""
    names = task.column_names
    flat = [f"local: {column}" for column in names.local]
    for i, (columns, observed) in enumerate(zip(names.sets, task.observation_shape.sets, strict=True)):
        for slot in range(observed.mask.shape[1]):
            flat += [f"set_{i} slot {slot}: {column}" for column in (*columns, "present")]
    return tuple(flat)


def encode(observation: Observation, flatten: bool) -> Any:
    """Observations of several agents as members of the space; runs inside jit.

    Leading axes, such as (swarms, agents), become one.
    """
    local = _merged(observation.local, 1)
    if flatten:
        return jnp.concatenate([local, *(_table(*observed) for observed in observation.sets)], axis=-1)
    encoded = {"local": local}
    for i, (elements, mask) in enumerate(observation.sets):
        encoded[f"set_{i}"] = _merged(elements, 2)
        encoded[f"mask_{i}"] = _merged(mask, 1).astype(jnp.int8)
    return encoded


def by_swarm(encoded: Any, task: Task) -> Any:
    """Rows of agents, swarm after swarm, as (swarms, agents, …)."""
    return jax.tree.map(
        lambda rows: rows.reshape(len(rows) // task.num_agents, task.num_agents, *rows.shape[1:]), encoded
    )


def row(encoded: Any, index: int) -> Any:
    """The observation of one agent out of all, or of one swarm."""
    if isinstance(encoded, dict):
        return {name: rows[index] for name, rows in encoded.items()}
    return encoded[index]


def _table(elements: Array, mask: Array) -> Array:
    """A set as one row of numbers per agent."""
    rows = _merged(jnp.concatenate([elements, mask[..., None].astype(elements.dtype)], axis=-1), 2)
    return rows.reshape(rows.shape[0], rows.shape[1] * rows.shape[2])


def _merged(values: Array, kept: int) -> Array:
    """All axes but the last ``kept`` made one. Not ``reshape(-1, …)``, which cannot do it where a size is 0."""
    leading, rest = values.shape[:-kept], values.shape[-kept:]
    return values.reshape(prod(leading), *rest)


def _unbounded(shape: tuple[int, ...], dtype: Any) -> spaces.Box:
    return spaces.Box(-np.inf, np.inf, shape, np.dtype(dtype).type)
