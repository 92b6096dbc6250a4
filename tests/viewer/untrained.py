"""Policies that nobody trained, for tests that need one."""

import jax
import jax.numpy as jnp

from swarmbed.algorithms.base import PolicyParams
from swarmbed.embeddings.base import Embedding
from swarmbed.embeddings.neural import Neural
from swarmbed.networks.network import Layout, Network
from swarmbed.policy.policy import Policy
from swarmbed.tasks.base import Task


def random_policy(task: Task, embedding: Embedding | None = None) -> Policy:
    """A policy that nobody trained."""
    embedding = embedding or Neural(features=(6,))
    network = Network(Layout.of(task), embedding, (8,), task.action_size)
    return Policy(task, embedding, (8,), PolicyParams(network.init(jax.random.key(7)), jnp.zeros(task.action_size)))
