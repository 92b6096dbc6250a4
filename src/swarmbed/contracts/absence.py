"""Swarms with absent agents: what their slots hold has no meaning."""

from typing import Any

import jax
import numpy as np

THERE = 2  # agents that are present; the other slots are empty
GARBAGE = {"no numbers": np.nan, "huge numbers": 1e6, "huge negative numbers": -1e6}


def who_is_there(agents: int) -> np.ndarray:
    """Two agents, neither of them the first and both with an absent agent before them, if there are enough."""
    present = np.zeros(agents, bool)
    present[[1, agents - 1] if agents > THERE else slice(THERE - 1)] = True
    return present


def with_gaps(state: Any, present: np.ndarray) -> Any:
    """The state with only some of its agents present."""
    return state._replace(present=present)


def littered(state: Any, present: np.ndarray, garbage: float) -> Any:
    """The state with garbage in every number of its absent agents."""
    return state._replace(agents=jax.tree.map(lambda leaf: litter(leaf, present, garbage), state.agents))


def litter(rows: np.ndarray, present: np.ndarray, garbage: float) -> np.ndarray:
    """Rows of agents, with garbage in those of absent ones."""
    there = present.reshape(present.shape + (1,) * (rows.ndim - 1))
    return np.where(there, rows, np.asarray(garbage, rows.dtype))


def only_present(state: Any, present: np.ndarray) -> Any:
    """The smaller swarm of the present agents; everything else in the state stays, with per-agent rows cut down to
    those of present agents."""
    few = jax.tree.map(lambda leaf: leaf[present], state.agents)
    extra = jax.tree.map(lambda leaf: cut(leaf, present), getattr(state, "extra", None))
    known = {"agents": few, "present": np.ones(present.sum(), bool)}
    return state._replace(**known, **({"extra": extra} if hasattr(state, "extra") else {}))


def cut(leaf: Any, present: np.ndarray) -> Any:
    """The rows of present agents of an array that has one per agent; other arrays as they are."""
    shape = np.shape(leaf)
    return leaf[present] if shape and shape[0] == present.size else leaf
