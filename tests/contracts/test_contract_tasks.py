"""Tasks that break one promise each: the check that is meant for it finds it and says what is wrong."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from honest_plugins import Points

from swarmbed.sim.unicycle import Agents
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.settings import setting
from swarmbed.tasks.base import Observation, ObservedSet, State

Failures = Callable[..., dict[str, str]]


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
        everybody = jnp.broadcast_to(state.present[None, :], seen.sets[0].mask.shape)
        return seen._replace(sets=(ObservedSet(seen.sets[0].elements, everybody),))


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
class NeedsCompany(Points):
    """A mean over pairs, of which a lone point has none."""

    def reward(self, state: State, action: Any, next_state: State) -> Any:
        count = next_state.present.sum()
        return super().reward(state, action, next_state) / (count * (count - 1) / 2)


@dataclass(frozen=True)
class DividesInPython(Points):
    """The same, but Python divides, and by the number of places."""

    def reward(self, state: State, action: Any, next_state: State) -> Any:
        return super().reward(state, action, next_state) * (2 / (self.num_agents * (self.num_agents - 1)))


@dataclass(frozen=True)
class SmallTown(Points):
    """Has room for ten, and does not say so."""

    def observe(self, state: State) -> Observation:
        return super().observe(state)._replace(local=jnp.ones((10, 1))[: self.num_agents])


@dataclass(frozen=True)
class Polite(NeedsCompany):
    """Needs company, and says so."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.num_agents < 2:
            raise SwarmbedError(f"num_agents must be at least 2, not {self.num_agents}")


@dataclass(frozen=True)
class Crowd(Points):
    """More than the checks would choose."""

    num_agents: int = setting(8, "number of points", flag="agents")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.num_agents < 7:
            raise SwarmbedError(f"num_agents must be at least 7, not {self.num_agents}")


@dataclass(frozen=True)
class TakesAnything(Points):
    """Broadcasts one action to everybody."""

    def check_action(self, action: Any) -> None:
        pass


@dataclass(frozen=True)
class FloatMask(Points):
    """A mask of numbers."""

    def observe(self, state: State) -> Observation:
        seen = super().observe(state)
        return seen._replace(sets=(ObservedSet(seen.sets[0].elements, seen.sets[0].mask.astype(jnp.float32)),))


@dataclass(frozen=True)
class Forgetful(Points):
    """Metrics of the first point only."""

    def measure(self, state: State) -> dict[str, Any]:
        return {"spread": jnp.where(state.present[0], state.agents.position[0].sum(), 0.0)}


@dataclass(frozen=True)
class Undeclared(Points):
    """Measures something else than it says."""

    def measure(self, state: State) -> dict[str, Any]:
        return {"where": state.agents.position.sum()}


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


@dataclass(frozen=True)
class StartsAnew(Points):
    """Resets itself when time is up."""

    def advance(self, key: Any, state: State, action: Any) -> Any:
        moved = super().advance(key, state, action)
        fresh = self.initial(key)._replace(age=moved.state.age)
        return moved._replace(state=jax.tree.map(lambda a, b: jnp.where(moved.truncated, a, b), fresh, moved.state))


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


SHAPES = "the five functions have the right shapes"
SAME_KEY = "the same key gives the same result"
RELABELLING = "relabelling agents changes nothing but the labels"
SIZES = "runs with one agent, with two and with twenty"
BATCH = "a batch of swarms behaves like each swarm alone"
NUMBERS, GRADIENTS = "numbers stay finite", "gradients stay finite"
TIME, START = "running out of time is not an end", "a start is not the end"
AGE = "a step counts time, truncates at the horizon and never resets"
GARBAGE, FEWER = (
    "what absent agents hold does not matter",
    "a few agents among empty slots do what a swarm of that size does",
)


@pytest.mark.parametrize(
    ("spec", "checks", "words"),
    [
        (AcceptsNobody, ["refuses impossible settings"], "num_agents = 0 is accepted"),
        (RewardPerAgent, [SHAPES], "reward must be a float without axes"),
        (ChangingState, [SHAPES], "transition gives a state of another shape"),
        (FloatMask, [SHAPES], "mask of set 0 has type float32, not bool"),
        (TakesAnything, ["an action of the wrong shape is refused"], "an action of shape (2,) is accepted"),
        # What is drawn when a function is traced differs between any two compilations of it.
        (HiddenDice, [SAME_KEY], "initial gives another state"),
        (Leader, [RELABELLING, GARBAGE, FEWER], "the reward changes"),
        (Numbered, [RELABELLING, FEWER], "local properties are not permuted"),
        (Forgetful, [RELABELLING, FEWER], "the metrics change"),
        (
            Undeclared,
            ["measure gives a number for every declared metric"],
            "metrics declares spread, but measure gives where",
        ),
        (CountsEmptyPlaces, [FEWER], "empty slots change the reward of 2 agents"),
        (ListensToGhosts, [GARBAGE], "the reward changes when absent agents hold no numbers"),
        (SeesGhosts, [GARBAGE, FEWER], "when absent agents hold no numbers"),
        (NewState, [GARBAGE, FEWER], "transition makes a new State instead of state._replace(…)"),
        (StartsAnew, [BATCH], "under jax.vmap a swarm leads to another state than its functions give one by one"),
        (Timeless, [AGE], "a step from age 0 leads to age 0"),
        (Narcissus, ["an agent is absent from its own set"], "in set 0 agents are present in their own set"),
        (TwoFaced, ["observe_from agrees with observe", GARBAGE], "different numbers for the same agents"),
        (Unbounded, ["actions beyond [-1, 1] are clipped"], "an action of 5 moves an agent further"),
        (Singular, [NUMBERS, GRADIENTS], "with all agents on one spot that stay"),
        (GuardedTooLate, [GRADIENTS], "the gradient of what agents see and earn"),
        (OneAtATime, [GRADIENTS, BATCH, AGE], "Pure callbacks do not support JVP"),
        (NeedsCompany, [SIZES], "with 1 agent: what agents see or earn (reward) holds a number that is not finite"),
        (DividesInPython, [FEWER, SIZES], "empty slots change the reward of 2 agents"),
        (SmallTown, [SIZES], "with 20 agents: local has shape (10, 1), not 2 axes led by 20"),
        (OwnClock, [TIME], "with a horizon of 3 an episode terminates that continues with one of 12"),
        (OwnHorizon, [TIME], "a horizon of 3 steps becomes one of 12"),
        (OverAtOnce, [START], "terminated is true in all of 4 random starts"),
    ],
)
def test_a_task_that_breaks_a_promise_fails_that_check(
    spec: type, checks: list[str], words: str, failures: Failures
) -> None:
    found = failures("tasks", spec, checks)
    assert list(found) == checks
    assert words in found[checks[0]]


@pytest.mark.parametrize("spec", [Polite, Crowd])
def test_a_task_may_refuse_swarms_that_are_too_small(spec: type, failures: Failures) -> None:
    assert failures("tasks", spec) == {}


def test_an_error_in_ones_own_code_is_shown_with_its_line(failures: Failures) -> None:
    assert re.search(r" \(line \d+ of test_contract_tasks\.py\)$", failures("tasks", DividesInPython, [SIZES])[SIZES])
