"""Where agents begin: at a start, or as newcomers to a swarm that lives."""

from math import pi
from typing import Any, NamedTuple

import jax
import numpy as np
from jaxtyping import Float
from numpy import ndarray

from swarmbed.sim.world import Torus
from swarmbed.tasks.base import State, Task
from swarmbed.tasks.swarm import SwarmTask
from swarmbed.viewer import slots
from swarmbed.viewer.engine import BUCKETS, is_own


class Newcomers(NamedTuple):
    """Agents that are about to join."""

    position: Float[ndarray, "K 2"]
    heading: Float[ndarray, " K"]


NOBODY = Newcomers(np.zeros((0, 2)), np.zeros(0))


def start(task: Task, key: jax.Array, count: int) -> State:
    """The state in which a swarm of ``count`` agents starts."""
    # The tasks of this package draw agent after agent: the first of many are all of few. Drawing always the same
    # number means that nothing is compiled for a size that was never seen before.
    drawn = BUCKETS[-1] if is_own(task) and isinstance(task, SwarmTask) else count
    state = jax.device_get(task.resized(drawn).initial(key))
    return slots.taken(state, slots.axes_of(task), np.arange(count))


def joined(state: State, newcomers: Newcomers, first: int) -> State:
    """The state with newcomers in the empty slots from ``first`` on."""
    where = slice(first, first + len(newcomers.heading))

    def put(column: Any, values: Any) -> Any:
        if column is not None:
            column = np.array(column)
            column[where] = values
        return column

    agents = state.agents._replace(
        position=put(state.agents.position, newcomers.position),
        heading=put(state.agents.heading, newcomers.heading),
        speed=put(state.agents.speed, 0.0),
        turn_rate=put(state.agents.turn_rate, 0.0),
    )
    return state._replace(agents=agents, present=put(state.present, True))


def scatter(task: Task, many: int, seed: tuple[int, ...]) -> Newcomers:
    """Agents at random places, as a start draws them."""
    random = np.random.default_rng(seed)
    margin = task.start_margin if isinstance(task, SwarmTask) else 0.05
    size = np.array([getattr(task, "width", 1.0), getattr(task, "height", 1.0)])
    return Newcomers(size * random.uniform(margin, 1 - margin, (many, 2)), random.uniform(0, 2 * pi, many))


def place_inside(task: Task, x: float, y: float) -> tuple[float, float]:
    """The place in the task's world that is meant by one that may lie outside."""
    if not isinstance(task, SwarmTask):
        return x, y
    if isinstance(task.space, Torus):
        return x % task.width, y % task.height
    return min(max(x, 0.0), task.width), min(max(y, 0.0), task.height)
