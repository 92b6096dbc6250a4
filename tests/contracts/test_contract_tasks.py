"""Tasks that break one promise each: the check that is meant for it finds it, and no other."""

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

Failures = Callable[[str, type], dict[str, str]]


@dataclass(frozen=True)
class AcceptsNobody(Points):
    """Forgets what its parent checks."""

    def __post_init__(self) -> None:
        pass


@dataclass(frozen=True)
class RewardPerAgent(Points):
    """One reward each."""

    def reward(self, state: State, action: Any, next_state: State) -> Any:
        return jnp.zeros(self.num_agents)


@dataclass(frozen=True)
class ChangingState(Points):
    """Loses its headings on the way."""

    def transition(self, state: State, action: Any, key: Any) -> State:
        moved = super().transition(state, action, key)
        return moved._replace(agents=Agents(moved.agents.position, moved.agents.heading, moved.agents.heading))


@dataclass(frozen=True)
class HiddenDice(Points):
    """Draws from numpy, behind the key's back."""

    def initial(self, key: Any) -> State:
        return State(Agents(jnp.asarray(np.random.rand(self.num_agents, 2), jnp.float32), jnp.zeros(self.num_agents)))


@dataclass(frozen=True)
class Leader(Points):
    """Only the first point counts."""

    def reward(self, state: State, action: Any, next_state: State) -> Any:
        return -jnp.abs(next_state.agents.position[0]).sum()


@dataclass(frozen=True)
class Numbered(Points):
    """Points know their number."""

    def observe(self, state: State) -> Observation:
        return super().observe(state)._replace(local=jnp.arange(self.num_agents, dtype=jnp.float32)[:, None])


@dataclass(frozen=True)
class Narcissus(Points):
    """Sees itself among the others."""

    def observe(self, state: State) -> Observation:
        seen = super().observe(state)
        everybody = ObservedSet(seen.sets[0].elements, jnp.ones_like(seen.sets[0].mask))
        return seen._replace(sets=(everybody,))


@dataclass(frozen=True)
class TwoFaced(Points):
    """Shows learners something else than it shows policies."""

    def observe_from(self, state: State, viewers: Any, transmitted: Any) -> Observation:
        return jax.tree.map(lambda leaf: leaf[viewers[::-1]], self.observe(state))


@dataclass(frozen=True)
class Unbounded(Points):
    """Takes any action at its word."""

    def transition(self, state: State, action: Any, key: Any) -> State:
        return state._replace(agents=state.agents._replace(position=state.agents.position + action))


@dataclass(frozen=True)
class Singular(Points):
    """Divides by the distance, which can be 0; the diagonal alone is guarded."""

    def reward(self, state: State, action: Any, next_state: State) -> Any:
        square = jnp.square(self.offsets(next_state)).sum(-1) + jnp.eye(self.num_agents)
        return -(1 / square).mean()


@dataclass(frozen=True)
class GuardedTooLate(Points):
    """The value is right, the gradient of √0 is not."""

    def reward(self, state: State, action: Any, next_state: State) -> Any:
        square = jnp.square(self.offsets(next_state)).sum(-1)
        return -jnp.where(square > 0, jnp.sqrt(square), 0.0).mean()


@dataclass(frozen=True)
class OneAtATime(Points):
    """Asks Python in the middle of a step, which vmap cannot do."""

    def terminated(self, state: State) -> Any:
        answer = jax.ShapeDtypeStruct((), bool)
        return jax.pure_callback(lambda position: np.bool_(position.sum() > 1e9), answer, state.agents.position)


@dataclass(frozen=True)
class NeedsCompany(Points):
    """A mean over pairs, of which a lone point has none."""

    def reward(self, state: State, action: Any, next_state: State) -> Any:
        return super().reward(state, action, next_state) / (self.num_agents * (self.num_agents - 1) / 2)


@pytest.mark.parametrize(
    ("spec", "check", "words"),
    [
        (AcceptsNobody, "refuses impossible settings", "num_agents = 0 is accepted"),
        (RewardPerAgent, "the five functions have the right shapes", "reward must be a float without axes"),
        (ChangingState, "the five functions have the right shapes", "transition gives a state of another shape"),
        (HiddenDice, "the same key gives the same result", "initial gives another state"),
        (Leader, "relabelling agents changes nothing but the labels", "the reward changes"),
        (Numbered, "relabelling agents changes nothing but the labels", "local properties are not permuted"),
        (Narcissus, "an agent is absent from its own set", "in set 0 agents are present in their own set"),
        (TwoFaced, "observe_from agrees with observe", "different numbers for the same agents"),
        (Unbounded, "actions beyond [-1, 1] are clipped", "an action of 5 moves an agent further"),
        (OneAtATime, "many swarms at once behave like each alone", "vmap"),
        (NeedsCompany, "runs with one agent and with two", "ZeroDivisionError"),
    ],
)
def test_a_task_that_breaks_one_promise_fails_that_check_alone(
    spec: type, check: str, words: str, failures: Failures
) -> None:
    found = failures("tasks", spec)
    assert list(found) == [check]
    assert words in found[check]


def test_a_value_that_is_not_finite_where_agents_meet_is_found(failures: Failures) -> None:
    found = failures("tasks", Singular)
    assert list(found) == ["numbers stay finite", "gradients stay finite"]
    assert "with all agents on one spot" in found["numbers stay finite"]


def test_a_guard_after_the_singular_call_is_found_by_its_gradient(failures: Failures) -> None:
    assert list(failures("tasks", GuardedTooLate)) == ["gradients stay finite"]


def test_an_error_in_ones_own_code_is_shown_with_its_line(failures: Failures) -> None:
    found = failures("tasks", NeedsCompany)["runs with one agent and with two"]
    assert "test_contract_checks.py)" in found and "line " in found
