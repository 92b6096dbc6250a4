"""A trained policy: a network, its weights, and what it was trained for. It is a controller like any other."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, PRNGKeyArray

from swarmbed.algorithms.base import PolicyParams
from swarmbed.controllers.base import Controller
from swarmbed.embeddings.base import Embedding
from swarmbed.networks.network import Layout, Network
from swarmbed.spec import config, files, registry
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks.base import Observation, State, Task

FORMAT = "swarmbed-policy-1"


@dataclass(frozen=True, eq=False)
class Policy(Controller):
    """One policy for every agent of a swarm of any size (concatenation excepted)."""

    task: Task
    embedding: Embedding
    hidden: tuple[int, ...]
    params: PolicyParams
    stochastic: bool = False

    @property
    def network(self) -> Network:
        return self.network_for(self.task)

    def network_for(self, task: Task) -> Network:
        """The same network over another task's slots."""
        return Network(Layout.of(task), self.embedding, self.hidden, task.action_size)

    def mean(self, observation: Observation, task: Task | None = None) -> Float[Array, "agents A"]:
        """The mean action of every agent that made the observation."""
        network = self.network_for(task or self.task)
        return network.apply(self.params.network, network.prepare(observation))

    def act(self, task: Task, state: State, key: PRNGKeyArray) -> Float[Array, "N A"]:
        mean = self.mean(task.observe(state), task)
        if not self.stochastic:
            return mean
        return mean + jnp.exp(self.params.log_std) * jax.random.normal(key, mean.shape, mean.dtype)

    def sampling(self, stochastic: bool) -> "Policy":
        """The same policy, drawing its actions or taking their mean."""
        return replace(self, stochastic=stochastic)

    def check(self, task: Task) -> None:
        """Say what differs between the task it was trained on and this one, if that keeps it from running."""
        senses_velocity = any("velocity" in column for columns in self.task.column_names.sets for column in columns)
        for name in ("observation", "dynamics", *(["velocity_frame"] if senses_velocity else [])):
            trained, wanted = getattr(self.task, name, None), getattr(task, name, None)
            if trained != wanted:
                raise SwarmbedError(f"the policy was trained with {name} {trained!r}, but the task has {wanted!r}")
        if self.task.column_names != task.column_names:
            raise SwarmbedError(
                "the policy does not fit the task: it was trained to read "
                f"{_columns(self.task)}, but here agents sense {_columns(task)}"
            )
        if task.action_size != self.task.action_size:
            raise SwarmbedError(f"the policy gives {self.task.action_size} numbers per agent, not {task.action_size}")
        if not self.embedding.any_number_of_slots and Layout.of(task) != Layout.of(self.task):
            raise SwarmbedError(
                f"a policy with this embedding runs only with the {self.task.num_agents} agents it was trained with, "
                f"not with {task.num_agents}"
            )


def _columns(task: Task) -> str:
    names = task.column_names
    sets = "; ".join(", ".join(columns) for columns in names.sets)
    return f"[{', '.join(names.local)}] and sets of [{sets}]"


def save_policy(policy: Policy, path: Path, notes: dict[str, str] | None = None) -> None:
    """One safetensors file with the weights, and the settings as TOML in its header."""
    from swarmbed.spec.settings import as_dict

    settings: dict[str, dict[str, Any]] = {
        "task": {"name": registry.tasks.name_of(policy.task), **as_dict(policy.task)},
        "embedding": {"name": registry.embeddings.name_of(policy.embedding), **as_dict(policy.embedding)},
        "batch": {"hidden": list(policy.hidden)},
    }
    metadata = {"format": FORMAT, "config": config.dump(settings), **(notes or {})}
    files.save_arrays(path, files.tree_to_arrays(policy.params), metadata)


def load_policy_file(path: Path) -> Policy:
    """Read a policy; a file that is missing, damaged or something else says so."""
    arrays, metadata = files.load_arrays(path)
    if metadata.get("format") != FORMAT:
        raise SwarmbedError(f"file {path} is not a policy of this version of swarmbed ({FORMAT})")
    settings = config.parse(metadata["config"], f"the header of {path}")
    for family in (registry.tasks, registry.embeddings):
        if (name := settings[family.kind]["name"]) not in family.all():
            raise SwarmbedError(
                f"file {path} was trained with the {family.kind} {name!r}, which is not part of swarmbed; "
                "load the file that defines it with --plugin FILE.py"
            )
    task, embedding = config.task_from(settings["task"]), config.embedding_from(settings["embedding"])
    hidden = tuple(settings["batch"]["hidden"])
    network = Network(Layout.of(task), embedding, hidden, task.action_size)
    template = jax.eval_shape(lambda: PolicyParams(network.init(jax.random.key(0)), jnp.zeros(task.action_size)))
    return Policy(task, embedding, hidden, files.arrays_to_tree(template, arrays, f"file {path}"))
