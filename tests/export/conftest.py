"""Policies to export: random weights and, unlike fresh ones, random biases, so that a forgotten bias shows."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import pytest

from swarmbed.algorithms.base import PolicyParams
from swarmbed.embeddings.base import Embedding
from swarmbed.embeddings.concatenation import Concatenation
from swarmbed.embeddings.histogram import Histogram
from swarmbed.embeddings.moments import Moments
from swarmbed.embeddings.neural import Neural
from swarmbed.embeddings.rbf import Rbf
from swarmbed.network import Layout, Network
from swarmbed.policy import Policy
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

TASKS: dict[str, Task] = {
    "one set": make_task("rendezvous", num_agents=5),
    "two sets": make_task("multi_pursuit", num_agents=4, num_evaders=3),
}


def with_random_weights(task: Task, embedding: Embedding, hidden: tuple[int, ...] = (64,)) -> Policy:
    network = Network(Layout.of(task), embedding, hidden, task.action_size)
    leaves, structure = jax.tree.flatten(network.init(jax.random.key(0)))
    keys = jax.random.split(jax.random.key(1), len(leaves))
    noisy = [leaf + 0.2 * jax.random.normal(key, leaf.shape) for leaf, key in zip(leaves, keys, strict=True)]
    return Policy(task, embedding, hidden, PolicyParams(jax.tree.unflatten(structure, noisy), jnp.zeros(2)))


@pytest.fixture(scope="session")
def make_policy() -> Callable[..., Policy]:
    return with_random_weights


@pytest.fixture(scope="session")
def rendezvous_policy() -> Policy:
    return with_random_weights(TASKS["one set"], Neural())
