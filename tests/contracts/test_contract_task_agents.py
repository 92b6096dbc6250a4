"""Tasks that break one promise each: no agent is special, and one that is absent does not matter."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import pytest
from honest_plugins import Points

from swarmbed.tasks.base import Observation, ObservedSet, State


@dataclass(frozen=True)
class Leader(Points):
    """Only the first point counts."""

    def reward(self, state: State, action: Any, next_state: State) -> Any:
        return -jnp.abs(next_state.agents.position[0]).sum()


@dataclass(frozen=True)
class Favourite(Points):
    """Credit for everybody's position, absent or not, and twice that for the first point."""

    def credit(self, state: State, action: Any, next_state: State) -> Any:
        total = next_state.agents.position.sum()
        return jnp.full(self.num_agents, total).at[0].set(2 * total)


@dataclass(frozen=True)
class Numbered(Points):
    """Points know their number."""

    def observe(self, state: State) -> Observation:
        return super().observe(state)._replace(local=jnp.arange(self.num_agents, dtype=jnp.float32)[:, None])


@dataclass(frozen=True)
class Forgetful(Points):
    """Metrics of the first point only."""

    def measure(self, state: State) -> dict[str, Any]:
        return {"spread": jnp.where(state.present[0], state.agents.position[0].sum(), 0.0)}


@dataclass(frozen=True)
class Narcissus(Points):
    """Sees itself among the others."""

    def observe(self, state: State) -> Observation:
        seen = super().observe(state)
        everybody = jnp.broadcast_to(state.present[None, :], seen.sets[0].mask.shape)
        return seen._replace(sets=(ObservedSet(seen.sets[0].elements, everybody),))


@dataclass(frozen=True)
class ShortSighted(Points):
    """Sees only who is near, but says otherwise."""

    everybody_is_seen = True

    def observe(self, state: State) -> Observation:
        seen = super().observe(state)
        offsets, mask = seen.sets[0]
        return seen._replace(sets=(ObservedSet(offsets, mask & (jnp.abs(offsets).max(-1) < 0.5)),))


@dataclass(frozen=True)
class CountsEmptyPlaces(Points):
    """Divides by the number of places, not of those who are there."""

    def spread(self, state: State) -> Any:
        pairs = self.num_agents * (self.num_agents - 1)
        return super().spread(state) * self.pairs(state).sum() / max(pairs, 1)


@dataclass(frozen=True)
class ListensToGhosts(Points):
    """Pays for the actions of everybody, absent or not."""

    def reward(self, state: State, action: Any, next_state: State) -> Any:
        return super().reward(state, action, next_state) - 0.1 * jnp.abs(action).max()


@dataclass(frozen=True)
class SeesGhosts(Points):
    """Shows those who are absent, too."""

    def pairs(self, state: State) -> Any:
        return ~jnp.eye(self.num_agents, dtype=bool)


@dataclass(frozen=True)
class NewState(Points):
    """Makes a new state instead of a changed one, and so forgets who is absent."""

    def transition(self, state: State, action: Any, key: Any) -> State:
        return State(super().transition(state, action, key).agents)


RELABELLING = "relabelling agents changes nothing but the labels"
GARBAGE = "what absent agents hold does not matter"
FEWER = "a few agents among empty slots do what a swarm of that size does"


@pytest.mark.parametrize(
    ("spec", "checks", "words"),
    [
        (Leader, [RELABELLING, GARBAGE, FEWER], "the reward changes"),
        (Favourite, [RELABELLING, GARBAGE, FEWER], "the credit of the agents is not permuted"),
        (Numbered, [RELABELLING, FEWER], "local properties are not permuted"),
        (Forgetful, [RELABELLING, FEWER], "the metrics change"),
        (Narcissus, ["an agent is absent from its own set"], "in set 0 agents are present in their own set"),
        (ShortSighted, ["everybody is seen where that is declared"], "in set 0 agents do not see all others"),
        (CountsEmptyPlaces, [FEWER], "empty slots change the reward of 2 agents"),
        (ListensToGhosts, [GARBAGE], "the reward changes when absent agents hold no numbers"),
        (SeesGhosts, [GARBAGE, FEWER], "when absent agents hold no numbers"),
        (NewState, [GARBAGE, FEWER], "transition makes a new State instead of state._replace(…)"),
    ],
)
def test_a_task_that_breaks_a_promise_fails_that_check(
    spec: type, checks: list[str], words: str, is_found: Callable[..., None]
) -> None:
    is_found("tasks", spec, checks, words)
