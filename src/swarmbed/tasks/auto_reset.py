"""An environment that starts a new episode by itself."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, PRNGKeyArray

from swarmbed.compute.on_call import compiled_on_call
from swarmbed.spec.arguments import checked_arguments
from swarmbed.tasks.base import Observation, State, Step, Task


@dataclass(frozen=True)
class AutoReset:
    """A task whose ``step`` replaces the state by a new start in the same step in which an episode ends.

    ``terminated`` and ``truncated`` say that it did, ``info["final_state"]`` is the state before the reset, and the
    metrics in ``info`` belong to that state.
    """

    task: Task

    def __getattr__(self, name: str) -> Any:
        return getattr(object.__getattribute__(self, "task"), name)

    def reset(self, key: PRNGKeyArray) -> tuple[Observation, State]:
        return self.task.reset(key)

    def step(self, key: PRNGKeyArray, state: State, action: Float[Array, "N A"]) -> Step:
        return compiled_on_call(_step, self.task, key, state, self.task.check_step(key, state, action))


def _step(task: Task, key: PRNGKeyArray, state: State, action: Array) -> Step:
    step_key, reset_key = jax.random.split(key)
    ended_state, reward, terminated, truncated = task.advance(step_key, state, action)
    ended = terminated | truncated
    following = jax.tree.map(lambda new, old: jnp.where(ended, new, old), task.initial(reset_key), ended_state)
    info = {**task.measure(ended_state), "final_state": ended_state}
    return Step(task.observe(following), following, reward, terminated, truncated, info)


@checked_arguments(task="a task; swarmbed.make makes one from its name")
def auto_reset(task: Task) -> AutoReset:
    """The task as an environment that resets itself when an episode ends.

    >>> import swarmbed
    >>> env = swarmbed.auto_reset(swarmbed.make("pursuit"))
    """
    return AutoReset(task)
