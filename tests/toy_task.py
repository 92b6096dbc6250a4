"""A task that compiles in no time: points that go where their actions say, the better the closer to the origin."""

from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from swarmbed.controllers.base import Controller
from swarmbed.sim.unicycle import Agents
from swarmbed.spec.settings import setting
from swarmbed.tasks.base import Metric, Observation, State, Task


@dataclass(frozen=True)
class Drift(Task):
    """x′ = x + a + noise · ξ, r = −mean |x′|; no end but the horizon."""

    metrics: ClassVar[tuple[Metric, ...]] = (Metric("offset", "mean coordinate", better="lower"),)

    num_agents: int = setting(3, "number of points", flag="agents", at_least=1)
    horizon: int = setting(12, "steps of an episode", at_least=1)
    noise: float = setting(0.0, "how much chance there is in a step")

    def initial(self, key: Any) -> State:
        return State(Agents(jax.random.uniform(key, (self.num_agents, 2)), jnp.zeros(self.num_agents)))

    def transition(self, state: State, action: Any, key: Any) -> State:
        chance = self.noise * jax.random.normal(key, (self.num_agents, 2))
        return state._replace(agents=state.agents._replace(position=state.agents.position + action + chance))

    def observe(self, state: State) -> Observation:
        return Observation(state.agents.position, ())

    def reward(self, state: State, action: Any, next_state: State) -> Any:
        return -jnp.abs(next_state.agents.position).mean()

    def terminated(self, state: State) -> Any:
        return jnp.array(False)

    def measure(self, state: State) -> dict[str, Any]:
        return {"offset": state.agents.position.mean()}


@dataclass(frozen=True)
class Constant(Controller):
    """The same action for everybody, always."""

    value: float = setting(0.0, "both numbers of the action")

    def control(self, task: Task, state: State, key: Any) -> Any:
        return jnp.full((task.num_agents, task.action_size), self.value)


@dataclass(frozen=True)
class Forward(Controller):
    """Straight on, as fast as can be."""

    def control(self, task: Task, state: State, key: Any) -> Any:
        return jnp.tile(jnp.array([1.0, 0.0]), (task.num_agents, 1))
