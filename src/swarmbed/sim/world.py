"""Where agents live: a rectangle [0, width] × [0, height], with walls or periodic.

A world is three facts: the shortest way between two points, what happens to a point that leaves, and the largest
distance there can be. Everything else in the simulator asks the world and does not care which one it is.
Coordinates travel as separate x and y arrays: pairs of agents then stay plain matrices, which vectorise.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import hypot

import jax.numpy as jnp
from jax import Array


@dataclass(frozen=True)
class World(ABC):
    """A rectangle with a rule for its border."""

    width: float = 100.0
    height: float = 100.0

    @property
    @abstractmethod
    def diameter(self) -> float:
        """The largest distance two points can have."""

    @abstractmethod
    def nearest(self, dx: Array, dy: Array) -> tuple[Array, Array]:
        """The shortest displacement equivalent to (dx, dy)."""

    @abstractmethod
    def confine(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Bring points that left the rectangle back into it."""


@dataclass(frozen=True)
class Closed(World):
    """Walls: x and y are clamped separately, so an agent slides along the wall it runs into."""

    @property
    def diameter(self) -> float:
        return hypot(self.width, self.height)

    def nearest(self, dx: Array, dy: Array) -> tuple[Array, Array]:
        return dx, dy

    def confine(self, x: Array, y: Array) -> tuple[Array, Array]:
        return jnp.clip(x, 0.0, self.width), jnp.clip(y, 0.0, self.height)


@dataclass(frozen=True)
class Torus(World):
    """Periodic: an agent that leaves on one side enters on the other, and distances are to the nearest image."""

    @property
    def diameter(self) -> float:
        return hypot(self.width, self.height) / 2

    def nearest(self, dx: Array, dy: Array) -> tuple[Array, Array]:
        return dx - self.width * jnp.round(dx / self.width), dy - self.height * jnp.round(dy / self.height)

    def confine(self, x: Array, y: Array) -> tuple[Array, Array]:
        return _wrap(x, self.width), _wrap(y, self.height)


def _wrap(coordinate: Array, length: float) -> Array:
    # Not jnp.mod: the floor form is cheap, and a tiny negative number must not come back as `length` itself.
    wrapped = coordinate - length * jnp.floor(coordinate / length)
    return jnp.where(wrapped >= length, 0.0, wrapped)


WORLDS: dict[str, type[World]] = {"closed": Closed, "torus": Torus}
