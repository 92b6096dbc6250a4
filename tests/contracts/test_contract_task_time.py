"""Tasks that break one promise each: steps are counted, and running out of time is no end."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import pytest
from honest_plugins import Points

from swarmbed.tasks.base import State


@dataclass(frozen=True)
class Timeless(Points):
    """Does not count its steps."""

    def advance(self, key: Any, state: State, action: Any) -> Any:
        moved = super().advance(key, state, action)
        return moved._replace(state=moved.state._replace(age=state.age))


@dataclass(frozen=True)
class OwnClock(Points):
    """Counts the time itself, in its headings, and calls its running out an end."""

    def transition(self, state: State, action: Any, key: Any) -> State:
        moved = super().transition(state, action, key)
        return moved._replace(agents=moved.agents._replace(heading=state.agents.heading + 1))

    def terminated(self, state: State) -> Any:
        return jnp.where(state.present, state.agents.heading, 0.0).max() >= self.horizon


@dataclass(frozen=True)
class OwnHorizon(Points):
    """Has its own idea of the horizon."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "horizon", max(self.horizon, 12))


@dataclass(frozen=True)
class OverAtOnce(Points):
    """True where it should be false."""

    def terminated(self, state: State) -> Any:
        return ~jnp.array(False)


TIME = "running out of time is not an end"
START = "a start is not the end"
AGE = "a step counts time, truncates at the horizon and never resets"


@pytest.mark.parametrize(
    ("spec", "checks", "words"),
    [
        (Timeless, [AGE], "a step from age 0 leads to age 0"),
        (OwnClock, [TIME], "with a horizon of 3 an episode terminates that continues with one of 12"),
        (OwnHorizon, [TIME], "a horizon of 3 steps becomes one of 12"),
        (OverAtOnce, [START], "terminated is true in all of 4 random starts"),
    ],
)
def test_a_task_that_breaks_a_promise_fails_that_check(
    spec: type, checks: list[str], words: str, is_found: Callable[..., None]
) -> None:
    is_found("tasks", spec, checks, words)
