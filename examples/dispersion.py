"""A task of your own in one file: agents spread out evenly over a closed world.

    swarmbed check examples/dispersion.py
    swarmbed train dispersion --plugin examples/dispersion.py --out runs/dispersion
    swarmbed evaluate runs/dispersion --plugin examples/dispersion.py --agents 40

The name of the file is the name of the task, and the fields are its flags. Unicycles, worlds, walls and the set of
neighbours come from ``SwarmTask``; what is left to write is what is wanted, and what agents sense.
"""

from dataclasses import dataclass
from math import sqrt

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int, PRNGKeyArray

from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.settings import setting
from swarmbed.tasks.base import State
from swarmbed.tasks.swarm import Sensed, SwarmTask


@dataclass(frozen=True)
class Dispersion(SwarmTask):
    """Agents keep their distance: r = 1/N Σ_i min(d_i, d*) / d* − 1, with d_i the distance to agent i's nearest.

    d* is the spacing of N points on a triangular lattice that fills the world, the most even arrangement there is,
    so 0 is the best reward one can hope for and −1 is a swarm on one spot.
    """

    horizon: int = setting(256, "time steps after which an episode is cut off (a truncation)")
    dynamics: str = setting(
        "single", "actions are velocities (single) or accelerations (double)", choices=("single", "double")
    )
    comm_radius: float | None = setting(40.0, "radius d_c within which agents are neighbours; left out: everybody is")
    spacing: float | None = setting(None, "wanted distance d* to the nearest, units; left out: what fits the world")
    start_side: float = setting(20.0, "side of the square in the middle of the world in which agents start, units")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.spacing is not None and not self.spacing > 0:
            raise SwarmbedError(f"spacing must be a positive number, or left out, not {self.spacing}")
        if not 0 < self.start_side <= min(self.width, self.height):
            raise SwarmbedError(f"start_side must be positive and fit into the world, not {self.start_side}")

    @property
    def wanted(self) -> float:
        """d*: the world's area over N, as the area √3/2 · d² of a cell of the triangular lattice."""
        return self.spacing or sqrt(2 / sqrt(3) * self.width * self.height / self.num_agents)

    def random_positions(self, key: PRNGKeyArray, count: int) -> Float[Array, "count 2"]:
        """Everybody starts in a small square in the middle."""
        centre = jnp.array([self.width / 2, self.height / 2])
        return centre + self.start_side * jax.random.uniform(key, (count, 2), minval=-0.5, maxval=0.5)

    def transition(self, state: State, action: Float[Array, "N 2"], key: PRNGKeyArray) -> State:
        self.check_action(action)
        return State(self.body.move(state.agents, action, self.space))

    def nearest(self, state: State) -> Float[Array, " N"]:
        """Distance of every agent to the one closest to it, at most d*."""
        myself = jnp.eye(self.num_agents, dtype=bool)
        return jnp.where(myself, self.wanted, jnp.minimum(self.pair_distances(state), self.wanted)).min(axis=1)

    def reward(self, state: State, action: Float[Array, "N 2"], next_state: State) -> Float[Array, ""]:
        return self.nearest(next_state).mean() / self.wanted - 1.0

    def terminated(self, state: State) -> Bool[Array, ""]:
        return jnp.array(False)

    def metrics(self, state: State) -> dict[str, Float[Array, ""]]:
        return {"evenness": self.nearest(state).mean() / self.wanted}

    def sense(self, state: State, viewers: Int[Array, " M"], transmitted: Float[Array, " N"] | None) -> Sensed:
        return Sensed(self.sense_self(state, viewers), (self.sense_neighbours(state, viewers, transmitted),))
