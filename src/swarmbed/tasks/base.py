"""What a task is: five pure functions, the metrics it declares, and the one step that everything goes through.

    initial(key) → state                     transition(state, action, key) → state
    observe(state) → observation             reward(state, action, next_state) → number
    terminated(state) → bool

A task is also an environment: ``reset``, ``step`` and ``sample_action`` follow from the five. They are pure: they can
be jitted, vmapped, scanned and differentiated.
"""

import functools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int, PRNGKeyArray

from swarmbed.compute.on_call import compiled_on_call
from swarmbed.spec import limits
from swarmbed.spec.errors import SwarmbedError, choose, shown
from swarmbed.spec.keys import check_key
from swarmbed.spec.observation import ColumnNames, Layout, Observation, ObservedSet, SetLayout
from swarmbed.spec.settings import Spec, setting
from swarmbed.tasks import returned
from swarmbed.tasks.metric import Goal, Metric
from swarmbed.tasks.rewarded import rewarded
from swarmbed.tasks.state import State

__all__ = [
    "Advance", "ColumnNames", "Goal", "Layout", "Metric", "Observation", "ObservedSet", "SetLayout", "State", "Step",
    "Task",
]  # fmt: skip
Own = TypeVar("Own", bound="Task")
_TURNOVER = 0x7075726E  # folded into a step's key, for what happens after the transition


class Advance(NamedTuple):
    """One time step: the new state, the reward, and whether the episode is over. Nothing is reset."""

    state: State
    reward: Float[Array, ""]
    terminated: Bool[Array, ""]
    truncated: Bool[Array, ""]


class Step(NamedTuple):
    """What :meth:`Task.step` returns: an :class:`Advance` with the observation and the task's metrics."""

    observation: Observation
    state: State
    reward: Float[Array, ""]
    terminated: Bool[Array, ""]
    truncated: Bool[Array, ""]
    info: dict[str, Any]


