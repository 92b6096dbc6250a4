"""Uniformly random actions: the floor for every comparison."""

from dataclasses import dataclass

import jax
from jax import Array
from jaxtyping import Float, PRNGKeyArray

from swarmbed.controllers.base import Controller
from swarmbed.tasks.base import State, Task


@dataclass(frozen=True)
class Random(Controller):
    """Every number of every action is drawn anew from [-1, 1]."""

    def act(self, task: Task, state: State, key: PRNGKeyArray) -> Float[Array, "N A"]:
        return jax.random.uniform(key, (task.num_agents, task.action_size), minval=-1.0, maxval=1.0)
