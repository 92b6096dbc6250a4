"""What a controller is: a rule that gives every agent an action."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from jax import Array
from jaxtyping import Float, PRNGKeyArray

from swarmbed.spec.settings import Spec
from swarmbed.tasks.base import State, Task


@dataclass(frozen=True)
class Controller(Spec, ABC):
    """A rule for all agents at once, pure and jittable. Fields are its gains. Trained policies are controllers too."""

    @abstractmethod
    def control(self, task: Task, state: State, key: PRNGKeyArray) -> Float[Array, "N A"]:
        """The action of every agent, in units of [-1, 1]. Absent agents must not matter to the others."""

    def check(self, task: Task) -> None:
        """Raise :class:`SwarmbedError`, saying what differs, if this controller cannot run the task."""
