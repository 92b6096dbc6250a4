"""Disturbed messages. Everything an agent knows about a neighbour arrives in a message: its position, heading and speed
and what it transmits. A lost message is an absent element of the set; a late one holds an earlier state.
"""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Int

from swarmbed.tasks.base import State, Task
from swarmbed.tasks.disturbances import chance
from swarmbed.tasks.disturbances.state import Past, strength_of


def arrived(state: State, viewers: Int[Array, " M"], targets: Int[Array, "... T"]) -> Bool[Array, "M T"] | None:
    """On which links a message arrives in this step; None where all do."""
    loss = strength_of(state, "message_loss")
    if loss is None:
        return None
    disturbance = state.disturbance
    sender = disturbance.identity[targets]
    sender = sender if sender.ndim == 2 else sender[None, :]
    drawn = chance.words(disturbance.key, chance.LINK, state.age, disturbance.identity[viewers][:, None], sender)[0]
    return chance.uniform(drawn) >= loss


def told(state: State, transmitted: Array | None) -> Past:
    """The content of the messages that arrive now: the state and transmitted number of all agents, k steps ago if late.

    Before the k-th step they hold the start.
    """
    now = Past(state.agents, state.present, transmitted)
    delay = strength_of(state, "message_delay")
    if delay is None:
        return now
    past = state.disturbance.past
    past = past if transmitted is not None else past._replace(transmitted=None)
    steps = jnp.clip(delay.astype(jnp.int32), 0, past.present.shape[0])
    choose = lambda new, old: jnp.concatenate([new[None], old])[steps]  # noqa: E731
    chosen: Past = jax.tree.map(choose, now, past)
    return chosen


def remember(task: Task, state: State) -> Any:
    """The disturbance of the next state: the current messages move into the past."""
    disturbance = state.disturbance
    if disturbance is None or disturbance.past is None:
        return disturbance
    shift = lambda new, old: jnp.concatenate([new[None], old[:-1]])  # noqa: E731
    now = Past(state.agents, state.present, task.transmit(state))
    return disturbance._replace(past=jax.tree.map(shift, now, disturbance.past))
