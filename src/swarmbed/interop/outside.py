"""Policies of other libraries in a stress test: any function from observations to actions.

The function gets what the environments of this package give: the observations of many agents at once, as rows, in the
form of :func:`swarmbed.interop.gymnasium.make_vec` (a dictionary of ``local``, ``set_0``, ``mask_0``, …, or one vector
per agent where the function has an attribute ``flatten`` that is true), and returns one row of actions for each. It is
called from Python in every step, so it may use any library.
"""

import hashlib
import inspect
import uuid
from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from swarmbed.interop.spaces import encode
from swarmbed.learn.rollout import step_keys
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.functions import function_named
from swarmbed.tasks.base import State, Task
from swarmbed.tasks.disturbances.settings import Kind
from swarmbed.tasks.disturbances.state import with_strengths

TOGETHER = 64  # episodes that are stepped side by side


class OutsidePolicy:
    """A named function of observations. Its episodes start, and are disturbed, like those of any other policy."""

    def __init__(self, function: Callable[[Any], Any], name: str | None = None) -> None:
        self.function, self.name = function, name or getattr(function, "__name__", type(function).__name__)
        self.flatten = bool(getattr(function, "flatten", False))

    def returns(self, task: Task, kind: Kind | None, index: Any, strength: Any, seed: int) -> np.ndarray:
        """The return of each episode ``index`` at its strength of the disturbance."""
        pieces = []
        for start in range(0, len(index), TOGETHER):
            rows = np.minimum(np.arange(start, start + min(TOGETHER, len(index))), len(index) - 1)
            found = self._together(task, kind, index[rows], strength[rows], seed)
            pieces.append(found[: len(index) - start])
        return np.concatenate(pieces)

    def _together(self, task: Task, kind: Kind | None, index: Any, strength: Any, seed: int) -> np.ndarray:
        name = None if kind is None else kind.name
        state, run_keys, seen, ended = _begin(task, seed, self.flatten, name, index, jnp.asarray(strength))
        total = np.zeros(len(index))
        for time in range(task.horizon):
            action = self._act(task, jax.tree.map(np.asarray, seen), len(index))
            state, seen, reward, over = _advance(task, self.flatten, run_keys, time, state, action)
            total += np.where(ended, 0.0, np.asarray(reward, np.float64))
            ended = ended | np.asarray(over)
            if ended.all():
                break
        return total

    def _act(self, task: Task, seen: Any, episodes: int) -> np.ndarray:
        action = np.asarray(self.function(seen), np.float32)
        wanted = (episodes * task.num_agents, task.action_size)
        if action.shape != wanted:
            raise SwarmbedError(f"policy {self.name} must return actions of shape {wanted}, not {action.shape}")
        if not np.isfinite(action).all():
            raise SwarmbedError(f"policy {self.name} returned actions that are not finite")
        return action.reshape(episodes, task.num_agents, task.action_size)

    def fingerprint(self) -> str:
        """A function of a module is known by its name and the source of its file; its weights, if it loads any, are its
        own business. Any other callable, such as an object that holds a network, is known only as itself."""
        qualified = getattr(self.function, "__qualname__", "<")
        if "<" in qualified or not inspect.isfunction(self.function):
            return f"{self.name} {self._itself}"
        try:
            source = Path(inspect.getfile(self.function)).read_bytes()
        except OSError:
            return f"{self.name} {self._itself}"
        return f"{self.name} {qualified} {hashlib.sha256(source).hexdigest()}"

    @cached_property
    def _itself(self) -> str:
        return uuid.uuid4().hex


def outside_policy(text: str) -> OutsidePolicy:
    """``module:function``, imported from where Python finds modules, including the current folder."""
    return OutsidePolicy(function_named(text, "--policy"), text.partition(":")[2])


@partial(jax.jit, static_argnums=(0, 1, 2, 3))
def _begin(task: Task, seed: int, flatten: bool, kind: str | None, index: Array, strength: Array) -> Any:
    start_key, run_key = jax.random.split(jax.random.key(seed))

    def start(index: Array, strength: Array) -> State:
        state = task.initial(jax.random.fold_in(start_key, index))
        return state if kind is None else with_strengths(state, {kind: strength})

    state = jax.vmap(start)(index, strength)
    run_keys = jax.vmap(lambda i: jax.random.fold_in(run_key, i))(index)
    return state, run_keys, encode(jax.vmap(task.observe)(state), flatten), jax.vmap(task.terminated)(state)


@partial(jax.jit, static_argnums=(0, 1))
def _advance(task: Task, flatten: bool, run_keys: Array, time: Array, state: State, action: Array) -> Any:
    move_keys = jax.vmap(lambda key: step_keys(key, time)[1])(run_keys)
    moved = jax.vmap(task.advance)(move_keys, state, action)
    return moved.state, encode(jax.vmap(task.observe)(moved.state), flatten), moved.reward, moved.terminated