@dataclass(frozen=True)
class Task(Spec, ABC):
    """A task for a swarm of identical agents. Fields are settings; methods are pure."""

    action_size: ClassVar[int] = 2
    # What the task measures, the most important first; :meth:`measure` returns a number for each of these names.
    metrics: ClassVar[tuple[Metric, ...]] = ()
    # For each set, whether one of its slots is the agent itself (always masked); sets that are not named have none.
    self_in_sets: ClassVar[tuple[bool, ...]] = (True,)

    num_agents: int = setting(20, "number of agents N in the swarm", flag="agents", at_least=1)
    horizon: int = setting(1024, "time steps after which an episode is truncated", at_least=1)

    @abstractmethod
    def initial(self, key: PRNGKeyArray) -> State:
        """A random start."""

    @abstractmethod
    def transition(self, state: State, action: Float[Array, "N A"], key: PRNGKeyArray) -> State:
        """The state one control step later. Actions are in units of [-1, 1] and clipped to that range."""

    @abstractmethod
    def observe(self, state: State) -> Observation:
        """What every agent sees."""

    @abstractmethod
    def reward(self, state: State, action: Float[Array, "N A"], next_state: State) -> Float[Array, ""]:
        """The reward that all agents share for this step."""

    @abstractmethod
    def terminated(self, state: State) -> Bool[Array, ""]:
        """Whether the task is over in this state (running out of time does not count)."""

    def measure(self, state: State) -> dict[str, Float[Array, ""]]:
        """The number behind each declared metric."""
        return {}

    def credit(self, state: State, action: Float[Array, "N A"], next_state: State) -> Float[Array, " N"] | None:
        """What each agent learns from in this step, in place of the reward that all share; None: from that reward.

        An aid for algorithms that estimate advantages (TRPO, PPO). Returns, metrics and evaluations have the reward.
        """
        return None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        declared = cls.metrics
        if not (isinstance(declared, tuple) and all(isinstance(metric, Metric) for metric in declared)):
            raise SwarmbedError(f"metrics of {cls.__name__} must be a tuple of Metric objects, not {shown(declared)}")

    # The environment.

    def reset(self, key: PRNGKeyArray) -> tuple[Observation, State]:
        """A new episode. Compiled by itself when it is called with numbers, like ``step``."""
        check_key(key)
        _check_fits(self)
        return compiled_on_call(_reset, self, key)

    def step(self, key: PRNGKeyArray, state: State, action: Float[Array, "N A"]) -> Step:
        """One time step. Never resets by itself; :func:`swarmbed.auto_reset` does."""
        return compiled_on_call(_step, self, key, state, self.check_step(key, state, action))

    def advance(self, key: PRNGKeyArray, state: State, action: Float[Array, "N A"]) -> Advance:
        """The one step of the project: move, count time, reward, end. ``step`` adds the observation."""
        moved = self.transition(state, action, key)
        returned.check_moved(self, state, moved)
        moved = moved._replace(age=state.age + 1)
        moved = self.come_and_go(moved, jax.random.fold_in(key, _TURNOVER))
        terminated = returned.truth(self, "terminated", self.terminated(moved))
        truncated = ~terminated & (moved.age >= self.horizon)
        return Advance(moved, returned.number(self, "reward", self.reward(state, action, moved)), terminated, truncated)

    def come_and_go(self, state: State, key: PRNGKeyArray) -> State:
        """The state after agents have left and joined, at the end of a step; unchanged unless a task overrides it."""
        return state

    def resized(self: Own, num_agents: int) -> Own:
        """This task with this many agents."""
        return replace(self, num_agents=num_agents)

    def sample_action(self, key: PRNGKeyArray) -> Float[Array, "N A"]:
        """A uniformly random action of every agent."""
        check_key(key)
        return jax.random.uniform(key, (self.num_agents, self.action_size), minval=-1.0, maxval=1.0)

    def with_reward(self: Own, reward: Callable[[State, Array, State], Array]) -> Own:
        """This task with another reward, a function of (state, action, next_state).

        >>> import swarmbed
        >>> task = swarmbed.make("rendezvous").with_reward(lambda state, action, next_state: -abs(action).mean())
        """
        return rewarded(self, reward)

    # A learner observes a few agents of each stored state, many times. The next two functions let a task make that
    # cheap; overriding them is optional.

    def transmit(self, state: State) -> Float[Array, " N"] | None:
        """One number per agent that needs the whole swarm to compute: stored with the state, never recomputed."""
        return None

    def observe_from(
        self, state: State, viewers: Int[Array, " M"], transmitted: Float[Array, " N"] | None
    ) -> Observation:
        """What the agents ``viewers`` see."""
        return jax.tree.map(lambda column: column[viewers], self.observe(state))

    def overview(self, state: State, viewers: Int[Array, " M"]) -> ObservedSet | None:
        """The whole swarm, in the frames of the agents ``viewers``: a set that only a central critic gets, in training,
        in addition to its agent's observation. Policies never see it. None where a task offers no such view."""
        return None

    def across_agents(
        self, state: State, transmitted: Float[Array, " N"] | None, function: Callable[[Observation], Any]
    ) -> Any:
        """function(observation), one row of its result per agent. It must treat every agent by itself: a task with a
        large swarm calls it with a few agents at a time, and with as many slots as these agents fill."""
        return function(self.observe_from(state, jnp.arange(self.num_agents), transmitted))

    @property
    def is_large(self) -> bool:
        """Whether a swarm is so large that the swarms of a batch should run one after the other."""
        return False

    @property
    def may_overlook(self) -> bool:
        """Whether sets may have too few slots for all neighbours."""
        return False

    def overlooked(self, state: State) -> Int[Array, ""] | None:
        """How many neighbours have no slot in an agent's set, over all agents; None where this cannot happen."""
        return None

    @property
    def everybody_is_seen(self) -> bool:
        """Whether agents always see all others, and nobody is ever absent but in the last slots. Only then does a set
        tell which slot is the agent's own, and the embedding concatenation needs to know. A task of your own that keeps
        to this says so: ``everybody_is_seen = True``."""
        return False

    # Shapes and names, found without computing anything.

    @property
    def column_names(self) -> ColumnNames:
        """What the columns of an observation mean; tasks with named columns say more than a number."""
        shape = self.observation_shape
        return ColumnNames(
            tuple(f"local {i}" for i in range(shape.local.shape[-1])),
            tuple(tuple(f"element {i}" for i in range(s.elements.shape[-1])) for s in shape.sets),
        )

    @property
    def observation_shape(self) -> Any:
        """The observation with shapes in place of arrays."""
        return _observation_shape(self)

    @property
    def layout(self) -> Layout:
        """The shape of what one agent sees."""
        shape = self.observation_shape
        own = (*self.self_in_sets, *(False for _ in shape.sets))
        has_gaps = not self.everybody_is_seen
        sets = [
            SetLayout(s.elements.shape[1], s.elements.shape[2], own[i], may_have_gaps=own[i] and has_gaps)
            for i, s in enumerate(shape.sets)
        ]
        return Layout(shape.local.shape[-1], tuple(sets))

    @property
    def central_layout(self) -> Layout:
        """The shape of what a central critic sees: what one agent sees, and the overview as one set more."""
        seen = _overview_shape(self)
        if seen is None:
            raise SwarmbedError(f"{type(self).__name__} has no overview for a central critic; leave critic = own")
        layout = self.layout
        _, slots, features = seen.elements.shape
        is_ragged = any(each.is_ragged for each in layout.sets)
        return layout._replace(
            sets=(*layout.sets, SetLayout(slots, features, includes_self=False, is_ragged=is_ragged))
        )

    def metric(self, name: str) -> Metric:
        """The declaration of a metric."""
        names = [metric.name for metric in self.metrics]
        return self.metrics[names.index(choose("metric", name, names))]

    @property
    def headline(self) -> Metric | None:
        """The metric that says most about the task; None if it measures nothing."""
        return next(iter(self.metrics), None)

    def check_step(self, key: PRNGKeyArray, state: State, action: Any) -> Array:
        """The action as an array, or an error that says which argument of a step is not what it should be."""
        check_key(key)
        if not returned.is_state(state):
            raise SwarmbedError(f"state must be a State, as reset and step return it, not {shown(state)}")
        if jnp.ndim(state.age):
            raise SwarmbedError(f"state must be of one swarm, not of {jnp.shape(state.age)}; use jax.vmap for several")
        try:
            action = jnp.asarray(action)
        except (TypeError, ValueError):
            raise SwarmbedError(f"action must be an array of numbers, not {shown(action)}") from None
        self.check_action(action)
        return action

    def check_action(self, action: Array) -> None:
        """Raise an error if an action does not have the shape (N, A)."""
        wanted = (self.num_agents, self.action_size)
        if jnp.shape(action) != wanted:
            raise SwarmbedError(f"action must have shape {wanted} (agents, numbers per agent), not {jnp.shape(action)}")


