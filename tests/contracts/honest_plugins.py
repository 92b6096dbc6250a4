"""A task, an embedding, a network, an algorithm and a controller that keep every promise and compile in no time."""

from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from swarmbed.algorithms.base import Algorithm, Batch, PolicyParams, Update, surrogate_and_kl
from swarmbed.algorithms.trpo import policy_gradient
from swarmbed.controllers.base import Controller
from swarmbed.embeddings.base import Embedding, Params, SetLayout, column_normalised, mean_over_present
from swarmbed.networks.base import Model, PlainNetwork
from swarmbed.sim.relations import length
from swarmbed.sim.unicycle import Agents
from swarmbed.spec.settings import setting
from swarmbed.tasks.base import Metric, Observation, ObservedSet, State, Task


@dataclass(frozen=True)
class Points(Task):
    """Points that go where their actions say, the better the closer to each other."""

    metrics: ClassVar[tuple[Metric, ...]] = (Metric("spread", "mean distance of two points", better="lower"),)

    num_agents: int = setting(3, "number of points", flag="agents", at_least=1)
    horizon: int = setting(12, "steps of an episode", at_least=1)

    def initial(self, key: Any) -> State:
        return State(Agents(jax.random.uniform(key, (self.num_agents, 2)), jnp.zeros(self.num_agents)))

    def transition(self, state: State, action: Any, key: Any) -> State:
        self.check_action(action)
        position = state.agents.position + jnp.clip(action, -1, 1)
        return state._replace(agents=state.agents._replace(position=position))

    def offsets(self, state: State) -> Any:
        position = state.agents.position
        return position[None, :] - position[:, None]

    def pairs(self, state: State) -> Any:
        return state.present[:, None] & state.present[None, :] & ~jnp.eye(self.num_agents, dtype=bool)

    def observe(self, state: State) -> Observation:
        return Observation(state.agents.position, (ObservedSet(self.offsets(state), self.pairs(state)),))

    def spread(self, state: State) -> Any:
        pairs = self.pairs(state)
        offset = jnp.where(pairs[..., None], self.offsets(state), 0.0)
        return length(offset[..., 0], offset[..., 1]).sum() / jnp.maximum(pairs.sum(), 1)

    def reward(self, state: State, action: Any, next_state: State) -> Any:
        return -self.spread(next_state)

    def terminated(self, state: State) -> Any:
        return jnp.array(False)

    def measure(self, state: State) -> dict[str, Any]:
        return {"spread": self.spread(state)}


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
class Linear(PlainNetwork):
    """Linear in the local numbers and in the mean element of every set."""

    def init(self, key: Any, observation: Observation, outputs: int) -> Any:
        return jax.random.normal(key, (self.inputs(observation).shape[-1], outputs))

    def apply(self, params: Any, observation: Observation) -> Any:
        return self.inputs(observation) @ params

    def inputs(self, observation: Observation) -> Any:
        means = [self.summary(one.elements, one.mask) for one in observation.sets]
        return jnp.concatenate([observation.local, *means], -1)

    def summary(self, elements: Any, mask: Any) -> Any:
        return mean_over_present(elements, mask)


@dataclass(frozen=True)
class Climb(Algorithm):
    """One plain step along the gradient."""

    rate: float = setting(0.01, "length of the step per gradient")

    def update(self, model: Model, params: PolicyParams, memory: Any, batch: Batch, key: Any) -> Update:
        gradient = policy_gradient(model, params, batch)
        better = jax.tree.map(lambda value, slope: value + self.rate * slope, params, gradient)
        surrogate, kl = surrogate_and_kl(model, better, params.log_std, batch)
        good = self.is_good(surrogate, kl)
        kept = jax.tree.map(lambda new, old: jnp.where(good, new, old), better, params)
        return Update(kept, memory, jnp.where(good, kl, 0.0), jnp.where(good, surrogate, 0.0), good.astype(kl.dtype))

    def is_good(self, surrogate: Any, kl: Any) -> Any:
        return jnp.isfinite(surrogate) & jnp.isfinite(kl)


@dataclass(frozen=True)
class Still(Controller):
    """Nobody moves."""

    def control(self, task: Task, state: State, key: Any) -> Any:
        return jnp.zeros((task.num_agents, task.action_size))
