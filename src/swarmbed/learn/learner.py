"""One training iteration as one pure function: run the swarm, build the batch, improve policy and critic.

The same code runs on one core, on several XLA devices of one machine and on several machines: environments and samples
are spread over the mesh axis, parameters are the same everywhere.
"""

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from jaxtyping import PRNGKeyArray

from swarmbed.algorithms import gaussian
from swarmbed.algorithms.base import AXIS, Algorithm, PolicyParams
from swarmbed.embeddings.base import Embedding
from swarmbed.learn import rollout
from swarmbed.learn.critic import Critic, Value
from swarmbed.learn.experience import Sampling, collect, make_batch
from swarmbed.learn.rollout import Environments
from swarmbed.networks.network import Layout, Network
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.settings import setting
from swarmbed.tasks.base import Task

GROUP = 40  # environments that run side by side: enough to fill vector registers, few enough to stay in the cache


@dataclass(frozen=True)
class BatchSettings:
    """How many samples an iteration takes, and how they are cut."""

    environments: int = setting(160, "swarms that run side by side")
    segment: int = setting(128, "time steps of each per iteration (environments × segment is the batch)")
    sampled_agents: int = setting(8, "agents per swarm whose experience is learned from, drawn anew each iteration")
    hidden: tuple[int, ...] = setting((64,), "units of the hidden layers of policy and value head")

    def __post_init__(self) -> None:
        for name in ("environments", "segment", "sampled_agents"):
            if getattr(self, name) < 1:
                raise SwarmbedError(f"{name} must be a whole number of at least 1, not {getattr(self, name)}")


class TrainState(NamedTuple):
    """Everything that the next iteration depends on; what a checkpoint holds."""

    key: PRNGKeyArray
    policy: PolicyParams
    memory: Any
    critic: Critic
    environments: Environments


class Metrics(NamedTuple):
    """One row of metrics.csv, less the counters that the trainer adds. NaN where no whole episode ended."""

    mean_return: Array
    mean_length: Array
    captured: Array
    kl: Array
    surrogate: Array
    entropy: Array
    explained_variance: Array
    accepted: Array
    episodes: Array


@dataclass(frozen=True)
class Learner:
    """All settings of a training run that matter for its result."""

    task: Task
    embedding: Embedding
    algorithm: Algorithm
    batch: BatchSettings

    @cached_property
    def policy_network(self) -> Network:
        return Network(Layout.of(self.task), self.embedding, self.batch.hidden, self.task.action_size)

    @cached_property
    def value(self) -> Value:
        network = Network(Layout.of(self.task), self.embedding, self.batch.hidden, 1)
        a = self.algorithm
        return Value(network, a.value_learning_rate, a.value_epochs, a.value_minibatch)

    def init(self, seed: int, mesh: Mesh) -> TrainState:
        """A fresh start, spread over the mesh."""
        devices = mesh.shape[AXIS]
        if self.batch.environments % devices:
            raise SwarmbedError(
                f"environments must be a multiple of the {devices} devices, not {self.batch.environments}"
            )

        def make(key: PRNGKeyArray) -> TrainState:
            policy_key, critic_key, env_key, run_key = jax.random.split(key, 4)
            network = self.policy_network.init(policy_key, last_scale=0.01)
            log_std = jnp.full(self.task.action_size, self.algorithm.initial_log_std, jnp.result_type(float))
            policy = PolicyParams(network, log_std)
            environments = rollout.start(self.task, env_key, self.batch.environments)
            return TrainState(run_key, policy, self.algorithm.memory(policy), self.value.init(critic_key), environments)

        return jax.jit(make, out_shardings=self.shardings(mesh))(jax.random.key(seed))

    def shardings(self, mesh: Mesh) -> TrainState:
        """Where each part of the state lives: environments are spread, all else is everywhere."""
        return jax.tree.map(lambda spec: NamedSharding(mesh, spec), _SPECS, is_leaf=lambda s: isinstance(s, P))

    def iteration(self, mesh: Mesh) -> Any:
        """The compiled function state → (state, metrics). The old state's memory is reused."""
        step = jax.shard_map(
            partial(self._iterate, mesh.shape[AXIS]), mesh=mesh, in_specs=(_SPECS,), out_specs=(_SPECS, P()),
            check_vma=False,
        )  # fmt: skip
        return jax.jit(step, donate_argnums=0)

    def sampling(self, devices: int) -> Sampling:
        environments = self.batch.environments // devices
        group = max(size for size in range(1, min(GROUP, environments) + 1) if environments % size == 0)
        agents = min(self.batch.sampled_agents, self.task.num_agents)
        return Sampling(environments, self.batch.segment, agents, group)

    def _iterate(self, devices: int, state: TrainState) -> tuple[TrainState, Metrics]:
        how = self.sampling(devices)
        next_key, here = jax.random.split(state.key)
        own_key = jax.random.fold_in(here, lax.axis_index(AXIS))
        run_key, batch_key, update_key, fit_key = jax.random.split(own_key, 4)
        environments, segment = collect(self.task, self.policy_network, state.policy, state.environments, run_key, how)
        batch = make_batch(self.task, self.value, state.critic, self.algorithm, segment, batch_key, how)
        update = self.algorithm.update(self.policy_network, state.policy, state.memory, batch, update_key)
        critic = self.value.fit(state.critic, batch, fit_key)
        tally = jax.tree.map(lambda leaf: lax.psum(leaf, AXIS), segment.tally)
        mean = lambda leaf: jnp.where(tally.episodes > 0, leaf / jnp.maximum(tally.episodes, 1), jnp.nan)  # noqa: E731
        metrics = Metrics(
            mean(tally.returns),
            mean(tally.lengths),
            mean(tally.terminations),
            update.kl,
            update.surrogate,
            gaussian.entropy(update.params.log_std),
            _explained_variance(batch.target, batch.value),
            update.accepted,
            tally.episodes,
        )
        return TrainState(next_key, update.params, update.memory, critic, environments), metrics


_SPECS = TrainState(P(), P(), P(), P(), P(AXIS))  # type: ignore[arg-type]


def _explained_variance(target: Array, value: Array) -> Array:
    """1 − Var(target − value) / Var(target): 1 is a perfect critic, 0 one that knows the mean only."""

    def variance(x: Array) -> Array:
        return lax.pmean(jnp.square(x - lax.pmean(x.mean(), AXIS)).mean(), AXIS)

    return 1.0 - variance(target - value) / jnp.maximum(variance(target), 1e-12)
