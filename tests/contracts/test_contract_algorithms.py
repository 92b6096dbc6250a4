"""Algorithms and controllers that break one promise each: the check that is meant for it finds it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from honest_plugins import Climb, Still

from swarmbed import SwarmbedError
from swarmbed.settings import setting

Failures = Callable[[str, type], dict[str, str]]


@dataclass(frozen=True)
class Downhill(Climb):
    """A sign error."""

    rate: float = setting(-0.01, "length of the step per gradient")


@dataclass(frozen=True)
class Forgetful(Climb):
    """Gives its memory back in another shape."""

    def memory(self, params: Any) -> Any:
        return jnp.zeros(3)

    def update(self, network: Any, params: Any, memory: Any, batch: Any, key: Any) -> Any:
        return super().update(network, params, memory[:2], batch, key)


@dataclass(frozen=True)
class UnitStep(Climb):
    """Divides by the length of the gradient, which can be 0."""

    def update(self, network: Any, params: Any, memory: Any, batch: Any, key: Any) -> Any:
        found = super().update(network, params, memory, batch, key)
        change = jax.tree.map(lambda new, old: new - old, found.params, params)
        size = jnp.sqrt(sum(jnp.square(leaf).sum() for leaf in jax.tree.leaves(change)))
        return found._replace(params=jax.tree.map(lambda old, c: old + 0.01 * c / size, params, change))


@dataclass(frozen=True)
class Undefined(Climb):
    """0 / 0."""

    rate: float = setting(float("inf"), "length of the step per gradient")


@pytest.mark.parametrize(
    ("spec", "check"),
    [
        (Downhill, "an update makes the policy better"),
        (Forgetful, "an update keeps all shapes"),
        (UnitStep, "a batch without advantages does no harm"),
        (Undefined, "an update gives finite numbers"),
    ],
)
def test_an_algorithm_that_breaks_a_promise_fails_that_check_alone(spec: type, check: str, failures: Failures) -> None:
    assert list(failures("algorithms", spec)) == [check]


@dataclass(frozen=True)
class Picky(Still):
    """Refuses every task."""

    def check(self, task: Any) -> None:
        raise SwarmbedError("no")


@dataclass(frozen=True)
class OneForAll(Still):
    """One action for the whole swarm."""

    def act(self, task: Any, state: Any, key: Any) -> Any:
        return jnp.zeros(task.action_size)


@dataclass(frozen=True)
class ToTheCentre(Still):
    """In the direction of the swarm's centre, which does not exist for those who are there."""

    def act(self, task: Any, state: Any, key: Any) -> Any:
        offset = state.agents.position.mean(0) - state.agents.position
        return offset / jnp.sqrt(jnp.square(offset).sum(-1, keepdims=True))


@dataclass(frozen=True)
class Moody(Still):
    """Draws from numpy, behind the key's back."""

    def act(self, task: Any, state: Any, key: Any) -> Any:
        return jnp.asarray(np.random.rand(task.num_agents, task.action_size), jnp.float32)


@pytest.mark.parametrize(
    ("spec", "check"),
    [
        (Picky, "fits a task"),
        (OneForAll, "gives every agent an action"),
        (ToTheCentre, "actions are finite"),
        (Moody, "the same key gives the same actions"),
    ],
)
def test_a_controller_that_breaks_a_promise_fails_that_check_alone(spec: type, check: str, failures: Failures) -> None:
    assert list(failures("controllers", spec)) == [check]
