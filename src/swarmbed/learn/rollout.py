"""Running a swarm through time: the scan, the auto-reset, and what ends an episode. Nowhere else.

*Terminated* means that the task reached its end; *truncated* that the time ran out first. Both reset the environment,
but only termination says that nothing more was to come, so the two are kept apart all the way to the learner.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Bool, Float, Int, PRNGKeyArray

from swarmbed.tasks.base import State, Task

# (states, transmitted, key) of a batch of environments → (actions, whatever else is worth keeping)
Act = Callable[[State, Array | None, PRNGKeyArray], tuple[Float[Array, "envs N A"], Any]]


class Environments(NamedTuple):
    """Episodes under way, one per environment."""

    state: State
    age: Int[Array, " envs"]
    episode_return: Float[Array, " envs"]
    is_whole: Bool[Array, " envs"]


class Tally(NamedTuple):
    """Sums over the whole episodes that ended; the mean of each is sum / episodes."""

    episodes: Float[Array, ""]
    returns: Float[Array, ""]
    lengths: Float[Array, ""]
    terminations: Float[Array, ""]


class Step(NamedTuple):
    """What happened in one time step, before any reset."""

    state: State
    transmitted: Float[Array, "envs N"] | None
    action: Float[Array, "envs N A"]
    extra: Any
    reward: Float[Array, " envs"]
    terminated: Bool[Array, " envs"]
    truncated: Bool[Array, " envs"]


class Segment(NamedTuple):
    """A piece of every environment's life: ``steps`` lead with (time, envs).

    ``cut_off`` holds, per environment, the states in which the time ran out, in order; (slots, envs) lead. The states
    in ``steps`` cannot show them, because the next one is already a new start.
    """

    steps: Step
    last: State
    cut_off: State
    tally: Tally


def start(task: Task, key: PRNGKeyArray, num_envs: int, *, random_age: bool = True) -> Environments:
    """New environments. With random ages one batch sees all phases of an episode from the beginning on; such first,
    partial episodes are not counted in any mean."""
    state_key, age_key = jax.random.split(key)
    state = jax.vmap(task.initial)(jax.random.split(state_key, num_envs))
    age = jax.random.randint(age_key, (num_envs,), 0, task.horizon) if random_age else jnp.zeros(num_envs, int)
    return Environments(state, age, jnp.zeros(num_envs), age == 0)


def cut_off_slots(task: Task, num_steps: int) -> int:
    """How often the time can run out in one environment within ``num_steps``."""
    return -(-num_steps // task.horizon)


def rollout(
    task: Task, act: Act, environments: Environments, key: PRNGKeyArray, num_steps: int
) -> tuple[Environments, Segment]:
    """Scan a controller or policy through ``num_steps`` of a batch of environments, resetting those that end."""
    num_envs = environments.age.shape[0]
    slots = cut_off_slots(task, num_steps)
    cut_off = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (slots, *leaf.shape)), environments.state)
    tally = Tally(*jnp.zeros(4))

    def step(carry: Any, step_key: PRNGKeyArray) -> tuple[Any, Step]:
        envs, cut_off, cuts, tally = carry
        act_key, move_key, reset_key = jax.random.split(step_key, 3)
        transmitted = jax.vmap(task.transmit)(envs.state)
        action, extra = act(envs.state, transmitted, act_key)
        next_state = jax.vmap(task.transition)(envs.state, action, jax.random.split(move_key, num_envs))
        reward = jax.vmap(task.reward)(envs.state, action, next_state)
        terminated = jax.vmap(task.terminated)(next_state)
        truncated = ~terminated & (envs.age + 1 >= task.horizon)
        ended = terminated | truncated

        slot = jnp.arange(slots)[:, None] == cuts[None, :]
        cut_off = _select(slot & truncated, next_state, cut_off)
        episode_return = envs.episode_return + reward
        counted = (ended & envs.is_whole).astype(reward.dtype)
        tally = Tally(
            tally.episodes + counted.sum(),
            tally.returns + (counted * episode_return).sum(),
            tally.lengths + (counted * (envs.age + 1)).sum(),
            tally.terminations + (counted * terminated).sum(),
        )
        envs = Environments(
            # A condition outside vmap: new starts are drawn only in the rare steps in which some episode ends.
            lax.cond(jnp.any(ended), lambda: _restart(task, ended, next_state, reset_key), lambda: next_state),
            jnp.where(ended, 0, envs.age + 1),
            jnp.where(ended, 0.0, episode_return),
            envs.is_whole | ended,
        )
        this = Step(carry[0].state, transmitted, action, extra, reward, terminated, truncated)
        return (envs, cut_off, cuts + truncated, tally), this

    carry = (environments, cut_off, jnp.zeros(num_envs, int), tally)
    (environments, cut_off, _, tally), steps = lax.scan(step, carry, jax.random.split(key, num_steps))
    return environments, Segment(steps, environments.state, cut_off, tally)


class Episode(NamedTuple):
    """One episode from its start: ``metrics`` have horizon + 1 entries, entry t after t steps, held once it ended."""

    total_return: Float[Array, ""]
    length: Int[Array, ""]
    terminated: Bool[Array, ""]
    metrics: dict[str, Float[Array, " time"]]
    states: State | None


def episode(
    task: Task,
    act: Callable[[Task, State, PRNGKeyArray], Float[Array, "N A"]],
    state: State,
    key: PRNGKeyArray,
    num_steps: int | None = None,
    *,
    keep_states: bool = False,
) -> Episode:
    """Run one swarm from ``state`` until its end or the horizon. After the end nothing moves any more."""

    def step(carry: Any, step_key: PRNGKeyArray) -> tuple[Any, Any]:
        state, total, length, ended = carry
        act_key, move_key = jax.random.split(step_key)
        action = act(task, state, act_key)
        moved = task.transition(state, action, move_key)
        total = total + jnp.where(ended, 0.0, task.reward(state, action, moved))
        length = length + jnp.where(ended, 0, 1)
        state = jax.tree.map(lambda new, old: jnp.where(ended, old, new), moved, state)
        ended = ended | task.terminated(state)
        return (state, total, length, ended), (task.metrics(state), state if keep_states else None)

    begin = (state, jnp.zeros(()), jnp.zeros((), int), task.terminated(state))
    keys = jax.random.split(key, task.horizon if num_steps is None else num_steps)
    (_, total, length, ended), (metrics, states) = lax.scan(step, begin, keys)
    prepend = lambda first, rest: jnp.concatenate([jnp.asarray(first)[None], rest])  # noqa: E731
    metrics = jax.tree.map(prepend, task.metrics(state), metrics)
    states = jax.tree.map(prepend, state, states) if keep_states else None
    return Episode(total, length, ended, metrics, states)


def _restart(task: Task, ended: Array, state: State, key: PRNGKeyArray) -> State:
    fresh = jax.vmap(task.initial)(jax.random.split(key, ended.shape[0]))
    return _select(ended, fresh, state)


def _select(condition: Array, yes: State, no: State) -> State:
    """Leaf by leaf; the condition has the leaves' leading axes."""

    def pick(a: Array, b: Array) -> Array:
        return jnp.where(condition.reshape(condition.shape + (1,) * (b.ndim - condition.ndim)), a, b)

    return jax.tree.map(pick, yes, no)
