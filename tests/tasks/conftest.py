"""Scenes for the tests of tasks."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import pytest

from swarmbed.sim.unicycle import Agents
from swarmbed.tasks.base import State


@pytest.fixture(scope="session")
def scene() -> Callable[..., State]:
    """``scene(rows, evaders)``: rows are (x, y, heading) or (x, y, heading, speed, turn rate) per agent."""

    def place(rows: Any, evaders: Any = None) -> State:
        table = jnp.array(rows, float)
        agents = Agents(table[:, :2], table[:, 2], *(table[:, 3:].T if table.shape[1] == 5 else ()))
        return State(agents, None if evaders is None else jnp.array(evaders, float).reshape(-1, 2))

    return place
