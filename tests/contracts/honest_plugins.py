"""A task, an embedding, an algorithm and a controller that keep every promise and compile in no time."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from swarmbed.networks.network import Network

from swarmbed.algorithms.base import Algorithm, Batch, PolicyParams, Update, surrogate_and_kl
from swarmbed.algorithms.trpo import policy_gradient
from swarmbed.controllers.base import Controller
from swarmbed.embeddings.base import Embedding, Params, SetLayout, column_normalised, mean_over_present
from swarmbed.sim.relations import length
from swarmbed.sim.unicycle import Agents
from swarmbed.spec.settings import setting
from swarmbed.tasks.base import Observation, ObservedSet, State, Task


@dataclass(frozen=True)
class Points(Task):
    """Points that go where their actions say, the better the closer to each other."""

    num_agents: int = setting(3, "number of points", flag="agents")
    horizon: int = setting(12, "steps of an episode")

    def initial(self, key: Any) -> State:
        return State(Agents(jax.random.uniform(key, (self.num_agents, 2)), jnp.zeros(self.num_agents)))

    def transition(self, state: State, action: Any, key: Any) -> State:
        self.check_action(action)
        position = state.agents.position + jnp.clip(action, -1, 1)
        return state._replace(agents=state.agents._replace(position=position))

    def offsets(self, state: State) -> Any:
        position = state.agents.position
        return position[None, :] - position[:, None]

    def observe(self, state: State) -> Observation:
        others = ~jnp.eye(self.num_agents, dtype=bool)
        return Observation(state.agents.position, (ObservedSet(self.offsets(state), others),))

    def reward(self, state: State, action: Any, next_state: State) -> Any:
        offset = self.offsets(next_state)
        return -length(offset[..., 0], offset[..., 1]).mean()

    def terminated(self, state: State) -> Any:
        return jnp.array(False)


@dataclass(frozen=True)
class Average(Embedding):
    """The mean of one layer of ReLU units."""

    units: int = setting(4, "units of the layer")

    def prepare(self, layout: SetLayout, elements: Any, mask: Any) -> Any:
        return jnp.concatenate([jnp.where(mask[..., None], elements, 0.0), mask[..., None]], -1)

    def init(self, layout: SetLayout, key: Any) -> Params:
        return {"weight": column_normalised(key, layout.features, self.units), "bias": jnp.zeros(self.units)}

    def apply(self, params: Params, prepared: Any) -> Any:
        elements, mask = prepared[..., :-1], prepared[..., -1] > 0
        return self.pool(jax.nn.relu(elements @ params["weight"] + params["bias"]), mask)

    def pool(self, features: Any, mask: Any) -> Any:
        return mean_over_present(features, mask)


@dataclass(frozen=True)
class Climb(Algorithm):
    """One plain step along the gradient."""

    rate: float = setting(0.01, "length of the step per gradient")

    def update(self, network: Network, params: PolicyParams, memory: Any, batch: Batch, key: Any) -> Update:
        gradient = policy_gradient(network, params, batch)
        better = jax.tree.map(lambda value, slope: value + self.rate * slope, params, gradient)
        surrogate, kl = surrogate_and_kl(network, better, params.log_std, batch)
        good = self.is_good(surrogate, kl)
        kept = jax.tree.map(lambda new, old: jnp.where(good, new, old), better, params)
        return Update(kept, memory, jnp.where(good, kl, 0.0), jnp.where(good, surrogate, 0.0), good.astype(kl.dtype))

    def is_good(self, surrogate: Any, kl: Any) -> Any:
        return jnp.isfinite(surrogate) & jnp.isfinite(kl)


@dataclass(frozen=True)
class Still(Controller):
    """Nobody moves."""

    def act(self, task: Task, state: State, key: Any) -> Any:
        return jnp.zeros((task.num_agents, task.action_size))
