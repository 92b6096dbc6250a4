"""Episodes, or a stretch of each, as one differentiable function of the policy.

Going back through a step needs everything that the step computed, which for pairs of agents is a lot. So only the
states between the steps are kept, and each step is computed again on the way back.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Bool, Float, PRNGKeyArray

from swarmbed.learn import rollout
from swarmbed.learn.rollout import Act, Environments
from swarmbed.tasks.base import State, Task


class Told(NamedTuple):
    """Where the environments are now, and which of them came to the end of an episode."""

    environments: Environments
    ended: Bool[Array, " envs"]


def fading(state: State, kept: float) -> State:
    """The same state, through which only a share of the gradient passes.

    Swarms are chaotic: the exact gradient of a long episode is dominated by the few paths along which it grows.
    """
    if isinstance(kept, float) and kept == 1:
        return state
    half = lambda leaf: kept * leaf + (1 - kept) * lax.stop_gradient(leaf)  # noqa: E731
    return jax.tree.map(lambda leaf: half(leaf) if jnp.issubdtype(leaf.dtype, jnp.floating) else leaf, state)


def discounted_return(
    task: Task, act: Act, start: Environments, key: PRNGKeyArray, num_steps: int, discount: float, kept: float = 1.0
) -> tuple[Float[Array, ""], Told]:
    """E[Σ_t γᵗ r_t] over the swarms, of ``num_steps`` steps or until the end; nothing counts after that.

    ``kept`` scales the gradient with respect to the state in every step back in time; the value does not depend on it.
    """
    num_envs = start.episode_return.shape[0]

    def step(carry: Any, time: Array) -> tuple[Any, None]:
        envs, going, objective = carry
        envs = envs._replace(state=fading(envs.state, kept))
        act_key, move_key = rollout.step_keys(key, time)
        action, _ = act(envs.state, jax.vmap(task.transmit)(envs.state), act_key)
        moved = jax.vmap(task.advance)(jax.random.split(move_key, num_envs), envs.state, action)
        reward = jnp.where(going, moved.reward, 0.0)
        state = rollout.select(going, moved.state, envs.state)
        so_far = rollout.followed(task, envs.so_far, state)
        so_far = {name: jnp.where(going, value, envs.so_far[name]) for name, value in so_far.items()}
        envs = Environments(state, envs.episode_return + reward, envs.is_whole, so_far)
        going = going & ~(moved.terminated | moved.truncated)
        return (envs, going, objective + discount**time * reward), None

    carry = (start, jnp.ones(num_envs, bool), jnp.zeros(num_envs))
    times = jnp.arange(num_steps)
    (environments, going, objective), _ = lax.scan(jax.checkpoint(step), carry, times)
    return objective.mean(), jax.tree.map(lax.stop_gradient, Told(environments, ~going))
