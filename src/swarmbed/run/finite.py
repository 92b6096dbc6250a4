"""Numbers that are not finite, found before they are written anywhere."""

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from swarmbed.compute import compiling
from swarmbed.learn.learner import TrainState
from swarmbed.spec.table import Row
from swarmbed.tasks.state import present_agents


def complaint(
    state: TrainState, row: Row, mesh: Mesh, declared: Sequence[str] = (), not_measured: Sequence[str] = ()
) -> str | None:
    """Which part of a state after an iteration is not finite, in words; None if everything is.

    ``declared`` are the metrics of the task, ``not_measured`` those that an algorithm does not have.

    Of a run on several machines, every process is told the same.
    """
    returns, moving, policy, memory, critic = jax.device_get(_compiled(mesh)(state))
    if returns.any():
        return f"the reward of environment {int(np.argmax(returns))} is not finite"
    if moving.any():
        return f"the state of environment {int(np.argmax(moving))} is not finite"
    for name, broken in (("policy", policy), ("memory of the algorithm", memory), ("critic", critic)):
        if broken:
            return f"the {name} is not finite after its update"
    # Without a whole episode there is no mean; with one there is.
    measured = [*(["mean_return"] if row["episodes"] > 0 else []), "kl", "surrogate", "entropy"]
    for name in measured:
        if name not in not_measured and not math.isfinite(row[name]):
            return f"the metric {name} is not finite"
    for name in declared if row["episodes"] > 0 else ():
        if math.isnan(row[name]):  # the distance of nobody may be infinite
            return f"the metric {name} is not a number"
    return None


@cache
def _compiled(mesh: Mesh) -> Any:
    everywhere = NamedSharding(mesh, PartitionSpec())
    return jax.jit(_looked_at, out_shardings=everywhere, compiler_options=compiling.once())


def _looked_at(state: TrainState) -> Any:
    """Which environments have a reward, or an agent or evader, that is not finite; whether what is learned has such a
    number."""
    environments = state.environments
    bodies = jax.tree.leaves((present_agents(environments.state), environments.state.evaders))
    moving = [~jnp.isfinite(leaf).all(axis=tuple(range(1, leaf.ndim))) for leaf in bodies]
    stuck = jnp.stack(moving).any(axis=0)
    some = lambda tree: jnp.array([~jnp.isfinite(leaf).all() for leaf in _floats(tree)]).any()  # noqa: E731
    learned = (some(part) for part in (state.policy, state.memory, state.critic))
    return ~jnp.isfinite(environments.episode_return), stuck, *learned


def _floats(tree: Any) -> list[Any]:
    return [leaf for leaf in jax.tree.leaves(tree) if jnp.issubdtype(leaf.dtype, jnp.floating)]
