"""From a desired velocity to the actions of a unicycle: the heading controller that the classical controllers share."""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from swarmbed.sim.relations import length
from swarmbed.sim.unicycle import Agents, DoubleIntegrator, Unicycle


class Gains(NamedTuple):
    """K₁, K₂ and D₂. Single integrators reach a desired speed at once, so only K₂ matters to them."""

    speed: float
    heading: float
    damping: float


def steer(
    body: Unicycle, agents: Agents, velocity_x: Float[Array, " N"], velocity_y: Float[Array, " N"], gains: Gains
) -> Float[Array, "N 2"]:
    """The actions that turn every agent into the direction of its desired velocity and bring it to that speed.

    Single integrator: v = v_d, ω = K₂(φ_d − φ). Double integrator: a_v = K₁(v_d − v), a_ω = K₂(φ_d − φ) − D₂ω.
    v_d is the length and φ_d the direction of the desired velocity; φ_d − φ lies in (−π, π]; everything is clipped to
    the agent's limits. An agent whose desired velocity is zero keeps its heading.
    """
    speed = jnp.minimum(length(velocity_x, velocity_y), body.max_speed)
    error = heading_error(agents.heading, velocity_x, velocity_y)
    if isinstance(body, DoubleIntegrator):
        # Agents of this body always carry their velocities.
        assert agents.speed is not None and agents.turn_rate is not None
        first = gains.speed * (speed - agents.speed) / body.max_acceleration
        second = (gains.heading * error - gains.damping * agents.turn_rate) / body.max_turn_acceleration
    else:
        first = speed / body.max_speed
        second = gains.heading * error / body.max_turn_rate
    return jnp.clip(jnp.stack([first, second], -1), -1.0, 1.0)


def heading_error(
    heading: Float[Array, " N"], wanted_x: Float[Array, " N"], wanted_y: Float[Array, " N"]
) -> Float[Array, " N"]:
    """φ_d − φ, wrapped to (−π, π]; 0 where the desired velocity is zero."""
    cos, sin = jnp.cos(heading), jnp.sin(heading)
    ahead, left = wanted_x * cos + wanted_y * sin, wanted_y * cos - wanted_x * sin
    somewhere = (wanted_x != 0) | (wanted_y != 0)
    return jnp.where(somewhere, jnp.arctan2(jnp.where(somewhere, left, 0.0), jnp.where(somewhere, ahead, 1.0)), 0.0)
