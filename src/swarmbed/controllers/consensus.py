"""Consensus with a PD heading controller: every agent drives to the centroid of its neighbours."""

from dataclasses import dataclass

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, PRNGKeyArray

from swarmbed.controllers.base import Controller
from swarmbed.controllers.steering import Gains, steer
from swarmbed.sim import graph
from swarmbed.sim.unicycle import DoubleIntegrator
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.settings import setting
from swarmbed.tasks.base import State, Task
from swarmbed.tasks.evasion import EvasionTask
from swarmbed.tasks.swarm import SwarmTask


@dataclass(frozen=True)
class Consensus(Controller):
    """Meet in the middle: head for the centroid of the neighbourhood, with PD control of speed and heading.

    The desired velocity is ẋ^i = −K₀/(|N(i)| + 1) · Σ_{j∈N(i)} (x^i − x^j).
    The sum is divided by the size of the neighbourhood, the agent itself included: ẋ then leads to the neighbourhood's
    centroid, and one K₀ serves swarms of any size.
    """

    position_gain: float = setting(
        1.84, "K₀ of double integrators: desired speed per unit of distance, 1/s", at_least=0
    )
    speed_gain: float = setting(17.8, "K₁: acceleration per speed error (double integrator), 1/s", at_least=0)
    heading_gain: float = setting(
        10.4, "K₂ of double integrators: angular acceleration per heading error, 1/s²", at_least=0
    )
    turn_damping: float = setting(3.84, "D₂: angular deceleration per turn rate (double integrator), 1/s", at_least=0)
    single_position_gain: float = setting(
        2.84, "K₀ of single integrators: desired speed per unit of distance, 1/s", at_least=0
    )
    single_heading_gain: float = setting(7.65, "K₂ of single integrators: turn rate per heading error, 1/s", at_least=0)

    def check(self, task: Task) -> None:
        if not isinstance(task, SwarmTask) or isinstance(task, EvasionTask):
            raise SwarmbedError(
                f"controller 'consensus' brings a swarm together and does not fit task {type(task).__name__}; "
                "it fits: rendezvous"
            )

    def control(self, task: Task, state: State, key: PRNGKeyArray) -> Float[Array, "N 2"]:
        assert isinstance(task, SwarmTask)
        to_other, adjacent, _ = task.perceive(state, jnp.arange(task.num_agents))
        share = 1.0 / (graph.neighbourhood_size(adjacent) + 1.0)
        dx = jnp.where(adjacent, to_other.distance * to_other.east, 0.0).sum(axis=1) * share
        dy = jnp.where(adjacent, to_other.distance * to_other.north, 0.0).sum(axis=1) * share
        is_double = isinstance(task.body, DoubleIntegrator)
        gain = self.position_gain if is_double else self.single_position_gain
        heading_gain = self.heading_gain if is_double else self.single_heading_gain
        gains = Gains(self.speed_gain, heading_gain, self.turn_damping)
        agents = state.agents._replace(heading=task.believed_heading(state))
        return steer(task.body, agents, gain * dx, gain * dy, gains)
