"""Tasks that break one promise each: what a function of a task must give for what it is given."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from honest_plugins import Points

from swarmbed.sim.unicycle import Agents
from swarmbed.tasks.base import Observation, ObservedSet, State


@dataclass(frozen=True)
class RewardPerAgent(Points):
    """One reward each."""

    def reward(self, state: State, action: Any, next_state: State) -> Any:
        return jnp.zeros(self.num_agents)


@dataclass(frozen=True)
class CreditInPairs(Points):
    """Two numbers each."""

    def credit(self, state: State, action: Any, next_state: State) -> Any:
        return jnp.zeros((self.num_agents, 2))


@dataclass(frozen=True)
class ChangingState(Points):
    """Loses its headings on the way."""

    def transition(self, state: State, action: Any, key: Any) -> State:
        moved = super().transition(state, action, key)
        return moved._replace(agents=Agents(moved.agents.position, moved.agents.heading, moved.agents.heading))


@dataclass(frozen=True)
class FloatMask(Points):
    """A mask of numbers."""

    def observe(self, state: State) -> Observation:
        seen = super().observe(state)
        return seen._replace(sets=(ObservedSet(seen.sets[0].elements, seen.sets[0].mask.astype(jnp.float32)),))


@dataclass(frozen=True)
class TakesAnything(Points):
    """Broadcasts one action to everybody."""

    def check_action(self, action: Any) -> None:
        pass


@dataclass(frozen=True)
class HiddenDice(Points):
    """Draws from numpy, behind the key's back."""

    def initial(self, key: Any) -> State:
        return State(Agents(jnp.asarray(np.random.rand(self.num_agents, 2), jnp.float32), jnp.zeros(self.num_agents)))


@dataclass(frozen=True)
class Undeclared(Points):
    """Measures something else than it says."""

    def measure(self, state: State) -> dict[str, Any]:
        return {"where": state.agents.position.sum()}


@dataclass(frozen=True)
class TwoFaced(Points):
    """Shows learners something else than it shows policies."""

    def observe_from(self, state: State, viewers: Any, transmitted: Any) -> Observation:
        return jax.tree.map(lambda leaf: leaf[viewers[::-1]], self.observe(state))


@dataclass(frozen=True)
class Unbounded(Points):
    """Takes any action at its word."""

    def transition(self, state: State, action: Any, key: Any) -> State:
        self.check_action(action)
        return state._replace(agents=state.agents._replace(position=state.agents.position + action))


SHAPES = "the five functions have the right shapes"
SAME_KEY = "the same key gives the same result"
GARBAGE = "what absent agents hold does not matter"


@pytest.mark.parametrize(
    ("spec", "checks", "words"),
    [
        (RewardPerAgent, [SHAPES], "reward must be a float without axes"),
        (
            CreditInPairs,
            ["credit is one number per agent"],
            "credit must be floats of shape (5,), not float32 of shape",
        ),
        (ChangingState, [SHAPES], "transition gives a state of another shape"),
        (FloatMask, [SHAPES], "mask of set 0 has type float32, not bool"),
        (TakesAnything, ["an action of the wrong shape is refused"], "an action of shape (2,) is accepted"),
        # What is drawn when a function is traced differs between any two compilations of it.
        (HiddenDice, [SAME_KEY], "initial gives another state"),
        (
            Undeclared,
            ["measure gives a number for every declared metric"],
            "metrics declares spread, but measure gives where",
        ),
        (TwoFaced, ["observe_from agrees with observe", GARBAGE], "different numbers for the same agents"),
        (Unbounded, ["actions beyond [-1, 1] are clipped"], "an action of 5 moves an agent further"),
    ],
)
def test_a_task_that_breaks_a_promise_fails_that_check(
    spec: type, checks: list[str], words: str, is_found: Callable[..., None]
) -> None:
    is_found("tasks", spec, checks, words)
