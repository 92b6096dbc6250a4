"""What a controller is: a rule that gives every agent an action."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self

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

    # A program is compiled once for all controllers of one form; the arrays in which these differ are its arguments.

    @property
    def form(self) -> Any:
        """What equals that of another controller if both are the same function of their weights."""
        return self

    @property
    def weights(self) -> Any:
        """The arrays that this controller has learned; nothing for one that is a rule."""
        return ()

    def with_weights(self, weights: Any) -> Self:
        """The controller of the same form with these weights."""
        return self
