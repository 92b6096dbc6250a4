"""Which arrays of a state hold one entry per agent, for moving agents from one state to another.

A task may keep anything in ``state.extra``. What belongs to agents there is found by comparing the shapes of two sizes
of swarm, so nothing has to be declared.
"""

from functools import lru_cache
from typing import Any

import jax
import numpy as np
from jaxtyping import Int
from numpy import ndarray

from swarmbed.tasks.base import State, Task

Axes = tuple[tuple[int, ...], ...]  # of every leaf of a state: the axes along which agents are counted


@lru_cache(maxsize=64)
def axes_of(task: Task) -> Axes:
    """Where the arrays of this task's states count agents."""
    sizes = (task, task.resized(task.num_agents + 1))
    few, many = (jax.eval_shape(size.initial, jax.random.key(0)) for size in sizes)
    pairs = zip(jax.tree.leaves(few), jax.tree.leaves(many), strict=True)
    return tuple(tuple(i for i, (a, b) in enumerate(zip(x.shape, y.shape, strict=True)) if a != b) for x, y in pairs)


@lru_cache(maxsize=64)
def empty(task: Task) -> State:
    """A state without agents; what else a task keeps is as at a start."""
    key = jax.random.key(0)
    shapes = jax.eval_shape(task.initial, key)
    state = jax.tree.map(lambda leaf: np.zeros(leaf.shape, leaf.dtype), shapes)
    # Drawing a start takes longer than a picture may, so only tasks that need it pay for it.
    return state._replace(extra=jax.device_get(task.initial(key)).extra) if jax.tree.leaves(shapes.extra) else state


def taken(state: State, axes: Axes, kept: Int[ndarray, " k"]) -> State:
    """The state of some of its agents only."""

    def take(leaf: Any, along: tuple[int, ...]) -> Any:
        for axis in along:
            leaf = np.take(leaf, kept, axis)
        return leaf

    leaves, structure = jax.tree.flatten(state)
    pairs = zip(map(np.asarray, leaves), axes, strict=True)
    return jax.tree.unflatten(structure, [take(*pair) for pair in pairs])


def moved_into(state: State, room: State, axes: Axes, places: Int[ndarray, " k"]) -> State:
    """All agents of a state in these slots of a larger one, which is otherwise empty.

    Everything that belongs to no agent, such as evaders and age, comes from ``state``; what the other places hold is
    what ``room`` holds there.
    """

    def put(mine: Any, theirs: Any, along: tuple[int, ...]) -> Any:
        if not along:
            return np.asarray(mine)
        wide = np.array(theirs)
        where = tuple(places if axis in along else np.arange(wide.shape[axis]) for axis in range(wide.ndim))
        wide[np.ix_(*where)] = mine
        return wide

    room = room._replace(present=np.zeros_like(room.present, bool))  # type: ignore[arg-type]
    leaves, structure = jax.tree.flatten(state)
    pairs = zip(leaves, jax.tree.leaves(room), axes, strict=True)
    return jax.tree.unflatten(structure, [put(*pair) for pair in pairs])
