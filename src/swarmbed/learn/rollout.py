"""Running swarms through time: batches of environments that reset themselves, and single episodes.

Both scan :meth:`Task.advance`, the one step of the project. *Terminated* means that the task reached its end;
*truncated* that the time ran out first. Both reset an environment, but only termination means that no more reward
follows, so the two are kept apart all the way to the learner.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Bool, Float, Int, PRNGKeyArray

from swarmbed.learn.strata import drawing_from, strata
from swarmbed.tasks import returned
from swarmbed.tasks.base import State, Task

# (states, transmitted, key) of a batch of environments → (actions, anything else to keep)
Act = Callable[[State, Array | None, PRNGKeyArray], tuple[Float[Array, "envs N A"], Any]]
BLOCK = 16  # steps of an episode between two looks at whether it has ended

# (task, state, key) of one swarm → actions
Control = Callable[[Task, State, PRNGKeyArray], Float[Array, "N A"]]


class Environments(NamedTuple):
    """Running episodes, one per environment. ``so_far`` follows the events and counts that the task declares."""

    state: State
    episode_return: Float[Array, " envs"]
    is_whole: Bool[Array, " envs"]
    so_far: dict[str, Float[Array, " envs"]]


class Tally(NamedTuple):
    """Sums over the whole episodes that ended; the mean of each is sum / episodes."""

    episodes: Float[Array, ""]
    returns: Float[Array, ""]
    lengths: Float[Array, ""]
    metrics: dict[str, Float[Array, ""]]


class Step(NamedTuple):
    """What happened in one time step, before any reset."""

    state: State
    transmitted: Float[Array, "envs N"] | None
    action: Float[Array, "envs N A"]
    extra: Any
    reward: Float[Array, " envs"]
    credit: Float[Array, "envs N"] | None
    terminated: Bool[Array, " envs"]
    truncated: Bool[Array, " envs"]


class Segment(NamedTuple):
    """A segment of every environment: ``steps`` lead with (time, envs).

    ``cut_off`` holds, per environment, the states in which time ran out, in order; (slots, envs) lead. The states in
    ``steps`` do not include them, because the next one is already a new start.
    """

    steps: Step
    last: State
    cut_off: State
    tally: Tally


def empty_tally(task: Task) -> Tally:
    """Of no episode."""
    nothing = jnp.zeros(())
    return Tally(nothing, nothing, nothing, {metric.name: nothing for metric in task.metrics})


def tally_of(task: Task, environments: Environments, chosen: Array) -> Tally:
    """Of the episodes of the chosen environments, as far as they have come."""
    state, episode_return, _, so_far = environments
    return counted(task, empty_tally(task), chosen, state, episode_return, so_far)


def start(task: Task, key: PRNGKeyArray, num_envs: int, *, random_age: bool = True) -> Environments:
    """New environments. With random ages one batch sees all phases of an episode from the beginning on; such first,
    partial episodes are not counted in any mean."""
    state_key, age_key = jax.random.split(key)
    begin = lambda key, sizes: drawing_from(task, sizes).initial(key)  # noqa: E731
    state = jax.vmap(begin)(jax.random.split(state_key, num_envs), strata(task, num_envs))
    if random_age:
        state = state._replace(age=jax.random.randint(age_key, (num_envs,), 0, task.horizon))
    so_far = {name: jnp.zeros(num_envs) for name in running(task)}
    return Environments(state, jnp.zeros(num_envs), state.age == 0, so_far)


def cut_off_slots(task: Task, num_steps: int) -> int:
    """How often the time can run out in one environment within ``num_steps``."""
    return -(-num_steps // task.horizon)


def rollout(
    task: Task, act: Act, environments: Environments, key: PRNGKeyArray, num_steps: int
) -> tuple[Environments, Segment]:
    """Scan a controller or policy through ``num_steps`` of a batch of environments, resetting those that end."""
    num_envs = environments.episode_return.shape[0]
    slots = cut_off_slots(task, num_steps)
    cut_off = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (slots, *leaf.shape)), environments.state)
    tally = empty_tally(task)

    def credited(*step: Any) -> Float[Array, " N"] | None:
        return returned.per_agent(task, "credit", task.credit(*step))

    def step(carry: Any, step_key: PRNGKeyArray) -> tuple[Any, Step]:
        envs, cut_off, cuts, tally = carry
        act_key, move_key, reset_key = jax.random.split(step_key, 3)
        transmitted = jax.vmap(task.transmit)(envs.state)
        action, extra = act(envs.state, transmitted, act_key)
        moved = jax.vmap(task.advance)(jax.random.split(move_key, num_envs), envs.state, action)
        ended = moved.terminated | moved.truncated

        slot = jnp.arange(slots)[:, None] == cuts[None, :]
        cut_off = select(slot & moved.truncated, moved.state, cut_off)
        episode_return = envs.episode_return + moved.reward
        so_far = followed(task, envs.so_far, moved.state)
        tally = counted(task, tally, ended & envs.is_whole, moved.state, episode_return, so_far)
        envs = renewed(task, Environments(moved.state, episode_return, envs.is_whole, so_far), ended, reset_key)
        before = carry[0].state
        credit = jax.vmap(credited)(before, action, moved.state)
        this = Step(before, transmitted, action, extra, moved.reward, credit, moved.terminated, moved.truncated)
        return (envs, cut_off, cuts + moved.truncated, tally), this

    carry = (environments, cut_off, jnp.zeros(num_envs, int), tally)
    (environments, cut_off, _, tally), steps = lax.scan(step, carry, jax.random.split(key, num_steps))
    return environments, Segment(steps, environments.state, cut_off, tally)


class Episode(NamedTuple):
    """One episode from its start: ``metrics`` have one entry more than there are steps, entry t after t steps, held
    once the episode has ended. ``states`` are as many, if they were asked for."""

    total_return: Float[Array, ""]
    length: Int[Array, ""]
    terminated: Bool[Array, ""]
    metrics: dict[str, Float[Array, " time"]]
    last: State
    states: State | None
    overlooked: Int[Array, ""] | None = None  # neighbours without a slot, over all steps; None where all have one


def episode(
    task: Task,
    control: Control,
    state: State,
    key: PRNGKeyArray,
    num_steps: int | None = None,
    *,
    keep_states: bool = False,
) -> Episode:
    """Run one swarm from ``state`` until its end or the horizon. After the end nothing moves."""
    num_steps = task.horizon if num_steps is None else num_steps

    def step(now: Progress, time: Array) -> Progress:
        state, total, length, ended, overlooked = now
        act_key, move_key = step_keys(key, time)
        unseen = task.overlooked(state)
        moved = task.advance(move_key, state, control(task, state, act_key))
        still = ended | (time >= num_steps)
        return Progress(
            jax.tree.map(lambda new, old: jnp.where(still, old, new), moved.state, state),
            total + jnp.where(still, 0.0, moved.reward),
            length + jnp.where(still, 0, 1),
            ended | (moved.terminated & ~still),
            None if overlooked is None or unseen is None else overlooked + jnp.where(still, 0, unseen),
        )

    def step_and_state(now: Progress, time: Array) -> tuple[Progress, Any]:
        # Large swarms are never side by side, so that one that has ended can save its steps.
        now = lax.cond(now.ended, lambda: now, lambda: step(now, time)) if task.is_large else step(now, time)
        return now, (task.measure(now.state), now.state)

    nobody = None if task.overlooked(state) is None else jnp.zeros((), jnp.int32)
    begin = Progress(state, jnp.zeros(()), jnp.zeros((), int), task.terminated(state), nobody)
    prepend = lambda first, rest: jnp.concatenate([jnp.asarray(first)[None], rest])  # noqa: E731
    states = None
    if keep_states:
        end, (metrics, states) = lax.scan(step_and_state, begin, jnp.arange(num_steps))
        states = jax.tree.map(prepend, state, states)
    else:
        end, metrics = _until_ended(task, step, begin, num_steps)
    metrics = jax.tree.map(prepend, task.measure(state), metrics)
    return Episode(end.total, end.length, end.ended, metrics, end.state, states, end.overlooked)


class Progress(NamedTuple):
    """How far an episode has come."""

    state: State
    total: Float[Array, ""]
    length: Int[Array, ""]
    ended: Bool[Array, ""]
    overlooked: Int[Array, ""] | None


def _until_ended(
    task: Task, step: Callable[[Progress, Array], Progress], begin: Progress, num_steps: int
) -> tuple[Progress, dict[str, Array]]:
    """Take steps in blocks until the episode has ended; of several side by side, until the last of them has.

    Nothing changes after the end, so what would be measured then is known.
    """
    size = 1 if task.is_large else min(BLOCK, max(num_steps, 1))  # a step of a large swarm takes long
    slots = max(-(-num_steps // size), 1) * size
    shapes = jax.eval_shape(lambda: task.measure(begin.state))
    metrics = jax.tree.map(lambda leaf: jnp.zeros((slots, *leaf.shape), leaf.dtype), shapes)

    def measured_step(now: Progress, time: Array) -> tuple[Progress, dict[str, Array]]:
        now = step(now, time)
        return now, task.measure(now.state)

    def is_running(carry: Any) -> Array:
        time, now, _ = carry
        return (time < num_steps) & ~now.ended

    def block(carry: Any) -> Any:
        time, now, metrics = carry
        now, measured = lax.scan(measured_step, now, time + jnp.arange(size))
        write = lambda every, new: lax.dynamic_update_slice_in_dim(every, new, time, 0)  # noqa: E731
        return time + size, now, jax.tree.map(write, metrics, measured)

    reached, end, metrics = lax.while_loop(is_running, block, (jnp.zeros((), int), begin, metrics))
    is_measured = jnp.arange(num_steps) < reached
    hold = lambda every, last: jnp.where(is_measured, every[:num_steps], last)  # noqa: E731
    return end, jax.tree.map(hold, metrics, task.measure(end.state))


def step_keys(key: PRNGKeyArray, time: Int[Array, ""]) -> tuple[PRNGKeyArray, PRNGKeyArray]:
    """The keys of one step of an episode: for the controller, and for the task. The viewer uses the same."""
    act_key, move_key = jax.random.split(jax.random.fold_in(key, time))
    return act_key, move_key


def running(task: Task) -> list[str]:
    """The metrics that have to be followed through an episode; levels only matter where it ends."""
    return [metric.name for metric in task.metrics if metric.kind != "level"]


def followed(task: Task, so_far: dict[str, Array], state: State) -> dict[str, Array]:
    if not so_far:
        return so_far
    now = jax.vmap(task.measure)(state)
    combine = {name: jnp.add if task.metric(name).kind == "count" else jnp.maximum for name in so_far}
    return {name: combine[name](value, now[name]) for name, value in so_far.items()}


def counted(
    task: Task, tally: Tally, counted: Array, state: State, episode_return: Array, so_far: dict[str, Array]
) -> Tally:
    """The tally with the episodes that just ended."""
    weight = counted.astype(episode_return.dtype)
    levels = [metric.name for metric in task.metrics if metric.kind == "level"]

    def measured() -> dict[str, Array]:
        now = jax.vmap(task.measure)(state)
        return {name: jnp.where(counted, now[name], 0.0).sum() for name in levels}

    ends = lax.cond(jnp.any(counted), measured, lambda: {name: jnp.zeros(()) for name in levels}) if levels else {}
    ends |= {name: (weight * value).sum() for name, value in so_far.items()}
    return Tally(
        tally.episodes + weight.sum(),
        tally.returns + (weight * episode_return).sum(),
        tally.lengths + (weight * state.age).sum(),
        {name: value + ends[name] for name, value in tally.metrics.items()},
    )


def renewed(task: Task, environments: Environments, ended: Array, key: PRNGKeyArray) -> Environments:
    """New episodes in place of those that ended."""
    state, episode_return, is_whole, so_far = environments

    def restarted() -> State:
        return select(ended, jax.vmap(task.initial)(jax.random.split(key, ended.shape[0])), state)

    return Environments(
        # A condition outside vmap: new starts are drawn only in the rare steps in which some episode ends.
        lax.cond(jnp.any(ended), restarted, lambda: state),
        # A return that is not finite stays, so the end of the segment shows where it was.
        jnp.where(ended & jnp.isfinite(episode_return), 0.0, episode_return),
        is_whole | ended,
        {name: jnp.where(ended, 0.0, value) for name, value in so_far.items()},
    )


def select(condition: Array, yes: State, no: State) -> State:
    """Leaf by leaf; the condition has the leaves' leading axes."""

    def pick(a: Array, b: Array) -> Array:
        return jnp.where(condition.reshape(condition.shape + (1,) * (b.ndim - condition.ndim)), a, b)

    return jax.tree.map(pick, yes, no)
