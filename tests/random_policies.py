"""Policies to export: random weights and, unlike fresh ones, random biases, so that a forgotten bias shows."""

from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from swarmbed.algorithms.base import PolicyParams
from swarmbed.embeddings.base import Embedding
from swarmbed.embeddings.concatenation import Concatenation
from swarmbed.embeddings.histogram import Histogram
from swarmbed.embeddings.moments import Moments
from swarmbed.embeddings.neural import Neural
from swarmbed.embeddings.rbf import Rbf
from swarmbed.networks.base import Network, PlainNetwork
from swarmbed.networks.perceptron import Perceptron
from swarmbed.policy.policy import Policy
from swarmbed.tasks import make
from swarmbed.tasks.base import Observation, Task

EMBEDDINGS: dict[str, Embedding] = {
    "mean": Neural(),
    "mean of two elu layers": Neural(features=(16, 8), activation="elu"),
    "softmax of tanh": Neural(pooling="softmax", features=(16,), activation="tanh", temperature=3.0),
    "max of two layers": Neural(pooling="max", features=(8, 16)),
    "max of negative numbers": Neural(pooling="max", features=(16,), activation="tanh"),
    "histogram": Histogram(),
    "rbf": Rbf(),
    "mean only": Moments(order=1),
    "deviation": Moments(order=2),
    "skew": Moments(order=3),
    "kurtosis": Moments(order=4),
    "concatenation": Concatenation(units=16),
}

ONE_SET = make("rendezvous", num_agents=5)
TWO_SETS = make("multi_pursuit", num_agents=4, num_evaders=3)
# Everything with one set; with two sets, one embedding of each kind.
CASES = [(ONE_SET, name) for name in EMBEDDINGS]
CASES += [(TWO_SETS, name) for name in ("mean", "max of two layers", "histogram", "kurtosis", "concatenation")]
NAMES = [f"{'one set' if task is ONE_SET else 'two sets'}, {name}" for task, name in CASES]
# Converters that work on what JAX traces need not see every order of the moments.
GENERIC = [case for case in CASES if case[1] not in ("mean only", "deviation", "skew", "max of negative numbers")]


@dataclass(frozen=True)
class FarthestNeighbour(PlainNetwork):
    """A network that is no perceptron: one layer over the farthest element of the first set."""

    def init(self, key: Any, observation: Observation, outputs: int) -> Any:
        return {"weight": jnp.zeros((observation.sets[0].elements.shape[-1], outputs)), "bias": jnp.zeros(outputs)}

    def apply(self, params: Any, observation: Observation) -> jax.Array:
        elements, mask = observation.sets[0]
        picked = jnp.where(mask, elements[..., 0], -1.0).argmax(1)
        farthest = jnp.take_along_axis(jnp.where(mask[..., None], elements, 0.0), picked[:, None, None], axis=1)[:, 0]
        return farthest @ params["weight"] + params["bias"]


@dataclass(frozen=True)
class FixedSlots(PlainNetwork):
    """One layer over all slots in their order, the agent's own included: it runs with one swarm size only."""

    any_number_of_slots: ClassVar[bool] = False

    def init(self, key: Any, observation: Observation, outputs: int) -> Any:
        elements = observation.sets[0].elements
        return {"weight": jnp.zeros((elements.shape[1] * elements.shape[2], outputs))}

    def apply(self, params: Any, observation: Observation) -> jax.Array:
        elements, mask = observation.sets[0]
        seen = jnp.where(mask[..., None], elements, 0.0)
        return seen.reshape(seen.shape[0], -1) @ params["weight"]


@dataclass(frozen=True)
class Hesitant(PlainNetwork):
    """A network that JAX cannot trace, because it decides in Python what to do with a number."""

    def init(self, key: Any, observation: Observation, outputs: int) -> Any:
        return {"bias": jnp.zeros(outputs)}

    def apply(self, params: Any, observation: Observation) -> jax.Array:
        rows = jnp.zeros((observation.local.shape[0], 1)) + params["bias"]
        return rows if observation.local.sum() > 0 else -rows


def random_policy(
    task: Task, embedding: Embedding, hidden: tuple[int, ...] = (64,), network: Network | None = None
) -> Policy:
    network = network or Perceptron(hidden)
    model = network.model(task.layout, embedding, task.action_size)
    random = np.random.default_rng(0)

    def weights(shape: jax.ShapeDtypeStruct) -> jax.Array:
        return jnp.asarray(random.normal(size=shape.shape) / np.sqrt(max(shape.shape[0], 4)), jnp.float32)

    params = jax.tree.map(weights, jax.eval_shape(model.init, jax.random.key(0)))
    return Policy(task, embedding, PolicyParams(params, jnp.zeros(task.action_size)), network)
