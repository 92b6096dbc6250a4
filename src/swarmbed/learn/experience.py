"""From a segment of a swarm's life to a batch of samples: a few agents per swarm, their advantages and targets."""

from math import prod
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Bool, Float, Int, PRNGKeyArray

from swarmbed.algorithms.base import Algorithm, Batch, PolicyParams
from swarmbed.compute import devices
from swarmbed.embeddings.ragged import as_wide_as_filled, last_filled
from swarmbed.learn.advantage import advantages, next_values
from swarmbed.learn.critic import Critic, Value
from swarmbed.learn.rollout import Act, Environments, Segment, rollout
from swarmbed.learn.strata import Sizes, drawing_from, is_ragged, strata, with_every_slot, with_slots
from swarmbed.networks.base import Model
from swarmbed.tasks.base import Observation, State, Task


class Sampling(NamedTuple):
    """How a batch comes about on one device: groups of environments run one after the other to stay in the cache."""

    environments: int
    steps: int
    agents: int
    group: int


def act_with(task: Task, model: Model, params: PolicyParams, shared_noise: float = 0.0) -> Act:
    """A Gaussian policy for all agents of all environments at once; keeps the means for the learner.

    ``shared_noise`` is the share ρ of the noise's variance that the agents of a swarm have in common. What each agent
    does is as likely as before, so learners need not know: ε^i = √ρ ε + √(1 − ρ) ε′^i.
    """

    def act(state: State, transmitted: Array | None, key: PRNGKeyArray) -> tuple[Array, Array]:
        if task.is_large:
            apply = lambda seen: model.apply(params.network, model.prepare(seen))  # noqa: E731
            mean = lax.map(lambda one: task.across_agents(one[0], one[1], apply), (state, transmitted))
        elif is_ragged(model) and model.any_number_of_slots and state.extra is None and state.disturbance is None:
            mean = _means_of_ragged(task, model, params, state, transmitted)
        else:
            mean = _means(task, model, params, state, transmitted)
        noise = _noise(key, mean, shared_noise)
        return mean + jnp.exp(params.log_std) * noise, mean

    return act


def _means(
    task: Task, model: Model, params: PolicyParams, state: State, transmitted: Array | None
) -> Float[Array, "envs N A"]:
    everybody = jnp.arange(task.num_agents)
    seen = jax.vmap(lambda s, t: task.observe_from(s, everybody, t))(state, transmitted)
    mean = model.apply(params.network, model.prepare(flatten_agents(seen)))
    return mean.reshape(-1, task.num_agents, task.action_size)


def _means_of_ragged(
    task: Task, model: Model, params: PolicyParams, state: State, transmitted: Array | None
) -> Float[Array, "envs N A"]:
    """With hardly more slots than the largest of these swarms fills."""

    def of_width(width: int) -> Float[Array, "envs N A"]:
        narrow, few = with_slots(task, state, width)
        sent = None if transmitted is None else transmitted[:, :width]
        mean = _means(narrow, with_every_slot(model, width), params, few, sent)
        return jnp.pad(mean, ((0, 0), (0, task.num_agents - width), (0, 0)))

    return as_wide_as_filled(of_width, last_filled(state.present).max(), task.num_agents)


def _noise(key: PRNGKeyArray, mean: Float[Array, "envs N A"], shared: float) -> Float[Array, "envs N A"]:
    if isinstance(shared, float) and shared == 0:
        return jax.random.normal(key, mean.shape, mean.dtype)
    own_key, common_key = jax.random.split(key)
    own = jax.random.normal(own_key, mean.shape, mean.dtype)
    common = jax.random.normal(common_key, (mean.shape[0], 1, mean.shape[2]), mean.dtype)
    return jnp.sqrt(shared) * common + jnp.sqrt(1.0 - shared) * own


