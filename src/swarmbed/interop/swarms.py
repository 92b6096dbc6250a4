"""Several swarms that an external loop steps: one jitted call per step.

Each swarm has its own stream of random keys, which starts at its seed. Every reset and every step takes the next key:

    stream = jax.random.key(seed)
    stream, key = jax.random.split(stream);    observation, state = task.reset(key)
    stream, key = jax.random.split(stream);    task.step(key, state, action)          and so on

So a swarm depends on its seed and its actions alone, not on how many others run beside it, and a scan over
``task.step`` with these keys goes through the same states.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jaxtyping import Bool, Float, UInt32

from swarmbed.interop.spaces import encode
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks.base import State, Task

Autoreset = Literal["none", "next_step", "same_step"]
WORD = 32  # bits of a seed that a random key takes at a time


class Swarms(NamedTuple):
    """Running episodes, one per swarm. Keys are plain numbers, so everything can be copied and pickled."""

    state: State
    ended: Bool[Array, " swarms"]
    keys: UInt32[Array, "swarms words"]


class View(NamedTuple):
    """What is visible of the swarms: one observation per agent, swarm after swarm; the metrics of each swarm, and which
    of its agents are present. The observation of an absent agent is all zeros."""

    observation: Any
    metrics: dict[str, Float[Array, " swarms"]]
    present: Bool[Array, "swarms N"]


class Outcome(NamedTuple):
    """The outcome of one step for each swarm. ``final`` is the view before a reset in the same step, if there was
    one."""

    view: View
    reward: Float[Array, " swarms"]
    terminated: Bool[Array, " swarms"]
    truncated: Bool[Array, " swarms"]
    final: View | None


def seeded(seeds: Sequence[int]) -> UInt32[Array, "swarms words"]:
    """The start of each swarm's stream of keys. Any whole number that is not negative is a seed, however large."""
    rest = [checked_seed(seed) for seed in seeds]
    keys = jax.vmap(jax.random.key)(_low_words(rest))
    while any(rest := [seed >> WORD for seed in rest]):
        # A key takes 32 bits, so what is left of a larger seed is folded into it.
        is_longer = np.array([seed > 0 for seed in rest])
        keys = jnp.where(is_longer, jax.vmap(jax.random.fold_in)(keys, _low_words(rest)), keys)
    return jax.random.key_data(keys)


def checked_seed(seed: Any) -> int:
    """The seed as a Python number."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise SwarmbedError(f"seed must be a whole number of at least 0, not {seed!r}")
    return int(seed)


def fresh_seed() -> int:
    """A seed that is different every time."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])


@partial(jax.jit, static_argnames=("task", "flatten"))
def begin(task: Task, keys: UInt32[Array, "swarms words"], *, flatten: bool) -> tuple[Swarms, View]:
    """New episodes for all swarms."""
    keys, use = _next(keys)
    state = jax.vmap(task.initial)(use)
    return Swarms(state, jnp.zeros(len(keys), bool), keys), _view(task, state, flatten)


@partial(jax.jit, static_argnames=("task", "flatten"))
def restart(task: Task, swarms: Swarms, which: Bool[Array, " swarms"], *, flatten: bool) -> tuple[Swarms, View]:
    """New episodes for the swarms ``which``; the others, and their random numbers, stay where they are."""
    keys, use = _next(swarms.keys)
    state = _restart(task, which, swarms.state, use)
    keys = jnp.where(which[:, None], keys, swarms.keys)
    return Swarms(state, swarms.ended & ~which, keys), _view(task, state, flatten)


@partial(jax.jit, static_argnames=("task", "flatten", "autoreset"))
def advance(
    task: Task, swarms: Swarms, action: Float[Array, "agents A"], *, flatten: bool, autoreset: Autoreset = "none"
) -> tuple[Swarms, Outcome]:
    """One time step of every swarm, which is :meth:`Task.advance`: it counts the time, and says when it is up.

    With autoreset ``next_step``, a swarm that ended in the step before is reset instead: its actions are ignored and
    its reward is 0. With ``same_step``, it is reset at once, in the step in which it ends.
    """
    keys, use = _next(swarms.keys)
    action = action.reshape(len(keys), task.num_agents, task.action_size)
    state, reward, terminated, truncated = jax.vmap(task.advance)(use, swarms.state, action)
    if autoreset == "next_step":
        over = swarms.ended
        state, reward = _restart(task, over, state, use), jnp.where(over, 0.0, reward)
        terminated, truncated = terminated & ~over, truncated & ~over
    ended, view, final = terminated | truncated, _view(task, state, flatten), None
    if autoreset == "same_step":
        new_keys, use = _next(keys)
        keys = jnp.where(ended[:, None], new_keys, keys)
        state, final = _restart(task, ended, state, use), view
        view = lax.cond(jnp.any(ended), lambda: _view(task, state, flatten), lambda: final)
    return Swarms(state, ended, keys), Outcome(view, reward, terminated, truncated, final)


def _low_words(seeds: list[int]) -> np.ndarray:
    return np.array([seed % 2**WORD for seed in seeds], np.uint32)


def _next(keys: Array) -> tuple[Array, Array]:
    """The streams one key further, and the keys to use now."""
    pairs = jax.vmap(jax.random.split)(jax.random.wrap_key_data(keys))
    return jax.random.key_data(pairs[:, 0]), pairs[:, 1]


def _view(task: Task, state: State, flatten: bool) -> View:
    there = lambda column: jnp.where(_like(state.present, column), column, jnp.zeros_like(column))  # noqa: E731
    observation = jax.tree.map(there, jax.vmap(task.observe)(state))
    return View(encode(observation, flatten), jax.vmap(task.measure)(state), state.present)


def _restart(task: Task, which: Array, state: State, keys: Array) -> State:
    """New starts in the swarms ``which``; drawn only in the rare steps in which there is one."""

    def pick(fresh: Array, old: Array) -> Array:
        return jnp.where(_like(which, old), fresh, old)

    restarted: State = lax.cond(
        jnp.any(which), lambda: jax.tree.map(pick, jax.vmap(task.initial)(keys), state), lambda: state
    )
    return restarted


def _like(condition: Array, values: Array) -> Array:
    """A condition over the leading axes, ready for ``where`` with values that have more."""
    return condition.reshape(*condition.shape, *(1,) * (values.ndim - condition.ndim))
