"""Unicycle kinematics, steered by velocities (single integrator) or by accelerations (double integrator).

One control step is several Euler sub-steps. Actions are fractions of the agent's limits, clipped to [-1, 1].
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from swarmbed.sim.world import World
from swarmbed.spec.errors import SwarmbedError

TWO_PI = 2 * jnp.pi


class Agents(NamedTuple):
    """The swarm: pose of every agent and, for double integrators, its velocities."""

    position: Float[Array, "N 2"]
    heading: Float[Array, " N"]
    speed: Float[Array, " N"] | None = None
    turn_rate: Float[Array, " N"] | None = None

    @property
    def x(self) -> Float[Array, " N"]:
        return self.position[:, 0]

    @property
    def y(self) -> Float[Array, " N"]:
        return self.position[:, 1]


@dataclass(frozen=True)
class Unicycle(ABC):
    """The limits of one agent and how its action moves it."""

    max_speed: float = 10.0
    max_turn_rate: float = jnp.pi
    substeps: int = 10
    substep_seconds: float = 0.01

    @abstractmethod
    def at_rest(self, position: Float[Array, "N 2"], heading: Float[Array, " N"]) -> Agents:
        """Agents at these poses that do not move."""

    @abstractmethod
    def move(
        self, agents: Agents, action: Float[Array, "N 2"], world: World, top_speed: Float[Array, " N"] | None = None
    ) -> Agents:
        """The agents one control step later; ``top_speed`` where each has its own."""


@dataclass(frozen=True)
class SingleIntegrator(Unicycle):
    """State (x, y, φ), action (v, ω): ẋ = v cos φ, ẏ = v sin φ, φ̇ = ω."""

    def at_rest(self, position: Float[Array, "N 2"], heading: Float[Array, " N"]) -> Agents:
        return Agents(position, heading)

    def move(
        self, agents: Agents, action: Float[Array, "N 2"], world: World, top_speed: Float[Array, " N"] | None = None
    ) -> Agents:
        fastest = self.max_speed if top_speed is None else top_speed
        step, turn = _scaled(action, fastest, self.max_turn_rate, self.substep_seconds)
        cos_turn, sin_turn = jnp.cos(turn), jnp.sin(turn)

        def substep(_: Array, carry: tuple[Array, Array, Array, Array]) -> tuple[Array, Array, Array, Array]:
            x, y, cos, sin = carry
            x, y = world.confine(x + step * cos, y + step * sin)
            # ω is constant, so turning the unit vector replaces nine of ten calls of cos and sin.
            return x, y, cos * cos_turn - sin * sin_turn, sin * cos_turn + cos * sin_turn

        start = (agents.x, agents.y, jnp.cos(agents.heading), jnp.sin(agents.heading))
        x, y, _, _ = jax.lax.fori_loop(0, self.substeps, substep, start)
        return Agents(jnp.stack([x, y], -1), _wrap_angle(agents.heading + self.substeps * turn))


@dataclass(frozen=True)
class DoubleIntegrator(Unicycle):
    """State (x, y, φ, v, ω), action (a_v, a_ω): v̇ = a_v, ω̇ = a_ω, with a little friction and |v|, |ω| bounded."""

    max_acceleration: float = 10.0
    max_turn_acceleration: float = jnp.pi
    velocity_kept: float = 0.99

    def at_rest(self, position: Float[Array, "N 2"], heading: Float[Array, " N"]) -> Agents:
        return Agents(position, heading, jnp.zeros_like(heading), jnp.zeros_like(heading))

    def move(
        self, agents: Agents, action: Float[Array, "N 2"], world: World, top_speed: Float[Array, " N"] | None = None
    ) -> Agents:
        gain, turn_gain = _scaled(action, self.max_acceleration, self.max_turn_acceleration, self.substep_seconds)
        if agents.speed is None or agents.turn_rate is None:
            raise SwarmbedError("double-integrator agents need a speed and a turn_rate; these have none")
        fastest = self.max_speed if top_speed is None else top_speed

        def substep(_: Array, carry: tuple[Array, ...]) -> tuple[Array, ...]:
            x, y, heading, speed, turn_rate = carry
            speed = jnp.clip(self.velocity_kept * speed + gain, -fastest, fastest)
            turn_rate = jnp.clip(self.velocity_kept * turn_rate + turn_gain, -self.max_turn_rate, self.max_turn_rate)
            step = speed * self.substep_seconds
            x, y = world.confine(x + step * jnp.cos(heading), y + step * jnp.sin(heading))
            return x, y, heading + turn_rate * self.substep_seconds, speed, turn_rate

        start = (agents.x, agents.y, agents.heading, agents.speed, agents.turn_rate)
        # A rolled loop on purpose: unrolled, the whole integration is fused into every pair that reads the new state.
        x, y, heading, speed, turn_rate = jax.lax.fori_loop(0, self.substeps, substep, start)
        return Agents(jnp.stack([x, y], -1), _wrap_angle(heading), speed, turn_rate)


def _scaled(action: Array, first_limit: float | Array, second_limit: float, seconds: float) -> tuple[Array, Array]:
    """What the action changes in one sub-step."""
    clipped = jnp.clip(action, -1.0, 1.0)
    return clipped[:, 0] * (first_limit * seconds), clipped[:, 1] * (second_limit * seconds)


def _wrap_angle(angle: Array) -> Array:
    return angle - TWO_PI * jnp.floor(angle / TWO_PI)


DYNAMICS: dict[str, type[Unicycle]] = {"single": SingleIntegrator, "double": DoubleIntegrator}
