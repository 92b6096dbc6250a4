"""Numbers that are not finite, found before they are written anywhere."""

import math
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from swarmbed.compute import compiling
from swarmbed.learn.learner import TrainState
from swarmbed.spec.table import Row


def complaint(state: TrainState, row: Row, not_measured: tuple[str, ...] = ()) -> str | None:
    """Which part of a state after an iteration is not finite, in words; None if everything is."""
    returns, moving, policy, critic = jax.device_get(_compiled()(state))
    if returns.any():
        return f"the reward of environment {int(np.argmax(returns))} is not finite"
    if moving.any():
        return f"the state of environment {int(np.argmax(moving))} is not finite"
    for name, broken in (("policy", policy), ("critic", critic)):
        if broken:
            return f"the {name} is not finite after its update"
    # Without a whole episode there is no mean; with one there is.
    if row["episodes"] > 0 and not math.isfinite(row["mean_return"]):
        return "the return of an episode is not finite"
    for name in ("kl", "surrogate", "entropy"):
        if name not in not_measured and not math.isfinite(row[name]):
            return f"the metric {name} is not finite"
    return None


@cache
def _compiled() -> Any:
    return jax.jit(_looked_at, compiler_options=compiling.once())


def _looked_at(state: TrainState) -> Any:
    """Which environments have a reward or an agent that is not finite; whether policy and critic have such a number."""
    environments = state.environments
    there = environments.state.present

    def broken(leaf: Any) -> Any:
        axes = tuple(range(2, leaf.ndim))
        return (~jnp.isfinite(leaf).all(axis=axes) & there).any(axis=1)

    agents = [broken(leaf) for leaf in jax.tree.leaves(environments.state.agents)]
    moving = jnp.stack(agents).any(axis=0) if agents else jnp.zeros(there.shape[0], bool)
    some = lambda tree: jnp.array([~jnp.isfinite(leaf).all() for leaf in _floats(tree)]).any()  # noqa: E731
    return ~jnp.isfinite(environments.episode_return), moving, some(state.policy), some(state.critic)


def _floats(tree: Any) -> list[Any]:
    return [leaf for leaf in jax.tree.leaves(tree) if jnp.issubdtype(leaf.dtype, jnp.floating)]
