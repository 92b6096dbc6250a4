"""Pursuit by Voronoi cells, after Zhou et al. 2016: squeeze the evader's cell from all sides."""

from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int, PRNGKeyArray

from swarmbed.controllers.base import Controller
from swarmbed.controllers.steering import Gains, steer
from swarmbed.sim.relations import Displacement, length
from swarmbed.sim.unicycle import DoubleIntegrator
from swarmbed.sim.voronoi import shared_boundary
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.settings import setting
from swarmbed.tasks.base import State, Task
from swarmbed.tasks.evasion import EvasionTask, evaders_of
from swarmbed.tasks.nearby import Nearby


@dataclass(frozen=True)
class VoronoiPursuit(Controller):
    """Head for the middle of the boundary shared with an evader's cell; without one, straight for the nearest evader.

    The cells are those of all pursuers and evaders that a pursuer knows of: pursuers within ``comm_radius``, evaders
    within ``sight_radius``. A pursuer that borders several evaders takes the nearest of them; one that sees no evader
    drives straight ahead. All pursuers drive at top speed.
    """

    speed_gain: float = setting(10.7, "K₁: acceleration per speed error (double integrator), 1/s", at_least=0)
    heading_gain: float = setting(
        43.3, "K₂ of double integrators: angular acceleration per heading error, 1/s²", at_least=0
    )
    turn_damping: float = setting(13.3, "D₂: angular deceleration per turn rate (double integrator), 1/s", at_least=0)
    single_heading_gain: float = setting(10.7, "K₂ of single integrators: turn rate per heading error, 1/s", at_least=0)

    def check(self, task: Task) -> None:
        if not isinstance(task, EvasionTask):
            raise SwarmbedError(
                f"controller 'voronoi_pursuit' chases evaders and does not fit task {type(task).__name__}, which has "
                "none; it fits: pursuit, multi_pursuit"
            )

    def control(self, task: Task, state: State, key: PRNGKeyArray) -> Float[Array, "N 2"]:
        assert isinstance(task, EvasionTask)
        everybody = jnp.arange(task.num_agents)
        target_x, target_y = jax.vmap(partial(_target, task, state))(everybody, task.nearby(state, everybody))
        agents = state.agents._replace(heading=task.believed_heading(state))
        distance = length(target_x, target_y)
        is_somewhere = distance > 0
        full_speed = jnp.where(is_somewhere, task.max_speed / jnp.where(is_somewhere, distance, 1.0), 0.0)
        # Without a target: straight ahead.
        velocity_x = jnp.where(is_somewhere, full_speed * target_x, task.max_speed * jnp.cos(agents.heading))
        velocity_y = jnp.where(is_somewhere, full_speed * target_y, task.max_speed * jnp.sin(agents.heading))
        is_double = isinstance(task.body, DoubleIntegrator)
        heading_gain = self.heading_gain if is_double else self.single_heading_gain
        gains = Gains(self.speed_gain, heading_gain, self.turn_damping)
        return steer(task.body, agents, velocity_x, velocity_y, gains)


def _target(
    task: EvasionTask, state: State, pursuer: Int[Array, ""], near: Nearby | None = None
) -> tuple[Array, Array]:
    """A pursuer's target relative to its position; (0, 0) if it sees no evader. If it has a list of nearby agents, it
    is the first of them itself."""
    if near is None or near.mask is None:
        pursuers, heard, evaders, in_sight = _known(task, state, pursuer)
    else:
        pursuers = state.agents.position[jnp.append(pursuer, near.agent)]
        heard, evaders, in_sight = jnp.append(state.present[pursuer], near.mask), evaders_of(state), None
    own = state.agents.position[pursuer]
    evader_x, evader_y = task.space.nearest(evaders[:, 0] - own[0], evaders[:, 1] - own[1])
    distance = length(evader_x, evader_y)
    seen = (distance <= (jnp.inf if task.sight_radius is None else task.sight_radius)) if in_sight is None else in_sight
    sites, known = jnp.concatenate([pursuers, evaders]), jnp.concatenate([heard, seen])
    is_pursuer = jnp.arange(sites.shape[0]) == (pursuer if near is None else 0)

    def middle(evader: Array, index: Array) -> tuple[Array, Array, Array]:
        """Middle of the boundary with one evader's cell, relative to that evader, and whether there is one."""
        x, y = task.space.nearest(sites[:, 0] - evader[0], sites[:, 1] - evader[1])
        own_x, own_y = task.space.nearest(own[0] - evader[0], own[1] - evader[1])
        # The evader does not cut its own cell (on a torus its images do, which shared_boundary adds).
        present = known & (jnp.arange(sites.shape[0]) != pursuers.shape[0] + index)
        edge = shared_boundary(task.space, evader, own_x[None], own_y[None], is_pursuer[None], x, y, present)
        middle_x, middle_y = edge.middle
        return middle_x[0], middle_y[0], edge.exists[0]

    middle_x, middle_y, borders = jax.vmap(middle)(evaders, jnp.arange(evaders.shape[0]))
    borders = borders & seen
    # First choice: the nearest evader whose cell it borders; second: the nearest it sees.
    rank = jnp.where(borders, distance, jnp.where(seen, distance + 2 * task.space.diameter, jnp.inf))
    chosen = jnp.argmin(rank)
    x = jnp.where(borders, evader_x + middle_x, evader_x)[chosen]
    y = jnp.where(borders, evader_y + middle_y, evader_y)[chosen]
    return jnp.where(seen[chosen], x, 0.0), jnp.where(seen[chosen], y, 0.0)


def _known(task: EvasionTask, state: State, pursuer: Int[Array, ""]) -> tuple[Array, Array, Array, Array | None]:
    """Where a pursuer believes the others are, which of them it knows (itself included), and the same for evaders."""
    evaders, pursuers = evaders_of(state), state.agents.position
    own = pursuers[pursuer]
    if state.disturbance is None:
        distance = length(*task.space.nearest(pursuers[:, 0] - own[0], pursuers[:, 1] - own[1]))
        heard = distance <= (jnp.inf if task.comm_radius is None else task.comm_radius)
        return pursuers, heard & state.present, evaders, None
    viewer, is_self = pursuer[None], jnp.arange(task.num_agents) == pursuer
    to_other, heard, _ = task.perceive(state, viewer)
    to_evader, seen = task.perceive_evaders(state, viewer)
    return (
        jnp.where(is_self[:, None], own, _at(task, own, to_other)),
        heard[0] | is_self,
        _at(task, own, to_evader),
        seen[0],
    )


def _at(task: EvasionTask, own: Float[Array, " 2"], there: Displacement) -> Float[Array, "T 2"]:
    """The points that one viewer sees at these displacements."""
    x, y = own[0] + there.distance[0] * there.east[0], own[1] + there.distance[0] * there.north[0]
    return jnp.stack(task.space.confine(x, y), -1)
