"""A trained policy: a network, its weights, and what it was trained for. It is a controller like any other."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, PRNGKeyArray

from swarmbed.algorithms.base import PolicyParams
from swarmbed.compute.on_call import compiled_on_call
from swarmbed.controllers.base import Controller
from swarmbed.embeddings.base import Embedding
from swarmbed.networks.base import Model, Network, as_network
from swarmbed.networks.perceptron import Perceptron
from swarmbed.spec.errors import SwarmbedError, a_kind, shown
from swarmbed.spec.keys import check_key
from swarmbed.spec.registry import task_name
from swarmbed.tasks.base import Observation, State, Task
from swarmbed.tasks.returned import is_state


@dataclass(frozen=True, eq=False)
class Policy(Controller):
    """One policy for every agent of a swarm of any size (concatenation excepted).

    >>> import jax, swarmbed
    >>> policy = swarmbed.load_policy("rendezvous-global-nn-extended")
    >>> observation, state = policy.task.reset(jax.random.key(0))
    >>> policy(observation).shape, policy.act(state).shape
    ((20, 2), (20, 2))
    """

    task: Task
    embedding: Embedding
    params: PolicyParams
    network: Network = Perceptron()  # noqa: RUF009  frozen
    stochastic: bool = False

    def __post_init__(self) -> None:
        """Arrays are not settings; a network may be any object that serves as one."""
        object.__setattr__(self, "network", as_network(self.network))
        for name, part, kind in (("task", self.task, Task), ("embedding", self.embedding, Embedding)):
            if not isinstance(part, kind):
                raise SwarmbedError(f"{name} of a policy must be {a_kind(kind)} object, not {shown(part)}")

    def __repr__(self) -> str:
        weights = sum(jnp.size(leaf) for leaf in jax.tree.leaves(self.params))
        parts = f"{self.embedding}, {self.network}, {weights} weights"
        return f"{type(self).__name__}({task_name(self.task)}, {self.task.num_agents} agents, {parts})"

    def __call__(self, observation: Observation, key: PRNGKeyArray | None = None) -> Float[Array, "agents A"]:
        """The action of every observing agent: the mean or, given a key, a sample."""
        if not isinstance(observation, Observation):
            words = "reset and step of its task return it (for a state, use policy.act)"
            raise SwarmbedError(f"observation must be an Observation, as {words}, not {shown(observation)}")
        if jnp.ndim(observation.local) != 2:
            found = jnp.shape(observation.local)
            raise SwarmbedError(
                "observation must be that of the agents of one swarm, local (agents, properties), not "
                f"{found}; use jax.vmap for several swarms"
            )
        if type(self) is not Policy:  # a class of its own may have its own mean
            return self._noisy(self.mean(observation), key)
        return self._noisy(compiled_on_call(_means, self._parts, self.params, observation), key)

    def act(self, state: State, key: PRNGKeyArray | None = None) -> Float[Array, "N A"]:
        """The actions of a whole swarm on the policy's own task: the mean or, given a key, a sample."""
        if not is_state(state):
            words = "reset and step return it (for an observation, call the policy itself)"
            raise SwarmbedError(f"state must be a State, as {words}, not {shown(state)}")
        if type(self) is not Policy:
            return self._noisy(self.sampling(False).control(self.task, state, jax.random.key(0)), key)
        return self._noisy(compiled_on_call(_means_of_swarm, self._parts, self.params, state), key)

    def control(self, task: Task, state: State, key: PRNGKeyArray) -> Float[Array, "N A"]:
        """The actions of a swarm on any task that the policy fits; sampled if the policy is stochastic."""
        mean = task.across_agents(state, task.transmit(state), lambda seen: self.mean(seen, task))
        return self.drawn(mean, key)

    def mean(self, observation: Observation, task: Task | None = None) -> Float[Array, "agents A"]:
        """The mean action of every observing agent."""
        model = self.model_for(task or self.task)
        return model.apply(self.params.network, model.prepare(observation))

    def drawn(self, mean: Float[Array, "N A"], key: PRNGKeyArray) -> Float[Array, "N A"]:
        """The actions of a swarm with these means: samples if the policy is stochastic, else the means."""
        return self._noisy(mean, key if self.stochastic else None)

    def sampling(self, stochastic: bool) -> "Policy":
        """The same policy, sampling its actions or taking the mean."""
        return replace(self, stochastic=stochastic)

    def save(self, path: str | Path) -> Path:
        """Write the policy to one file, which :func:`swarmbed.load_policy` reads."""
        from swarmbed.policy.files import save_policy

        if Path(path).is_dir():
            raise SwarmbedError(
                f"{path} is a folder; name the file to write, such as {Path(path) / 'policy.safetensors'}"
            )
        save_policy(self, Path(path))
        return Path(path)

    @property
    def form(self) -> Any:
        return type(self), self.embedding, self.network, self.stochastic

    @property
    def weights(self) -> PolicyParams:
        return self.params

    def with_weights(self, weights: PolicyParams) -> "Policy":
        return replace(self, params=weights)

    @property
    def model(self) -> Model:
        return self.model_for(self.task)

    def model_for(self, task: Task) -> Model:
        """The same network over another task's slots."""
        return self.network.model(task.layout, self.embedding, task.action_size)

    @property
    def _parts(self) -> tuple[Task, Embedding, Network]:
        return self.task, self.embedding, self.network

    @property
    def specs(self) -> dict[str, Any]:
        """Every part by name, as a configuration has them."""
        return {"task": self.task, "embedding": self.embedding, "network": self.network}

    def check(self, task: Task) -> None:
        """Raise an error that says what differs from the task it was trained on, if that keeps it from running."""
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
        if not self.model.any_number_of_slots and _slots(task) != _slots(self.task):
            raise SwarmbedError(
                f"a policy with this network runs only with the {self.task.num_agents} agents it was trained with, "
                f"not with {task.num_agents}"
            )
        self.model_for(task)  # an embedding may not be able to read the sets of this task

    def _noisy(self, mean: Float[Array, "agents A"], key: PRNGKeyArray | None) -> Float[Array, "agents A"]:
        if key is None:
            return mean
        check_key(key)
        return mean + jnp.exp(self.params.log_std) * jax.random.normal(key, mean.shape, mean.dtype)


def _means(parts: tuple[Task, Embedding, Network], params: PolicyParams, observation: Observation) -> Array:
    task, embedding, network = parts
    return Policy(task, embedding, params, network).mean(observation)


def _means_of_swarm(parts: tuple[Task, Embedding, Network], params: PolicyParams, state: State) -> Array:
    task, embedding, network = parts
    return Policy(task, embedding, params, network).control(task, state, jax.random.key(0))


def _slots(task: Task) -> list[tuple[int, int]]:
    return [(each.slots, each.features) for each in task.layout.sets]


def _columns(task: Task) -> str:
    names = task.column_names
    sets = "; ".join(", ".join(columns) for columns in names.sets)
    return f"[{', '.join(names.local)}] and sets of [{sets}]"
