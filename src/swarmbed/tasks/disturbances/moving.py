"""Disturbed motion: noisy actions, agents that are slower, contrary, or do not move at all."""

import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float

from swarmbed.sim.unicycle import Agents
from swarmbed.tasks.base import State
from swarmbed.tasks.disturbances import chance
from swarmbed.tasks.disturbances.settings import Disturbed
from swarmbed.tasks.disturbances.state import strength_of, term_of


def disturbed_action(state: State, action: Float[Array, "N A"]) -> Float[Array, "N A"]:
    """What the actuators do when ``action`` is commanded: a′ = ±a + b + σ n, of the action clipped to [-1, 1].

    Contrary agents drive backwards where they should drive forwards; b is drawn once for each agent and component of
    its action, n in every step.
    """
    disturbance = state.disturbance
    if disturbance is None or not {"contrary_agents", "action_bias", "action_noise"} & set(disturbance.strength):
        return action
    action = jnp.clip(action, -1.0, 1.0)
    who, numbers = disturbance.identity[:, None], jnp.arange(action.shape[1])[None, :]
    if (contrary := are_contrary(state)) is not None:
        # Only the drive: with its steering turned round as well, one that steers by feedback would just go backwards.
        action = jnp.where(contrary[:, None] & (numbers == 0), -action, action)
    if (bias := strength_of(state, "action_bias")) is not None:
        drawn = chance.words(disturbance.key, chance.ACTION_BIAS, who, numbers)[0]
        action = action + bias * chance.normal(drawn)
    if (noise := strength_of(state, "action_noise")) is not None:
        drawn = chance.words(disturbance.key, chance.ACTION_NOISE, state.age, who, numbers)[0]
        action = action + noise * chance.normal(drawn)
    return action


def are_contrary(state: State) -> Bool[Array, " N"] | None:
    """Which agents do the opposite: the first in the episode's order; None where none ever does."""
    count = strength_of(state, "contrary_agents")
    return None if count is None else state.disturbance.order["contrary_agents"] < count


def top_speed(state: State, max_speed: float) -> Float[Array, " N"] | None:
    """v_max (1 − s u) of every agent, u uniform between 0 and 1; None where all have the same."""
    spread = strength_of(state, "speed_spread")
    if spread is None:
        return None
    disturbance = state.disturbance
    share = chance.uniform(chance.words(disturbance.key, chance.SPEED, disturbance.identity)[0])
    return max_speed * (1.0 - spread * share)


def stands_still(task: Disturbed, state: State) -> Bool[Array, " N"] | None:
    """Which agents do not move in the step that begins now; None where all always move.

    For good at rate λ: from the time on at which λ t reaches an exponential draw, t counted from when the agent joined.
    Of a share: those first in the episode's order, from ``stop_time`` on. Pauses: an agent's time is cut into pieces of
    one pause's length, and it stands still in each of them with the probability that is the share.
    """
    disturbance = state.disturbance
    if disturbance is None:
        return None
    time = state.age * task.control_seconds
    joined = 0.0 if disturbance.joined is None else disturbance.joined * task.control_seconds
    key, who = disturbance.key, disturbance.identity
    still: list[Array] = []
    if (rate := strength_of(state, "stop_rate")) is not None:
        still.append(rate * (time - joined) >= -jnp.log(chance.uniform(chance.words(key, chance.STOP, who)[0])))
    if (share := strength_of(state, "stop_share")) is not None:
        chosen = disturbance.order["stop_share"] < jnp.round(share * disturbance.population)
        stops = term_of(task, state, "stop_time")
        still.append(chosen & (time >= stops) & (joined <= stops))
    if (share := strength_of(state, "pause_share")) is not None:
        phase = chance.uniform(chance.words(key, chance.PAUSE_PHASE, who)[0])
        piece = jnp.floor(time / term_of(task, state, "pause_seconds") + phase).astype(jnp.int32)
        still.append(chance.uniform(chance.words(key, chance.PAUSE, piece, who)[0]) < share)
    return jnp.stack(still).any(axis=0) if still else None


def held(still: Bool[Array, " N"], before: Agents, after: Agents) -> Agents:
    """The agents after a step in which some did not move: they keep their pose and have no speed."""
    stay = lambda old, new: jnp.where(still.reshape(still.shape + (1,) * (new.ndim - 1)), old, new)  # noqa: E731
    rest = lambda new: None if new is None else jnp.where(still, 0.0, new)  # noqa: E731
    return Agents(
        stay(before.position, after.position), stay(before.heading, after.heading),
        rest(after.speed), rest(after.turn_rate),
    )  # fmt: skip
