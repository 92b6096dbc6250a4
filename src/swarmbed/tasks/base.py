"""What a task is: five pure functions, and the shape of what agents see.

    initial(key) → state                     transition(state, action, key) → state
    observe(state) → observation             reward(state, action, next_state) → number
    terminated(state) → bool

Time limits are not a task's business: ``horizon`` is a number that ``rollout`` reads.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int, PRNGKeyArray

from swarmbed.sim.unicycle import Agents
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.settings import setting


class State(NamedTuple):
    """Everything that the next step depends on.

    ``present`` says which of the N agents are there; None means all. Nobody senses, flees from or counts one that is
    not, and what the state holds in its place means nothing. So swarms of different sizes fit into one shape.
    """

    agents: Agents
    evaders: Float[Array, "E 2"] | None = None
    present: Bool[Array, " N"] | None = None


class ObservedSet(NamedTuple):
    """One unordered set per agent: ``slots`` elements, of which those with a true mask are there."""

    elements: Float[Array, "agents slots features"]
    mask: Bool[Array, "agents slots"]


class Observation(NamedTuple):
    """What each agent sees: its own local properties and one or more sets."""

    local: Float[Array, "agents properties"]
    sets: tuple[ObservedSet, ...]


class ColumnNames(NamedTuple):
    """The meaning of every number of an observation, in order."""

    local: tuple[str, ...]
    sets: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Task(ABC):
    """A task for a swarm of identical agents. Fields are settings; methods are pure."""

    action_size: ClassVar[int] = 2
    observation_sets: ClassVar[tuple[str, ...]] = ("basic", "extended")
    # For each set, whether one of its slots is the agent itself (always masked); sets that are not named have none.
    self_in_sets: ClassVar[tuple[bool, ...]] = (True,)

    num_agents: int = setting(20, "number of agents N in the swarm", flag="agents")
    horizon: int = setting(1024, "time steps after which an episode is cut off (a truncation)")

    def __post_init__(self) -> None:
        for name in ("num_agents", "horizon"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise SwarmbedError(f"{name} must be a whole number of at least 1, not {value!r}")

    @abstractmethod
    def initial(self, key: PRNGKeyArray) -> State:
        """A random start."""

    @abstractmethod
    def transition(self, state: State, action: Float[Array, "N A"], key: PRNGKeyArray) -> State:
        """The state one control step later. Actions are in units of [-1, 1]; what lies outside is clipped."""

    @abstractmethod
    def observe(self, state: State) -> Observation:
        """What every agent sees."""

    @abstractmethod
    def reward(self, state: State, action: Float[Array, "N A"], next_state: State) -> Float[Array, ""]:
        """The reward that all agents share for this step."""

    @abstractmethod
    def terminated(self, state: State) -> Bool[Array, ""]:
        """Whether the episode has reached its end in this state (running out of time is not an end)."""

    def metrics(self, state: State) -> dict[str, Float[Array, ""]]:
        """Numbers that an evaluation follows over time."""
        return {}

    # A learner looks at a few agents of each stored state, many times. The next two functions let a task make that
    # cheap; a task that leaves them alone still works.

    def transmit(self, state: State) -> Float[Array, " N"] | None:
        """One number per agent that needs the whole swarm to compute: stored with the state, never recomputed."""
        return None

    def observe_from(
        self, state: State, viewers: Int[Array, " M"], transmitted: Float[Array, " N"] | None
    ) -> Observation:
        """What the agents ``viewers`` see."""
        return jax.tree.map(lambda column: column[viewers], self.observe(state))

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
        """The observation with shapes in place of arrays, found without computing anything."""
        return jax.eval_shape(lambda key: self.observe(self.initial(key)), jax.random.key(0))

    def check_action(self, action: Array) -> None:
        """Say so if an action does not have the shape (N, A)."""
        wanted = (self.num_agents, self.action_size)
        if jnp.shape(action) != wanted:
            raise SwarmbedError(f"action must have shape {wanted} (agents, numbers per agent), not {jnp.shape(action)}")
