"""Policies that nobody trained, for tests that need one."""

import jax
import jax.numpy as jnp

from swarmbed.algorithms.base import PolicyParams
from swarmbed.embeddings.base import Embedding
from swarmbed.embeddings.neural import Neural
from swarmbed.networks.perceptron import Perceptron
from swarmbed.policy.policy import Policy
from swarmbed.tasks.base import Task


def random_policy(task: Task, embedding: Embedding | None = None) -> Policy:
    """A policy that nobody trained."""
    embedding, network = embedding or Neural(features=(6,)), Perceptron(hidden=(8,))
    model = network.model(task.layout, embedding, task.action_size)
    params = PolicyParams(jax.jit(model.init)(jax.random.key(7)), jnp.zeros(task.action_size))
    return Policy(task, embedding, params, network)
