"""What the functions of a task return, checked where it is used: a task may be anybody's.

Shapes are known before anything is computed, so in a compiled program these checks cost nothing.
"""

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
from jax import Array

from swarmbed.spec.errors import SwarmbedError, shown
from swarmbed.spec.observation import Observation, ObservedSet

if TYPE_CHECKING:
    from swarmbed.tasks.base import Task


def is_state(value: Any) -> bool:
    """Whether this is a State, or a NamedTuple of somebody's own with the same fields."""
    return all(hasattr(value, name) for name in ("agents", "present", "age", "_replace"))


def check_initial(task: "Task", state: Any) -> None:
    """A start is a state."""
    if not is_state(state):
        raise SwarmbedError(f"initial of {_name(task)} must return a State, not {shown(state)}")


def check_moved(task: "Task", state: Any, moved: Any) -> None:
    """A loop over time needs a state whose shape never changes."""
    if not is_state(moved):
        raise SwarmbedError(f"transition of {_name(task)} must return a State, not {shown(moved)}")
    if _structure(moved) != _structure(state):
        differing = [
            name for name in state._fields if _structure(getattr(state, name)) != _structure(getattr(moved, name))
        ]
        raise SwarmbedError(f"transition of {_name(task)} must keep the parts of the state: {differing[0]} has others")
    for name in state._fields:
        before, after = _shapes(getattr(state, name)), _shapes(getattr(moved, name))
        if before != after:
            words = f"{name} has the shapes {before} before and {after} after"
            raise SwarmbedError(f"transition of {_name(task)} must keep the shapes of the state: {words}")


def check_observed(task: "Task", shape: Any) -> None:
    """Every agent has one row of local properties, and one set of each kind."""
    name, rows = f"observe of {_name(task)}", task.num_agents
    if not (isinstance(shape, Observation) and all(isinstance(seen, ObservedSet) for seen in shape.sets)):
        raise SwarmbedError(
            f"{name} must return an Observation of local and a tuple of ObservedSet, not {shown(shape)}"
        )
    parts = [("local", shape.local, 2)]
    parts += [(f"sets[{i}].elements", seen.elements, 3) for i, seen in enumerate(shape.sets)]
    parts += [(f"sets[{i}].mask", seen.mask, 2) for i, seen in enumerate(shape.sets)]
    for part, found, axes in parts:
        if len(found.shape) != axes or found.shape[0] != rows:
            words = f"{axes} axes, of which the first is the {rows} agents"
            raise SwarmbedError(f"{name} must return {part} with {words}, not of shape {found.shape}")


def check_measured(task: "Task", measured: Any) -> None:
    """Every declared metric has a number."""
    for metric in task.metrics:
        if metric.name not in measured:
            raise SwarmbedError(f"{_name(task)} declares the metric {metric.name!r}, but measure does not return it")
        number(task, f"the metric {metric.name!r}", measured[metric.name])


def number(task: "Task", what: str, value: Any) -> Array:
    """One number about the whole swarm, as an array of floats."""
    found = jnp.asarray(value)
    if found.shape != ():
        raise SwarmbedError(f"{what} of {_name(task)} must be one number for the whole swarm, not {_kind(found)}")
    return found if jnp.issubdtype(found.dtype, jnp.floating) else found.astype(jnp.result_type(float))


def per_agent(task: "Task", what: str, value: Any) -> Array | None:
    """One number for every agent, or nothing."""
    if value is None:
        return None
    found = jnp.asarray(value)
    if found.shape != (task.num_agents,):
        raise SwarmbedError(
            f"{what} of {_name(task)} must be one number per agent ({task.num_agents}), not {_kind(found)}"
        )
    return found if jnp.issubdtype(found.dtype, jnp.floating) else found.astype(jnp.result_type(float))


def truth(task: "Task", what: str, value: Any) -> Array:
    """One truth value about the whole swarm."""
    found = jnp.asarray(value)
    if found.shape != () or found.dtype != bool:
        raise SwarmbedError(f"{what} of {_name(task)} must be true or false for the whole swarm, not {_kind(found)}")
    return found


def _name(task: "Task") -> str:
    return type(task).__name__


def _kind(found: Array) -> str:
    return f"{found.dtype} of shape {found.shape}"


def _structure(tree: Any) -> Any:
    return jax.tree.structure(tree)


def _shapes(tree: Any) -> list[tuple[int, ...]]:
    return [jnp.shape(leaf) for leaf in jax.tree.leaves(tree)]
