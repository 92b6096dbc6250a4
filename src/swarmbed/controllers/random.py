"""Uniformly random actions: the floor for every comparison."""

from dataclasses import dataclass

from jax import Array
from jaxtyping import Float, PRNGKeyArray

from swarmbed.controllers.base import Controller
from swarmbed.tasks.base import State, Task


@dataclass(frozen=True)
class Random(Controller):
    """Uniformly random actions: every number is drawn from [-1, 1] in every step."""

    def control(self, task: Task, state: State, key: PRNGKeyArray) -> Float[Array, "N A"]:
        return task.sample_action(key)
