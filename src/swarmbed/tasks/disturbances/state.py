"""What an episode has drawn of its disturbances, as part of the state."""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int, PRNGKeyArray, UInt32

from swarmbed.sim.unicycle import Agents
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks.base import State
from swarmbed.tasks.disturbances import chance
from swarmbed.tasks.disturbances.settings import BY_NAME, KINDS, Disturbed

_FOLD = 0x64697374  # folded into the key of a start, which itself stays the same as without disturbances
ORDERS = {"stop_share": chance.STOP_ORDER, "contrary_agents": chance.CONTRARY_ORDER}


class Past(NamedTuple):
    """What all agents transmitted one step ago, two steps ago, …: K of them."""

    agents: Agents
    present: Bool[Array, "K N"]
    transmitted: Float[Array, "K N"] | None


class Disturbance(NamedTuple):
    """The strengths of this episode, by the name of their setting, and what else has to be remembered.

    ``identity`` stands for an agent wherever something is drawn for it, so renumbering agents changes nothing.
    ``order`` says which agents come first where some are affected; ``past`` is kept while messages are late.
    ``joined`` is the age at which each agent joined; None where none can join. ``terms`` holds values of ``stop_time``,
    ``pause_seconds`` and ``stopped_seen`` that replace the task's, where they change during an episode.
    """

    key: UInt32[Array, "2"]
    identity: Int[Array, " N"]
    strength: dict[str, Float[Array, ""]]
    order: dict[str, Int[Array, " N"]]
    population: Float[Array, ""]
    past: Past | None
    joined: Int[Array, " N"] | None = None
    terms: dict[str, Array] = {}  # noqa: RUF012 (never changed: states are data)


Some = TypeVar("Some", bound=State)


def begin(task: Disturbed, state: Some, key: PRNGKeyArray, identity: Int[Array, " N"] | None = None) -> Some:
    """The start of an episode with its disturbances drawn; the state as it is where none is on.

    Agents are known by their places, unless ``identity`` gives them other numbers.
    """
    if not task.ranges:
        return state
    data = _data(key)
    identity = jnp.arange(state.present.shape[0]) if identity is None else identity
    strength = drawn_strengths(task, key)
    order = {name: _order(data, ORDERS[name], identity, state.present) for name in strength if name in ORDERS}
    past = None
    if "message_delay" in strength:
        told = Past(state.agents, state.present, task.transmit(state))
        slots = int(task.ranges["message_delay"][1])
        past = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (slots, *leaf.shape)), told)
    population = state.present.sum(dtype=jnp.result_type(float))
    joined = jnp.zeros_like(identity) if getattr(task, "join_rate", 0.0) else None
    return state._replace(disturbance=Disturbance(data, identity, strength, order, population, past, joined))


def with_newcomers(state: Some, joins: Bool[Array, " N"]) -> Some:
    """Agents that join draw their own disturbances, whoever had their slots before, and their time begins now."""
    disturbance = state.disturbance
    if disturbance is None or disturbance.joined is None:
        return state
    identity = jnp.where(joins, disturbance.identity + joins.shape[0], disturbance.identity)
    joined = jnp.where(joins, state.age, disturbance.joined)
    return state._replace(disturbance=disturbance._replace(identity=identity, joined=joined))


def drawn_strengths(task: Disturbed, key: PRNGKeyArray) -> dict[str, Float[Array, ""]]:
    """The strengths that the episode with this start draws, of the disturbances that the task has on."""
    data, index = _data(key), {kind.name: number for number, kind in enumerate(KINDS)}
    return {name: _draw(data, index[name], name, *ends) for name, ends in task.ranges.items()}


def with_strengths(state: Some, strengths: Mapping[str, Any]) -> Some:
    """The state with other strengths of disturbances that its task has on; everything drawn stays drawn."""
    known = {} if state.disturbance is None else state.disturbance.strength
    for name in strengths:
        if name not in known:
            raise SwarmbedError(f"disturbance {name!r} is not on in this state; on are: {', '.join(known) or 'none'}")
    changed = {name: jnp.asarray(value, known[name].dtype) for name, value in strengths.items()}
    return state._replace(disturbance=state.disturbance._replace(strength={**known, **changed}))


def strength_of(state: State, name: str) -> Float[Array, ""] | None:
    """How strong a disturbance is; None where it is off."""
    return None if state.disturbance is None else state.disturbance.strength.get(name)


def term_of(task: Disturbed, state: State, name: str) -> Any:
    """``stop_time``, ``pause_seconds`` or ``stopped_seen``: the state's own where it has one, else the task's."""
    return getattr(task, name) if state.disturbance is None else state.disturbance.terms.get(name, getattr(task, name))


def _data(key: PRNGKeyArray) -> UInt32[Array, "2"]:
    return jax.random.key_data(jax.random.fold_in(key, _FOLD))[..., :2]


def _draw(key: Array, index: int, name: str, low: float, high: float) -> Array:
    if low == high:
        return jnp.asarray(low, jnp.float32)
    share = chance.uniform(chance.words(key, chance.STRENGTH, index)[0])
    if BY_NAME[name].is_count:
        return jnp.floor(low + (high - low + 1) * share)
    return low + (high - low) * share


def _order(key: Array, purpose: int, identity: Array, present: Array) -> Array:
    """A random order of the agents, present ones first."""
    drawn = chance.uniform(chance.words(key, purpose, identity)[0])
    return jnp.argsort(jnp.argsort(drawn + ~present))
