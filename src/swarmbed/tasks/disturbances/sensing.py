"""Disturbed sensing: a wrong heading, measurement noise, blind sectors.

``viewers`` are M agents, ``targets`` the T things each of them looks at: indices of shape (T,), the same for all, or
(M, T), own ones for each viewer.
"""

import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int

from swarmbed.sim.relations import Direction, Displacement, bearing, heading_vector
from swarmbed.tasks.base import State
from swarmbed.tasks.disturbances import chance
from swarmbed.tasks.disturbances.state import strength_of


def believed(state: State, heading: Float[Array, " N"]) -> Float[Array, " N"]:
    """What every agent takes for its heading: φ + σ n, with n drawn once for each agent."""
    error = strength_of(state, "heading_error")
    if error is None:
        return heading
    disturbance = state.disturbance
    return heading + error * chance.normal(chance.words(disturbance.key, chance.HEADING, disturbance.identity)[0])


def seen(state: State, to_target: Displacement, viewers: Int[Array, " M"]) -> Bool[Array, "M T"] | None:
    """Which targets are in no blind sector; None where there are no such sectors.

    The sector of width w around direction c, relative to the body, hides what has cos(φ − c) > cos(w / 2). What is on
    the very spot of the viewer has no direction and is seen.
    """
    width = strength_of(state, "blind_angle")
    if width is None:
        return None
    centre = heading_vector(blind_centre(state, viewers))
    where = bearing(to_target, heading_vector(state.agents.heading[viewers]))
    towards = where.cos * centre.cos[:, None] + where.sin * centre.sin[:, None]
    hidden = (towards > jnp.cos(width / 2)) & (width > 0) & (to_target.distance > 0)
    return ~hidden


def blind_centre(state: State, viewers: Int[Array, " M"]) -> Float[Array, " M"]:
    """The middle of each viewer's blind sector, counter-clockwise from its heading; drawn once for each agent."""
    disturbance = state.disturbance
    return 2 * jnp.pi * chance.uniform(chance.words(disturbance.key, chance.BLIND, disturbance.identity[viewers])[0])


def measured(
    state: State,
    to_target: Displacement,
    viewers: Int[Array, " M"],
    targets: Int[Array, "... T"],
    *,
    evaders: bool = False,
) -> Displacement:
    """Distances and directions as they are measured: d′ = max(d + σ_d n, 0), the direction turned by σ_φ m."""
    distance_noise, bearing_noise = strength_of(state, "distance_noise"), strength_of(state, "bearing_noise")
    if distance_noise is None and bearing_noise is None:
        return to_target
    disturbance = state.disturbance
    purpose = chance.EVADER if evaders else chance.MEASUREMENT
    target = targets if evaders else disturbance.identity[targets]
    target = target if target.ndim == 2 else target[None, :]
    first, second = chance.words(disturbance.key, purpose, state.age, disturbance.identity[viewers][:, None], target)
    if distance_noise is not None:
        noisy = jnp.maximum(to_target.distance + distance_noise * chance.normal(first), 0.0)
        to_target = to_target._replace(distance=noisy)
    if bearing_noise is not None:
        turn = turned(to_target, bearing_noise * chance.normal(second))
        to_target = to_target._replace(east=turn.cos, north=turn.sin)
    return to_target


def turned(to_target: Displacement, angle: Array) -> Direction:
    """The direction to the target, turned counter-clockwise."""
    cos, sin = jnp.cos(angle), jnp.sin(angle)
    return Direction(to_target.east * cos - to_target.north * sin, to_target.north * cos + to_target.east * sin)
