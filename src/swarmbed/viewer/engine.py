"""The compiled step of one contestant, for swarms of any size up to a number of slots.

A swarm that grows and shrinks while one watches must not be compiled anew for every size. So it lives in arrays of 8,
16, … 512 slots, of which those with a true ``state.present`` are agents. Absence is exact: nobody senses, flees from or
counts an empty slot, and k agents in any number of slots do what a swarm of k does.
"""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, jit
from jaxtyping import Bool, Float, Int, PRNGKeyArray

from swarmbed.controllers.base import Controller
from swarmbed.policy.policy import Policy
from swarmbed.tasks.base import Observation, State, Task
from swarmbed.tasks.swarm import SwarmTask

FEWEST, MOST = 2, 500
BUCKETS = (8, 16, 32, 64, 128, 256, 512)


class Grip(NamedTuple):
    """What somebody holds with the mouse: the slot of an agent or the index of an evader (−1: none), and where."""

    agent: Int[Array, ""]
    evader: Int[Array, ""]
    place: Float[Array, "2"]


NO_GRIP = Grip(np.int32(-1), np.int32(-1), np.zeros(2, np.float32))  # type: ignore[arg-type]


class Moment(NamedTuple):
    """A state, the actions that led there, and what the task says about both."""

    state: State
    action: Float[Array, "N A"]
    reward: Float[Array, ""]
    terminated: Bool[Array, ""]
    metrics: dict[str, Float[Array, ""]]


class View(NamedTuple):
    """What one agent senses (arrays lead with 1), the embedding of each of its sets, and what it does about it."""

    observation: Observation
    embeddings: tuple[Float[Array, "1 K"], ...]
    action: Float[Array, " A"]


@dataclass(frozen=True)
class Engine:
    """A contestant on a task with as many slots as the task has agents, compiled on first use."""

    task: Task
    controller: Controller
    is_padded: bool

    @property
    def slots(self) -> int:
        return self.task.num_agents

    @cached_property
    def advance(self) -> Callable[[State, PRNGKeyArray, Int[Array, ""], Grip, Bool[Array, ""]], Moment]:
        """The moment one step later or, if nothing is to move, the same moment with what is held put into place."""
        return self._compile(self.next_moment, np.int32(0), NO_GRIP, np.bool_(True))

    @cached_property
    def look(self) -> Callable[[State, PRNGKeyArray, Int[Array, ""], Int[Array, ""]], View]:
        """What the agent in one slot senses and does."""
        return self._compile(self.view_from, np.int32(0), np.int32(0))

    def next_moment(self, state: State, key: PRNGKeyArray, step: Array, grip: Grip, moves: Array) -> Moment:
        """What ``advance`` computes, not compiled."""
        # The keys that rollout.episode uses, so that one sees the very episodes that an evaluation counts.
        act_key, move_key = jax.random.split(jax.random.fold_in(key, step))
        action = act(self.task, self.controller, state, act_key)
        moved = self.task.transition(state, action, move_key)._replace(present=state.present)
        moved = jax.tree.map(lambda new, old: jnp.where(moves, new, old), moved, state)
        moved = held(moved, grip)
        reward = jnp.where(moves, self.task.reward(state, action, moved), 0.0)
        return Moment(moved, action, reward, self.task.terminated(moved), self.task.metrics(moved))

    def view_from(self, state: State, key: PRNGKeyArray, step: Array, slot: Array) -> View:
        """What ``look`` computes, not compiled."""
        act_key, _ = jax.random.split(jax.random.fold_in(key, step))
        seen = self.task.observe_from(state, slot[None], self.task.transmit(state))
        embeddings: list[Array] = []
        if isinstance(self.controller, Policy):
            network = self.controller.network_for(self.task)
            embeddings = network.embed(self.controller.params.network, network.prepare(seen))
        return View(seen, tuple(embeddings), act(self.task, self.controller, state, act_key)[slot])

    def _compile(self, function: Callable[..., Any], *rest: Any) -> Callable[..., Any]:
        def example(key: PRNGKeyArray) -> State:
            state = self.task.initial(key)
            return state._replace(present=jnp.ones(self.slots, bool)) if self.is_padded else state

        key = jax.random.key(0)
        return jit(function).lower(jax.eval_shape(example, key), key, *rest).compile()


def act(task: Task, controller: Controller, state: State, key: PRNGKeyArray) -> Float[Array, "N A"]:
    """The action of every agent. Policies see the state through the task, which leaves absent agents out; classical
    controllers measure distances themselves, so to them an absent agent is one that nobody hears."""
    if state.present is None or isinstance(controller, Policy) or not isinstance(task, SwarmTask):
        return controller.act(task, state, key)
    radius = jnp.inf if task.comm_radius is None else task.comm_radius
    as_heard = copy(task)
    # A radius per agent; the settings' own check is for numbers, and would stumble over an array.
    object.__setattr__(as_heard, "comm_radius", jnp.where(state.present, radius, -1.0))
    return controller.act(as_heard, state, key)


def held(state: State, grip: Grip) -> State:
    """The state with the held agent or evader where the mouse is."""

    def put(position: Array, index: Array) -> Array:
        return jnp.where((jnp.arange(position.shape[0]) == index)[:, None], grip.place, position)

    agents = state.agents._replace(position=put(state.agents.position, grip.agent))
    return state._replace(agents=agents, evaders=None if state.evaders is None else put(state.evaders, grip.evader))


def slots_for(count: int) -> int:
    """The smallest bucket that holds so many agents."""
    return next(bucket for bucket in BUCKETS if bucket >= count)


def is_fixed_size(controller: Controller) -> bool:
    """Whether a controller runs with one size of swarm only."""
    return isinstance(controller, Policy) and not controller.embedding.any_number_of_slots


def can_be_padded(task: Task, controller: Controller) -> bool:
    """Whether empty slots change nothing. What this package holds is tested for it; a plug-in is put to the test."""
    if is_fixed_size(controller) or not isinstance(task, SwarmTask):
        return False
    specs = [task, controller.embedding if isinstance(controller, Policy) else controller]
    return all(type(spec).__module__.startswith("swarmbed.") for spec in specs) or _stands_the_test(task, controller)


def _stands_the_test(task: SwarmTask, controller: Controller) -> bool:
    """Whether three agents among five slots do what three do alone."""

    def run(key: PRNGKeyArray) -> tuple[Any, Any]:
        few, many = replace(task, num_agents=3), replace(task, num_agents=5)
        state, filler = few.initial(key), many.initial(key).agents
        wider = jax.tree.map(lambda mine, others: jnp.concatenate([mine, others[:2]]), state.agents, filler)
        padded = state._replace(agents=wider, present=jnp.arange(5) < 3)
        unheld = (jnp.array(0), NO_GRIP, jnp.array(True))
        alone = Engine(few, controller, False).next_moment(state, key, *unheld)
        among = Engine(many, controller, True).next_moment(padded, key, *unheld)
        mine = jax.tree.map(lambda leaf: leaf[:3], (among.state.agents, among.action))
        return (
            (alone.state.agents, alone.action, alone.state.evaders, alone.reward, alone.terminated, alone.metrics),
            (*mine, among.state.evaders, among.reward, among.terminated, among.metrics),
        )

    try:
        alone, among = jit(run)(jax.random.key(1))
    except (TypeError, ValueError):
        return False  # a radius per agent is more than this plug-in can read; it runs with exact sizes instead
    pairs = zip(jax.tree.leaves(alone), jax.tree.leaves(among), strict=True)
    return all(np.allclose(a, b, rtol=1e-4, atol=1e-4) for a, b in pairs)
