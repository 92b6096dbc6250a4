"""From a segment of a swarm's life to a batch of samples: a few agents per swarm, their advantages and targets."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Float, Int, PRNGKeyArray

from swarmbed.algorithms.base import AXIS, Algorithm, Batch, PolicyParams
from swarmbed.learn.advantage import advantages, next_values
from swarmbed.learn.critic import Critic, Value
from swarmbed.learn.rollout import Act, Environments, Segment, rollout
from swarmbed.networks.network import Inputs, Network, flatten_agents, merge_leading
from swarmbed.tasks.base import State, Task


class Sampling(NamedTuple):
    """How a batch comes about on one device: groups of environments run one after the other to stay in the cache."""

    environments: int
    steps: int
    agents: int
    group: int


def act_with(task: Task, network: Network, params: PolicyParams) -> Act:
    """A Gaussian policy for all agents of all environments at once; keeps the means for the learner."""
    everybody = jnp.arange(task.num_agents)

    def act(state: State, transmitted: Array | None, key: PRNGKeyArray) -> tuple[Array, Array]:
        seen = jax.vmap(lambda s, t: task.observe_from(s, everybody, t))(state, transmitted)
        mean = network.apply(params.network, network.prepare(flatten_agents(seen)))
        mean = mean.reshape(-1, task.num_agents, task.action_size)
        noise = jax.random.normal(key, mean.shape, mean.dtype)
        return mean + jnp.exp(params.log_std) * noise, mean

    return act


def collect(
    task: Task, network: Network, params: PolicyParams, environments: Environments, key: PRNGKeyArray, how: Sampling
) -> tuple[Environments, Segment]:
    """Run this device's environments, group by group. Time and environments lead in the result as in one rollout."""
    groups = how.environments // how.group
    act = act_with(task, network, params)
    split = jax.tree.map(lambda leaf: leaf.reshape(groups, how.group, *leaf.shape[1:]), environments)
    run = lambda group: rollout(task, act, group[0], group[1], how.steps)  # noqa: E731
    environments, segment = lax.map(run, (split, jax.random.split(key, groups)))
    merge = lambda leaf: leaf.reshape(how.environments, *leaf.shape[2:])  # noqa: E731
    beside = lambda leaf: jnp.moveaxis(leaf, 0, 1).reshape(leaf.shape[1], how.environments, *leaf.shape[3:])  # noqa: E731
    return jax.tree.map(merge, environments), Segment(
        jax.tree.map(beside, segment.steps),
        jax.tree.map(merge, segment.last),
        jax.tree.map(beside, segment.cut_off),
        jax.tree.map(lambda leaf: leaf.sum(0), segment.tally),
    )


def make_batch(
    task: Task, value: Value, critic: Critic, algorithm: Algorithm, segment: Segment, key: PRNGKeyArray, how: Sampling
) -> Batch:
    """Look at the segment through the eyes of a few agents per environment, and shuffle what they saw."""
    agents_key, shuffle_key = jax.random.split(key)
    steps = segment.steps
    viewers = _draw_agents(agents_key, how.environments, task.num_agents, how.agents)

    def look(state: State, transmitted: Array | None) -> tuple[Inputs, Float[Array, "envs agents"]]:
        seen = jax.vmap(task.observe_from)(state, viewers, transmitted)
        inputs = value.network.prepare(flatten_agents(seen))
        return inputs, value.predict(critic, inputs).reshape(viewers.shape)

    def look_again(state: State) -> Float[Array, "envs agents"]:
        return look(state, jax.vmap(task.transmit)(state))[1]

    inputs, values = lax.map(lambda step: look(*step), (steps.state, steps.transmitted))
    last, cut_off = look_again(segment.last), lax.map(look_again, segment.cut_off)

    spread = lambda leaf: jnp.broadcast_to(leaf[..., None], values.shape)  # noqa: E731
    terminated, truncated = spread(steps.terminated), spread(steps.truncated)
    following = next_values(values, last, cut_off, truncated)
    final = terminated | truncated if algorithm.time_limit == "terminal" else terminated
    advantage = advantages(
        spread(steps.reward), values, following, final, terminated | truncated, algorithm.discount, algorithm.gae_lambda
    )
    chosen = lambda leaf: jnp.take_along_axis(leaf, viewers[None, :, :, None], axis=2)  # noqa: E731
    rows = lambda leaf: merge_leading(leaf, 3)  # noqa: E731
    batch = Batch(
        jax.tree.map(lambda leaf: merge_leading(leaf, 2), inputs),
        rows(chosen(steps.action)),
        rows(chosen(steps.extra)),
        rows(_standardised(advantage)),
        rows(advantage + values),
        rows(values),
    )
    order = jax.random.permutation(shuffle_key, values.size)
    return jax.tree.map(lambda leaf: leaf[order], batch)


def _draw_agents(key: PRNGKeyArray, environments: int, num_agents: int, count: int) -> Int[Array, "envs agents"]:
    """``count`` different agents for every environment; the same for the whole segment, as advantages need."""
    draw = lambda k: jax.random.permutation(k, num_agents)[:count]  # noqa: E731
    return jax.vmap(draw)(jax.random.split(key, environments))


def _standardised(advantage: Array) -> Array:
    """Mean 0, deviation 1, over the samples of all devices."""
    mean = lax.pmean(advantage.mean(), AXIS)
    variance = lax.pmean(jnp.square(advantage - mean).mean(), AXIS)
    return (advantage - mean) / jnp.sqrt(variance + 1e-12)
