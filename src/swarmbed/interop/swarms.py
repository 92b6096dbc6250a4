"""Several swarms that somebody else's loop steps from outside: one jitted call per step, NumPy in and out.

Each swarm has its own stream of random keys, which starts at its seed: every reset and every step takes the next key.
So a swarm's life depends on its seed and its actions alone, not on how many others run beside it.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jaxtyping import Bool, Float, Int, UInt32

from swarmbed.interop.spaces import encode
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks.base import State, Task

Autoreset = Literal["none", "next_step", "same_step"]
WORD = 32  # bits of a seed that a random key takes at a time


class Swarms(NamedTuple):
    """Episodes under way, one per swarm. Plain arrays throughout, so that they can be copied and pickled."""

    state: State
    age: Int[Array, " swarms"]
    ended: Bool[Array, " swarms"]
    keys: UInt32[Array, "swarms words"]


class View(NamedTuple):
    """What can be seen of the swarms: one observation per agent, swarm after swarm, and the metrics of each swarm."""

    observation: Any
    metrics: dict[str, Float[Array, " swarms"]]


class Outcome(NamedTuple):
    """What one step brought each swarm. ``final`` is the view before a reset in the same step, if there was one."""

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
    return Swarms(state, jnp.zeros(len(keys), int), jnp.zeros(len(keys), bool), keys), _view(task, state, flatten)


@partial(jax.jit, static_argnames=("task", "flatten", "autoreset"))
def advance(
    task: Task, swarms: Swarms, action: Float[Array, "agents A"], *, flatten: bool, autoreset: Autoreset = "none"
) -> tuple[Swarms, Outcome]:
    """One time step.

    With autoreset ``next_step``, a swarm that ended in the step before is reset instead: its actions are ignored and
    its reward is 0. With ``same_step``, it is reset at once, in the step in which it ends.
    """
    keys, use = _next(swarms.keys)
    action = action.reshape(len(keys), task.num_agents, task.action_size)
    state = jax.vmap(task.transition)(swarms.state, action, use)
    reward = jax.vmap(task.reward)(swarms.state, action, state)
    terminated = jax.vmap(task.terminated)(state)
    age = swarms.age + 1
    if autoreset == "next_step":
        over = swarms.ended
        state = _restart(task, over, state, use)
        reward, terminated, age = jnp.where(over, 0.0, reward), terminated & ~over, jnp.where(over, 0, age)
    # The time a swarm has left is never 0 after a restart, because a horizon is at least 1.
    truncated = ~terminated & (age >= task.horizon)
    ended, view, final = terminated | truncated, _view(task, state, flatten), None
    if autoreset == "same_step":
        new_keys, use = _next(keys)
        keys, age = jnp.where(ended[:, None], new_keys, keys), jnp.where(ended, 0, age)
        state, final = _restart(task, ended, state, use), view
        view = lax.cond(jnp.any(ended), lambda: _view(task, state, flatten), lambda: final)
    return Swarms(state, age, ended, keys), Outcome(view, reward, terminated, truncated, final)


def as_numpy(tree: Any) -> Any:
    """Arrays that belong to the caller, who may write into them."""
    return jax.tree.map(np.array, tree)


def checked_actions(task: Task, actions: Any, count: int, owner: str) -> np.ndarray:
    """Actions of ``count`` agents as one array of numbers; ``owner`` names in an error who needs that shape."""
    try:
        array = np.asarray(actions, np.float32)
    except (TypeError, ValueError):
        raise SwarmbedError(f"actions of {owner} must be numbers, not {actions!r}") from None
    wanted = (count, task.action_size)
    if array.shape != wanted:
        raise SwarmbedError(f"actions of {owner} must have shape {wanted}, not {array.shape}")
    if not np.isfinite(array).all():
        raise SwarmbedError(f"actions of {owner} must be finite numbers, but hold NaN or infinity")
    return array


def _low_words(seeds: list[int]) -> np.ndarray:
    return np.array([seed % 2**WORD for seed in seeds], np.uint32)


def _next(keys: Array) -> tuple[Array, Array]:
    """The streams one key further, and the keys to use now."""
    pairs = jax.vmap(jax.random.split)(jax.random.wrap_key_data(keys))
    return jax.random.key_data(pairs[:, 0]), pairs[:, 1]


def _view(task: Task, state: State, flatten: bool) -> View:
    return View(encode(jax.vmap(task.observe)(state), flatten), jax.vmap(task.metrics)(state))


def _restart(task: Task, which: Array, state: State, keys: Array) -> State:
    """New starts in the swarms ``which``; drawn only in the rare steps in which there is one."""

    def pick(fresh: Array, old: Array) -> Array:
        return jnp.where(which.reshape(-1, *(1,) * (old.ndim - 1)), fresh, old)

    restarted: State = lax.cond(
        jnp.any(which), lambda: jax.tree.map(pick, jax.vmap(task.initial)(keys), state), lambda: state
    )
    return restarted
