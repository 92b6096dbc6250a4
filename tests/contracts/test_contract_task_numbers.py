"""Tasks that break one promise each: values and gradients, for one swarm and for many."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from honest_plugins import Points

from swarmbed.tasks.base import State


@dataclass(frozen=True)
class Singular(Points):
    """Divides by the distance, which can be 0; only an agent and itself are left out."""

    def reward(self, state: State, action: Any, next_state: State) -> Any:
        square = jnp.square(self.offsets(next_state)).sum(-1)
        return -jnp.where(self.pairs(next_state), 1 / square, 0.0).sum()


@dataclass(frozen=True)
class GuardedTooLate(Points):
    """The value is right, the gradient of √0 is not."""

    def reward(self, state: State, action: Any, next_state: State) -> Any:
        square = jnp.where(self.pairs(next_state), jnp.square(self.offsets(next_state)).sum(-1), 0.0)
        return -jnp.where(square > 0, jnp.sqrt(square), 0.0).sum()


@dataclass(frozen=True)
class OneAtATime(Points):
    """Asks Python in the middle of a step, which vmap cannot do."""

    def terminated(self, state: State) -> Any:
        answer = jax.ShapeDtypeStruct((), bool)
        return jax.pure_callback(lambda position: np.bool_(position.sum() > 1e9), answer, state.agents.position)


@dataclass(frozen=True)
class StartsAnew(Points):
    """Resets itself when time is up."""

    def advance(self, key: Any, state: State, action: Any) -> Any:
        moved = super().advance(key, state, action)
        fresh = self.initial(key)._replace(age=moved.state.age)
        return moved._replace(state=jax.tree.map(lambda a, b: jnp.where(moved.truncated, a, b), fresh, moved.state))


BATCH = "a batch of swarms behaves like each swarm alone"
NUMBERS = "numbers stay finite"
GRADIENTS = "gradients stay finite"
AGE = "a step counts time, truncates at the horizon and never resets"


@pytest.mark.parametrize(
    ("spec", "checks", "words"),
    [
        (Singular, [NUMBERS, GRADIENTS], "with all agents on one spot that stay"),
        (GuardedTooLate, [GRADIENTS], "the gradient of what agents see and earn"),
        (OneAtATime, [GRADIENTS, BATCH, AGE], "Pure callbacks do not support JVP"),
        (StartsAnew, [BATCH], "under jax.vmap a swarm leads to another state than its functions give one by one"),
    ],
)
def test_a_task_that_breaks_a_promise_fails_that_check(
    spec: type, checks: list[str], words: str, is_found: Callable[..., None]
) -> None:
    is_found("tasks", spec, checks, words)
