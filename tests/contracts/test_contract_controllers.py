"""Controllers that break one promise each: the check that is meant for it finds it and says what is wrong."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from honest_plugins import Still

from swarmbed.spec.errors import SwarmbedError


@dataclass(frozen=True)
class Picky(Still):
    """Refuses every task."""

    def check(self, task: Any) -> None:
        raise SwarmbedError("no")


@dataclass(frozen=True)
class OneForAll(Still):
    """One action for the whole swarm."""

    def control(self, task: Any, state: Any, key: Any) -> Any:
        return jnp.zeros(task.action_size)


@dataclass(frozen=True)
class ToTheCentre(Still):
    """To the centre of the others, which does not exist for one that is alone."""

    def control(self, task: Any, state: Any, key: Any) -> Any:
        there = jnp.where(state.present[:, None], state.agents.position, 0.0)
        return (there.sum(0) - there) / (state.present.sum() - 1) - there


@dataclass(frozen=True)
class ToTheFirst(Still):
    """In the direction of the first agent, which does not exist for those who stand where it does."""

    def control(self, task: Any, state: Any, key: Any) -> Any:
        offset = state.agents.position[0] - state.agents.position
        first = (jnp.arange(task.num_agents) == 0)[:, None]
        return offset / jnp.sqrt(jnp.where(first, 1.0, jnp.square(offset).sum(-1, keepdims=True)))


@dataclass(frozen=True)
class Mourner(Still):
    """Goes where all agents are on average, those who are absent included."""

    def control(self, task: Any, state: Any, key: Any) -> Any:
        return state.agents.position.mean(0) - state.agents.position


@dataclass(frozen=True)
class Headcount(Still):
    """The faster the more places there are, empty or not."""

    def control(self, task: Any, state: Any, key: Any) -> Any:
        return jnp.full((task.num_agents, task.action_size), task.num_agents / 100)


@dataclass(frozen=True)
class Moody(Still):
    """Draws from numpy, behind the key's back."""

    def control(self, task: Any, state: Any, key: Any) -> Any:
        return jnp.asarray(np.random.rand(task.num_agents, task.action_size), jnp.float32)


@dataclass(frozen=True)
class Mentor(Still):
    """Steers by the second agent, which need not exist."""

    def control(self, task: Any, state: Any, key: Any) -> Any:
        rows = list(state.agents.position)
        return jnp.tile(rows[1], (task.num_agents, 1))


@dataclass(frozen=True)
class Telephone(Still):
    """Asks Python in the middle of a step, which vmap cannot do."""

    def control(self, task: Any, state: Any, key: Any) -> Any:
        still = jax.ShapeDtypeStruct((task.num_agents, task.action_size), jnp.float32)
        return jax.pure_callback(lambda _: np.zeros(still.shape, np.float32), still, state.agents.position)


SHAPE = "gives every agent an action"
ABSENT = "what absent agents hold does not matter"
BATCH = "a batch of swarms is controlled like each swarm alone"


@pytest.mark.parametrize(
    ("spec", "checks", "words"),
    [
        (Picky, ["fits a task"], "it refuses every task: points"),
        (OneForAll, [SHAPE], "on points with 5 agents it gives float32 of shape (2,), not floats of shape (5, 2)"),
        (Mentor, [SHAPE], "on points with 1 agent: IndexError: "),
        (ToTheCentre, ["actions are finite"], "on points with 1 agent, an action holds a number that is not finite"),
        (ToTheFirst, ["actions are finite", ABSENT], "on points with 5 agents, with all agents on one spot, an action"),
        # What is drawn when a function is traced differs between any two compilations of it.
        (Moody, [ABSENT, "the same key gives the same actions", BATCH], "empty slots change the actions"),
        (
            Mourner,
            [ABSENT],
            "on points with 5 agents, actions of present agents change when absent agents hold no numbers",
        ),
        (Headcount, [ABSENT], "on points with 5 agents, empty slots change the actions of present agents"),
        (Telephone, [BATCH], "vmap"),
    ],
)
def test_a_controller_that_breaks_a_promise_fails_that_check(
    spec: type, checks: list[str], words: str, is_found: Callable[..., None]
) -> None:
    is_found("controllers", spec, checks, words)
