"""A task under test: few agents, and its functions compiled once for all checks."""

from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from swarmbed.contracts.check import quick_jit
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

    def __init__(self, spec: type[Task], agents: int = AGENTS) -> None:
        self.spec, self.agents = spec, agents

    @cached_property
    def task(self) -> Task:
        return replace(self.spec(), num_agents=self.agents)

    @cached_property
    def initial(self) -> Any:
        return quick_jit(lambda key: self.task.initial(key))

    @cached_property
    def transition(self) -> Any:
        return quick_jit(lambda state, action, key: self.task.transition(state, action, key))

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
    def crowded(self) -> Any:
        """A state in which all agents are on one spot, where distances are 0 and directions do not exist."""
        agents = self.start.agents
        together = jnp.broadcast_to(agents.position[:1], agents.position.shape)
        return self.start._replace(agents=agents._replace(position=together))