def collect(
    task: Task, act: Act, environments: Environments, key: PRNGKeyArray, how: Sampling
) -> tuple[Environments, Segment]:
    """Run this device's environments, group by group. Time and environments lead in the result as in one rollout."""
    groups = how.environments // how.group
    split = jax.tree.map(lambda leaf: leaf.reshape(groups, how.group, *leaf.shape[1:]), environments)

    def run(group: tuple[Environments, PRNGKeyArray, Sizes | None]) -> tuple[Environments, Segment]:
        environments, key, sizes = group
        return rollout(drawing_from(task, sizes), act, environments, key, how.steps)

    environments, segment = lax.map(run, (split, jax.random.split(key, groups), strata(task, groups)))
    merge = lambda leaf: leaf.reshape(how.environments, *leaf.shape[2:])  # noqa: E731
    beside = lambda leaf: jnp.moveaxis(leaf, 0, 1).reshape(leaf.shape[1], how.environments, *leaf.shape[3:])  # noqa: E731
    return jax.tree.map(merge, environments), Segment(
        jax.tree.map(beside, segment.steps),
        jax.tree.map(merge, segment.last),
        jax.tree.map(beside, segment.cut_off),
        jax.tree.map(lambda leaf: leaf.sum(0), segment.tally),
    )


def make_batch(
    task: Task,
    value: Value,
    critic: Critic,
    algorithm: Algorithm,
    segment: Segment,
    key: PRNGKeyArray,
    how: Sampling,
    policy: Model | None = None,
) -> Batch:
    """Observe the segment as a few agents per environment, and shuffle what they saw.

    ``policy`` is the policy's model, where the critic sees more than the policy does.

    A batch holds only samples of present agents. Where some were absent, other samples take their place.
    """
    agents_key, shuffle_key = jax.random.split(key)
    steps = segment.steps
    viewers = _draw_agents(agents_key, jax.tree.map(lambda leaf: leaf[0], steps.state).present, how.agents)

    def look(state: State, transmitted: Array | None) -> tuple[Any, Float[Array, "envs agents"]]:
        seen = jax.vmap(task.observe_from)(state, viewers, transmitted)
        if policy is None:
            inputs = value.model.prepare(flatten_agents(seen))
            return (inputs, None), value.predict(critic, inputs).reshape(viewers.shape)
        overview: Any = jax.vmap(task.overview)(state, viewers)
        judged = value.model.prepare(flatten_agents(seen._replace(sets=(*seen.sets, overview))))
        inputs = policy.prepare(flatten_agents(seen))
        return (inputs, judged), value.predict(critic, judged).reshape(viewers.shape)

    # The last states and the truncated ones come after the steps: one loop, compiled once, observes all.
    rest = jax.tree.map(lambda one, more: jnp.concatenate([one[None], more]), segment.last, segment.cut_off)
    transmitted = lax.map(jax.vmap(task.transmit), rest)
    seen = jax.tree.map(
        lambda first, more: jnp.concatenate([first, more]), (steps.state, steps.transmitted), (rest, transmitted)
    )
    inputs, values = lax.map(lambda step: look(*step), seen)
    inputs = jax.tree.map(lambda leaf: leaf[: how.steps], inputs)
    values, last, cut_off = values[: how.steps], values[how.steps], values[how.steps + 1 :]

    present = jnp.take_along_axis(seen[0].present, viewers[None], axis=2)
    there, last_there, cut_off_there = present[: how.steps], present[how.steps], present[how.steps + 1 :]
    spread = lambda leaf: jnp.broadcast_to(leaf[..., None], values.shape)  # noqa: E731
    terminated, truncated = spread(steps.terminated), spread(steps.truncated)
    following = next_values(values, last, cut_off, truncated)
    # An agent that leaves has reached its own end, though the swarm continues: nothing that follows is its own.
    left = there & ~next_values(there, last_there, cut_off_there, truncated)
    final = terminated | left | (truncated if algorithm.time_limit == "terminal" else False)
    ended = terminated | truncated | left
    own = steps.credit
    reward = spread(steps.reward) if own is None else jnp.take_along_axis(own, viewers[None], axis=2)
    advantage = advantages(reward, values, following, final, ended, algorithm.discount, algorithm.gae_lambda)
    chosen = lambda leaf: jnp.take_along_axis(leaf, viewers[None, :, :, None], axis=2)  # noqa: E731
    rows = lambda leaf: merge_leading(leaf, 3)  # noqa: E731
    inputs, judged = jax.tree.map(lambda leaf: merge_leading(leaf, 2), inputs)
    batch = Batch(
        inputs,
        rows(chosen(steps.action)),
        rows(chosen(steps.extra)),
        rows(_standardised(advantage, there)),
        rows(advantage + values),
        rows(values),
        judged,
    )
    order = _shuffled(shuffle_key, rows(there))
    if is_ragged(value.model):
        places = last_filled(seen[0].present[: how.steps])
        smallest = min(value.minibatch, getattr(algorithm, "minibatch", value.minibatch))
        order = _by_size(order, rows(spread(places)), max(1, smallest // devices.device_count()))
    return jax.tree.map(lambda leaf: leaf[order], batch)


def _draw_agents(key: PRNGKeyArray, present: Bool[Array, "envs N"], count: int) -> Int[Array, "envs agents"]:
    """``count`` different agents for every environment, present ones first; the same for the whole segment, as
    advantages need."""

    def draw(key: PRNGKeyArray, present: Bool[Array, " N"]) -> Int[Array, " agents"]:
        drawn = jax.random.permutation(key, present.shape[0])
        return drawn[jnp.argsort(~present[drawn], stable=True)][:count]

    return jax.vmap(draw)(jax.random.split(key, present.shape[0]), present)


def _shuffled(key: PRNGKeyArray, there: Bool[Array, " B"]) -> Int[Array, " B"]:
    """The indices of all samples in random order; those of absent agents are replaced by present ones, in turn."""
    order = jax.random.permutation(key, there.shape[0])
    rank = jnp.cumsum(there[order]) - 1
    # Present samples move up to their rank, absent ones beyond the end, where they are dropped.
    present = jnp.zeros_like(order).at[jnp.where(there[order], rank, there.shape[0])].set(order, mode="drop")
    return present[jnp.arange(there.shape[0]) % jnp.maximum(rank[-1] + 1, 1)]


def _by_size(order: Int[Array, " B"], places: Int[Array, " B"], minibatch: int) -> Int[Array, " B"]:
    """The same minibatches, each with its smallest swarms first, so that pieces of it have sets of about one size."""
    whole = order.shape[0] // minibatch * minibatch
    sort = lambda some: some[jnp.argsort(places[some])]  # noqa: E731
    parts = [jax.vmap(sort)(order[:whole].reshape(-1, minibatch)).reshape(-1), sort(order[whole:])]
    return jnp.concatenate(parts)


def _standardised(advantage: Array, there: Array) -> Array:
    """Mean 0, deviation 1, over the samples of all devices."""
    count = devices.mean_over_devices(there.mean(dtype=advantage.dtype))
    mean = devices.mean_over_devices(jnp.where(there, advantage, 0.0).mean()) / count
    variance = devices.mean_over_devices(jnp.where(there, jnp.square(advantage - mean), 0.0).mean()) / count
    return (advantage - mean) / jnp.sqrt(variance + 1e-12)


def flatten_agents(observation: Observation) -> Observation:
    """(environments, agents, …) → (environments · agents, …)."""
    return jax.tree.map(lambda leaf: merge_leading(leaf, 2), observation)


def merge_leading(leaf: Array, count: int) -> Array:
    """The first ``count`` axes as one; unlike reshape(-1, …) this also works where a later axis is empty."""
    return leaf.reshape(prod(leaf.shape[:count]), *leaf.shape[count:])
