"""A task under test: few agents, and its functions compiled once for all checks."""

from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from swarmbed.contracts.check import quick_jit
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks.base import Observation, Task

AGENTS = 5


class Judgement(NamedTuple):
    """All that a task says about a state and a step."""

    observation: Observation
    looked_at: Observation  # the same through observe_from, the agents in reverse order
    reward: Array
    terminated: Array
    metrics: dict[str, Array]


class TaskSubject:
    """A task with few agents, and its functions compiled once for all checks."""

    def __init__(self, spec: type[Task], agents: int | None = None, horizon: int | None = None) -> None:
        self.spec, self.wanted_agents, self.wanted_horizon = spec, agents, horizon

    @cached_property
    def task(self) -> Task:
        task = self.spec() if self.wanted_horizon is None else replace(self.spec(), horizon=self.wanted_horizon)
        if self.wanted_agents is not None:
            return replace(task, num_agents=self.wanted_agents)
        try:
            return replace(task, num_agents=AGENTS)
        except SwarmbedError:
            return task  # it may need more agents than that

    @property
    def agents(self) -> int:
        return self.task.num_agents

    @cached_property
    def initial(self) -> Any:
        return quick_jit(lambda key: self.task.initial(key))

    @cached_property
    def transition(self) -> Any:
        return quick_jit(lambda state, action, key: self.task.transition(state, action, key))

    @cached_property
    def terminated(self) -> Any:
        return quick_jit(lambda state: self.task.terminated(state))

    @cached_property
    def judge(self) -> Any:
        return quick_jit(self.judgement)

    def judgement(self, state: Any, action: Array, next_state: Any) -> Judgement:
        task = self.task
        backwards = jnp.arange(task.num_agents)[::-1]
        return Judgement(
            task.observe(state),
            task.observe_from(state, backwards, task.transmit(state)),
            task.reward(state, action, next_state),
            task.terminated(next_state),
            task.metrics(next_state),
        )

    def action(self, seed: int, scale: float = 1.0) -> Array:
        size = (self.agents, self.task.action_size)
        return jnp.asarray(np.random.default_rng(seed).uniform(-scale, scale, size), jnp.float32)

    @cached_property
    def start(self) -> Any:
        return self.initial(jax.random.key(0))

    @cached_property
    def next_state(self) -> Any:
        return self.transition(self.start, self.action(0), jax.random.key(1))

    @cached_property
    def judged(self) -> Judgement:
        return self.judge(self.start, self.action(0), self.next_state)

    @cached_property
    def hard_states(self) -> dict[str, Any]:
        """States in which distances are 0 and directions do not exist."""
        found = {"all agents on one spot": self._gathered_at(self.start.agents.position[0])}
        evaders = getattr(self.start, "evaders", None)
        if evaders is not None:
            found["all agents on an evader"] = self._gathered_at(evaders[0])
        return found

    def _gathered_at(self, spot: Array) -> Any:
        agents = self.start.agents
        together = jnp.broadcast_to(spot, agents.position.shape)
        return self.start._replace(agents=agents._replace(position=together))
