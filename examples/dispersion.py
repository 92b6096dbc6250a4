"""Your own task in one file: agents spread out evenly over a closed world.

    swarmbed check examples/dispersion.py
    swarmbed train dispersion --plugin examples/dispersion.py --out runs/dispersion
    swarmbed evaluate runs/dispersion --plugin examples/dispersion.py --agents 40

The name of the file is the name of the task, and the fields are its flags. ``SwarmTask`` provides unicycles, worlds,
walls and the set of neighbours; what remains to write is the goal, and what agents sense.
"""

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int, PRNGKeyArray

from swarmbed import Metric, Sensed, State, SwarmbedError, SwarmTask, setting


@dataclass(frozen=True)
class Dispersion(SwarmTask):
    """Agents keep their distance: r = 1/N Σ_i min(d_i, d*) / d* − 1, with d_i the distance from agent i to the nearest.

    d* is the spacing of N points on a triangular lattice that fills the world, the most even arrangement possible, so
    0 is the best possible reward and −1 is a swarm on one spot.
    """

    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric("evenness", "distance to the nearest, as a share of the best possible", better="higher"),
    )

    horizon: int = setting(256, "time steps after which an episode is truncated", at_least=1)
    dynamics: str = setting(
        "single", "actions are velocities (single) or accelerations (double)", choices=("single", "double")
    )
    comm_radius: float | None = setting(
        40.0, "radius d_c within which agents are neighbours; left out: all are", above=0
    )
    spacing: float | None = setting(
        None, "desired distance d* to the nearest, units; left out: what fits the world", above=0
    )
    start_side: float = setting(
        20.0, "side of the square in the middle of the world in which agents start, units", above=0
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.start_side > min(self.width, self.height):
            raise SwarmbedError(f"start_side must fit into the world, which {self.start_side:g} does not")

    def wanted(self, state: State) -> Float[Array, ""]:
        """d*: the world's area over N, as the area √3/2 · d² of a cell of the triangular lattice."""
        if self.spacing is not None:
            return jnp.asarray(self.spacing)
        return jnp.sqrt(2 / sqrt(3) * self.width * self.height / jnp.maximum(self.population(state), 1.0))

    def random_positions(self, key: PRNGKeyArray, count: int) -> Float[Array, "count 2"]:
        """All agents start in a small square in the middle."""
        centre = jnp.array([self.width / 2, self.height / 2])
        return centre + self.start_side * jax.random.uniform(key, (count, 2), minval=-0.5, maxval=0.5)

    def transition(self, state: State, action: Float[Array, "N 2"], key: PRNGKeyArray) -> State:
        self.check_action(action)
        return self.move_agents(state, action)

    def evenness(self, state: State) -> Float[Array, ""]:
        """Mean over the present agents of the distance to the nearest other agent, at most d*, over d*."""
        others = self.others(state, jnp.arange(self.num_agents))
        share = jnp.minimum(self.pair_distances(state) / self.wanted(state), 1.0)
        nearest = jnp.where(others, share, 1.0).min(axis=1)
        return jnp.where(state.present, nearest, 0.0).sum() / jnp.maximum(self.population(state), 1.0)

    def reward(self, state: State, action: Float[Array, "N 2"], next_state: State) -> Float[Array, ""]:
        return self.evenness(next_state) - 1.0

    def terminated(self, state: State) -> Bool[Array, ""]:
        return jnp.array(False)

    def measure(self, state: State) -> dict[str, Float[Array, ""]]:
        return {"evenness": self.evenness(state)}

    def sense(self, state: State, viewers: Int[Array, " M"], transmitted: Float[Array, " N"] | None) -> Sensed:
        return Sensed(self.sense_self(state, viewers), (self.sense_neighbours(state, viewers, transmitted),))
