"""Tasks that break one promise each: swarms of every size, or a sentence that says which."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import pytest
from honest_plugins import Points

from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.settings import setting
from swarmbed.tasks.base import Observation, State

Failures = Callable[..., dict[str, str]]


@dataclass(frozen=True)
class AcceptsNobody(Points):
    """Forgets what its parent checks."""

    def __post_init__(self) -> None:
        pass


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


SIZES = "runs with one agent, with two and with twenty"
FEWER = "a few agents among empty slots do what a swarm of that size does"


@pytest.mark.parametrize(
    ("spec", "checks", "words"),
    [
        (AcceptsNobody, ["refuses impossible settings"], "num_agents = 0 is accepted"),
        (NeedsCompany, [SIZES], "with 1 agent: what agents see or earn (reward) holds a number that is not finite"),
        (DividesInPython, [FEWER, SIZES], "empty slots change the reward of 2 agents"),
        (SmallTown, [SIZES], "with 20 agents: local has shape (10, 1), not 2 axes led by 20"),
    ],
)
def test_a_task_that_breaks_a_promise_fails_that_check(
    spec: type, checks: list[str], words: str, is_found: Callable[..., None]
) -> None:
    is_found("tasks", spec, checks, words)


@pytest.mark.parametrize("spec", [Polite, Crowd])
def test_a_task_may_refuse_swarms_that_are_too_small(spec: type, failures: Failures) -> None:
    assert failures("tasks", spec) == {}


def test_an_error_in_ones_own_code_is_shown_with_its_line(failures: Failures) -> None:
    assert re.search(
        r" \(line \d+ of test_contract_task_sizes\.py\)$", failures("tasks", DividesInPython, [SIZES])[SIZES]
    )
