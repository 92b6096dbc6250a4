"""Policies to export: random weights and, unlike fresh ones, random biases, so that a forgotten bias shows."""

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
from swarmbed.networks.network import Layout, Network
from swarmbed.policy.policy import Policy
from swarmbed.tasks import make_task
from swarmbed.tasks.base import Task

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

ONE_SET = make_task("rendezvous", num_agents=5)
TWO_SETS = make_task("multi_pursuit", num_agents=4, num_evaders=3)
# Everything with one set; with two sets, one embedding of each kind.
CASES = [(ONE_SET, name) for name in EMBEDDINGS]
CASES += [(TWO_SETS, name) for name in ("mean", "max of two layers", "histogram", "kurtosis", "concatenation")]
NAMES = [f"{'one set' if task is ONE_SET else 'two sets'}, {name}" for task, name in CASES]
# Converters that work on what JAX traces need not see every order of the moments.
GENERIC = [case for case in CASES if case[1] not in ("mean only", "deviation", "skew", "max of negative numbers")]


def random_policy(task: Task, embedding: Embedding, hidden: tuple[int, ...] = (64,)) -> Policy:
    network = Network(Layout.of(task), embedding, hidden, task.action_size)
    random = np.random.default_rng(0)

    def weights(shape: jax.ShapeDtypeStruct) -> jax.Array:
        return jnp.asarray(random.normal(size=shape.shape) / np.sqrt(max(shape.shape[0], 4)), jnp.float32)

    params = jax.tree.map(weights, jax.eval_shape(network.init, jax.random.key(0)))
    return Policy(task, embedding, hidden, PolicyParams(params, jnp.zeros(task.action_size)))
