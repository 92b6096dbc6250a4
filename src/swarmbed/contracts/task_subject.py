"""A task under test: few agents, and its functions compiled once for all checks."""

from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from swarmbed.contracts.check import program, quick_jit
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks.base import Observation, State, Step, Task

AGENTS = 5
SHORT = 3  # steps


class Judgement(NamedTuple):
    """All that a task says about a state and a step."""

    observation: Observation
    looked_at: Observation  # the same through observe_from, the agents in reverse order
    reward: Array
    credit: Array | None
    terminated: Array
    metrics: dict[str, Array]


class Walk(NamedTuple):
    """Three swarms that take a step side by side: at the start of an episode, in its midst, and as time runs out."""

    keys: Array
    states: list[State]
    actions: np.ndarray
    step: Step  # of all three, through jax.jit and jax.vmap


class TaskSubject:
    """A task with few agents, and its functions compiled once for all checks."""

    def __init__(self, spec: type[Task], agents: int | None = None, horizon: int | None = None) -> None:
        self.spec, self.wanted_agents, self.wanted_horizon = spec, agents, horizon
        self._sized: dict[int, TaskSubject] = {}

    @cached_property
    def task(self) -> Task:
        task = self.spec() if self.wanted_horizon is None else replace(self.spec(), horizon=self.wanted_horizon)
        if self.wanted_agents is not None:
            return task.resized(self.wanted_agents)
        try:
            return task.resized(AGENTS)
        except SwarmbedError:
            return task  # it may need more agents than that

    @property
    def agents(self) -> int:
        return self.task.num_agents

    def sized(self, agents: int) -> "TaskSubject":
        """The same task with another number of agents; always the same object, so it is compiled once."""
        return self._sized.setdefault(agents, TaskSubject(self.spec, agents))

    @cached_property
    def short(self) -> "TaskSubject":
        """The same task with a horizon of a few steps."""
        return TaskSubject(self.spec, self.agents, max(1, min(SHORT, self.task.horizon - 1)))

    @cached_property
    def initial(self) -> Any:
        return quick_jit(lambda key: self.task.initial(key))

    @cached_property
    def transition(self) -> Any:
        return quick_jit(lambda state, action, key: self.task.transition(state, action, key))

    @cached_property
    def judge(self) -> Any:
        return quick_jit(self.judgement)

    @cached_property
    def program(self) -> str:
        """All functions of the task as the compiler gets them."""

        def everything(key: Any, action: Any) -> Any:
            state = self.task.initial(key)
            moved = self.task.transition(state, action, key)
            return moved, self.judgement(state, action, moved)

        return program(everything, jax.random.key(0), self.action(0))

    def judgement(self, state: Any, action: Array, next_state: Any) -> Judgement:
        task = self.task
        backwards = jnp.arange(task.num_agents)[::-1]
        return Judgement(
            task.observe(next_state),
            task.observe_from(next_state, backwards, task.transmit(next_state)),
            task.reward(state, action, next_state),
            task.credit(state, action, next_state),
            task.terminated(next_state),
            task.measure(next_state),
        )

    def action(self, seed: int, scale: float = 1.0) -> np.ndarray:
        size = (self.agents, self.task.action_size)
        return np.random.default_rng(seed).uniform(-scale, scale, size).astype(np.float32)

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
    def walk(self) -> Walk:
        keys = jax.random.split(jax.random.key(5), 3)
        ages = (0, self.task.horizon // 2, self.task.horizon - 1)
        states = [self.initial(key) for key in keys]
        states = [s._replace(age=np.asarray(age, s.age.dtype)) for s, age in zip(states, ages, strict=True)]
        actions = np.stack([self.action(seed) for seed in range(3)])
        batch = stacked(states)
        return Walk(keys, states, actions, quick_jit(jax.vmap(self.task.step))(keys, batch, actions))

    @cached_property
    def hard_states(self) -> dict[str, Any]:
        """States in which distances are 0 and directions do not exist."""
        found = {"all agents on one spot": self._gathered_at(self.start.agents.position[0])}
        evaders = getattr(self.start, "evaders", None)
        if evaders is not None:
            found["all agents on an evader"] = self._gathered_at(evaders[0])
        return found

    def _gathered_at(self, spot: np.ndarray) -> Any:
        agents = self.start.agents
        together = np.broadcast_to(spot, agents.position.shape)
        return self.start._replace(agents=agents._replace(position=together))


def stacked(states: list[Any]) -> Any:
    """States side by side."""
    together = lambda *leaves: np.stack(leaves) if isinstance(leaves[0], np.ndarray) else jnp.stack(leaves)  # noqa: E731
    return jax.tree.map(together, *states)