def _reset(task: Task, key: PRNGKeyArray) -> tuple[Observation, State]:
    state = task.initial(key)
    return task.observe(state), state


def _step(task: Task, key: PRNGKeyArray, state: State, action: Array) -> Step:
    state, reward, terminated, truncated = task.advance(key, state, action)
    return Step(task.observe(state), state, reward, terminated, truncated, task.measure(state))


@functools.lru_cache(maxsize=256)
def _check_fits(task: Task) -> None:
    """The observations of all agents form one array, which may be larger than the machine's memory."""
    leaves = jax.tree.leaves(task.observation_shape)
    needed = sum(math.prod(leaf.shape) * leaf.dtype.itemsize for leaf in leaves)
    limits.check_memory(f"{type(task).__name__} with {task.num_agents} agents", needed)


@functools.lru_cache(maxsize=256)
def _observation_shape(task: Task) -> Any:
    def look(key: PRNGKeyArray) -> Observation:
        state = task.initial(key)
        returned.check_initial(task, state)
        returned.check_measured(task, task.measure(state))
        return task.observe(state)

    shape = jax.eval_shape(look, jax.random.key(0))
    returned.check_observed(task, shape)
    return shape


@functools.lru_cache(maxsize=256)
def _overview_shape(task: Task) -> Any:
    everybody = jnp.arange(task.num_agents)
    return jax.eval_shape(lambda key: task.overview(task.initial(key), everybody), jax.random.key(0))
