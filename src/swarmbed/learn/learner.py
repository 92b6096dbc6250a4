"""One training iteration as one pure function: run the swarm, improve the policy (and the critic, where there is one).

``init(key)`` and ``iterate(state)`` need no mesh: they can be jitted, and vmapped over seeds. :class:`Spread` runs the
same code on several XLA devices of one machine or of many: environments and samples are spread over the mesh axis,
parameters are the same everywhere.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NamedTuple, cast

import jax
import jax.numpy as jnp
from jax import Array
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from jaxtyping import PRNGKeyArray

from swarmbed.algorithms import gaussian
from swarmbed.algorithms.base import Algorithm, LearningAlgorithm, PolicyParams, ThroughTheSwarm, Update
from swarmbed.algorithms.trpo import Trpo
from swarmbed.compute import compiling, devices, meeting, programs
from swarmbed.embeddings.base import Embedding
from swarmbed.embeddings.neural import Neural
from swarmbed.learn import rollout
from swarmbed.learn.critic import Value
from swarmbed.learn.differentiable import Told, discounted_return
from swarmbed.learn.experience import Sampling, act_with, collect, make_batch
from swarmbed.learn.rollout import Environments
from swarmbed.learn.schedule import with_numbers
from swarmbed.learn.strata import is_ragged, with_every_slot
from swarmbed.networks.base import Model, Network, as_network
from swarmbed.networks.perceptron import Perceptron
from swarmbed.spec.errors import SwarmbedError, a_kind, shown
from swarmbed.spec.keys import check_key
from swarmbed.spec.settings import Spec, setting
from swarmbed.tasks.base import Task

GROUP = 40  # environments that run side by side: enough to fill vector registers, few enough to stay in the cache
RAGGED_GROUP = 16  # swarms of mixed sizes: more groups, of swarms that are more alike


@dataclass(frozen=True)
class BatchSettings(Spec):
    """How many samples an iteration takes, and how they are cut."""

    environments: int = setting(160, "swarms that run side by side", at_least=1)
    segment: int = setting(128, "time steps of each per iteration (environments × segment is the batch)", at_least=1)
    sampled_agents: int = setting(8, "agents per swarm whose experience is used, drawn in each iteration", at_least=1)


class TrainState(NamedTuple):
    """Everything that the next iteration depends on; what a checkpoint holds."""

    key: PRNGKeyArray
    policy: PolicyParams
    memory: Any
    critic: Any  # a Critic; () where the algorithm has none
    environments: Environments


@dataclass(frozen=True)
class Learner:
    """All settings of a training run that matter for its result.

    >>> import jax, swarmbed
    >>> learner = swarmbed.Learner(swarmbed.make("pursuit"))
    >>> state = learner.init(jax.random.key(0))
    >>> state, metrics = jax.jit(learner.iterate)(state)  # doctest: +SKIP
    """

    task: Task
    embedding: Embedding = Neural()  # noqa: RUF009  frozen
    algorithm: LearningAlgorithm = Trpo()  # noqa: RUF009
    batch: BatchSettings = BatchSettings()
    network: Network = Perceptron()  # noqa: RUF009

    def __post_init__(self) -> None:
        object.__setattr__(self, "network", as_network(self.network))
        kinds = {"task": Task, "embedding": Embedding, "algorithm": LearningAlgorithm, "batch": BatchSettings}
        for name, kind in {**kinds, "network": Network}.items():
            if not isinstance(getattr(self, name), kind):
                raise SwarmbedError(f"{name} must be {a_kind(kind)} object, not {shown(getattr(self, name))}")

    @cached_property
    def policy_model(self) -> Model:
        return self.network.model(self.task.layout, self.embedding, self.task.action_size)

    @cached_property
    def value(self) -> Value | None:
        """The critic, where the algorithm has one."""
        a = self.algorithm
        if not isinstance(a, Algorithm):
            return None
        layout = self.task.central_layout if a.critic == "central" else self.task.layout
        model = self.network.model(layout, self.embedding, 1)
        return Value(model, a.value_learning_rate, a.value_epochs, a.value_minibatch)

    def init(self, key: PRNGKeyArray) -> TrainState:
        """A fresh start."""
        check_key(key)
        policy_key, critic_key, env_key, run_key = jax.random.split(key, 4)
        network = self.policy_model.init(policy_key, last_scale=0.01)
        log_std = jnp.full(self.task.action_size, self.algorithm.initial_log_std, jnp.result_type(float))
        policy = PolicyParams(network, log_std)
        environments = rollout.start(self.task, env_key, self.batch.environments)
        critic = self.value.init(critic_key) if self.value is not None else ()
        return TrainState(run_key, policy, self.algorithm.memory(policy), critic, environments)

    def iterate(
        self, state: TrainState, numbers: dict[str, Array] | None = None
    ) -> tuple[TrainState, dict[str, Array]]:
        """The next state, and one row of numbers about this iteration; NaN where no whole episode ended.

        ``numbers`` take the place of settings of the task and the algorithm in this iteration (see ``schedule``).
        """
        if numbers:
            return self._with_numbers(numbers).iterate(state)
        next_key, here = jax.random.split(state.key)
        own_key = jax.random.fold_in(here, devices.device_index())
        if isinstance(self.algorithm, ThroughTheSwarm):
            return self._through_the_swarm(self.algorithm, state, next_key, own_key)
        return self._on_policy(cast(Algorithm, self.algorithm), cast(Value, self.value), state, next_key, own_key)

    def _with_numbers(self, numbers: dict[str, Array]) -> "Learner":
        # The models are made from the settings as they are: no scheduled number decides a shape.
        parts = {"policy_model": self.policy_model, "value": self.value}
        learner = copy(self)
        learner.__dict__.update(parts, **{n: with_numbers(getattr(self, n), numbers) for n in ("task", "algorithm")})
        if self.value is not None:
            rate = cast(Algorithm, learner.algorithm).value_learning_rate
            learner.__dict__["value"] = replace(self.value, learning_rate=rate)
        return learner

    def _on_policy(
        self, algorithm: Algorithm, value: Value, state: TrainState, next_key: PRNGKeyArray, own_key: PRNGKeyArray
    ) -> tuple[TrainState, dict[str, Array]]:
        """Continue the swarms, build a batch, improve policy and critic."""
        how = self.sampling(devices.device_count())
        run_key, batch_key, update_key, fit_key = jax.random.split(own_key, 4)
        model = self.policy_model
        act = act_with(self.task, model, state.policy, algorithm.shared_noise)
        environments, segment = collect(self.task, act, state.environments, run_key, how)
        sees_more = model if algorithm.critic == "central" else None
        batch = make_batch(self.task, value, state.critic, algorithm, segment, batch_key, how, sees_more)
        update = algorithm.update(model, state.policy, state.memory, batch, update_key)
        _check_update(algorithm, "update", update, state)
        policy = algorithm.exploring(update.params)
        metrics = {
            **_means(segment.tally),
            "kl": update.kl,
            "surrogate": update.surrogate,
            "entropy": gaussian.entropy(policy.log_std),
            "explained_variance": _explained_variance(batch.target, batch.value),
            "accepted": update.accepted,
        }
        if (overlooked := jax.vmap(self.task.overlooked)(segment.last)) is not None:
            metrics["overlooked"] = devices.sum_over_devices(overlooked.sum())
        critic = value.fit(state.critic, batch, fit_key, earlier=(update, metrics))
        return TrainState(next_key, policy, update.memory, critic, environments), metrics

    def _through_the_swarm(
        self, algorithm: ThroughTheSwarm, state: TrainState, next_key: PRNGKeyArray, own_key: PRNGKeyArray
    ) -> tuple[TrainState, dict[str, Array]]:
        """Let the algorithm climb the return of new or running episodes; the state keeps where they are."""
        how = self.sampling(devices.device_count())
        start_key, update_key = jax.random.split(own_key)
        continued = algorithm.episodes == "continued"
        start = state.environments
        if not continued:
            start = rollout.start(self.task, start_key, how.environments, random_age=False)

        model = with_every_slot(self.policy_model)

        def run(policy: PolicyParams, key: PRNGKeyArray) -> tuple[Array, Told]:
            act = act_with(self.task, model, policy, algorithm.shared_noise)
            kept = algorithm.gradient_kept
            return discounted_return(self.task, act, start, key, how.steps, algorithm.discount, kept)

        update, told = algorithm.improve(run, state.policy, state.memory, update_key)
        _check_update(algorithm, "improve", update, state)
        policy = algorithm.exploring(update.params)
        environments = told.environments
        # The means of new episodes are over the steps of this update, however far they have come.
        counts = told.ended & environments.is_whole if continued else jnp.ones_like(told.ended)
        metrics = {
            **_means(rollout.tally_of(self.task, environments, counts)),
            "kl": update.kl,
            "surrogate": update.surrogate,
            "entropy": gaussian.entropy(policy.log_std),
            "explained_variance": jnp.full((), jnp.nan),
            "accepted": update.accepted,
        }
        if continued:
            environments = rollout.renewed(self.task, environments, told.ended, start_key)
        return TrainState(next_key, policy, update.memory, state.critic, environments), metrics

    def sampling(self, num_devices: int = 1) -> Sampling:
        """How the batch of one iteration comes about on each of so many devices."""
        environments = self.batch.environments // num_devices
        most = min(RAGGED_GROUP if is_ragged(self.policy_model) else GROUP, environments)
        group = max(size for size in range(1, most + 1) if environments % size == 0)
        agents = min(self.batch.sampled_agents, self.task.num_agents)
        return Sampling(environments, self.batch.segment, agents, group)

    @property
    def specs(self) -> dict[str, Any]:
        """Every part by name, as a configuration has them."""
        return {f.name: getattr(self, f.name) for f in fields(self)}


@dataclass(frozen=True)
class Spread:
    """A learner on all devices of a mesh."""

    learner: Learner
    mesh: Mesh

    def __post_init__(self) -> None:
        count, environments = self.mesh.shape[devices.AXIS], self.learner.batch.environments
        if environments % count:
            raise SwarmbedError(f"environments must be a multiple of the {count} devices, not {environments}")

    def init(self, seed: int) -> TrainState:
        key = jax.random.key(seed)
        start = jax.jit(self.learner.init, out_shardings=self.shardings, compiler_options=compiling.once())
        state: TrainState = self._kept("init", key, lambda: start.lower(key).compile())(key)
        return state

    @cached_property
    def iterate(self) -> Any:
        """The jitted function state → (state, metrics). The old state's memory is reused."""
        return self._spread((_SPECS,))

    def _spread(self, arguments: tuple[Any, ...]) -> Any:
        step = jax.shard_map(
            self.learner.iterate, mesh=self.mesh, in_specs=arguments, out_specs=(_SPECS, P()), check_vma=False
        )
        return jax.jit(step, donate_argnums=0, compiler_options=compiling.often())

    def compiled(self, state: TrainState, numbers: dict[str, Any] | None = None) -> Any:
        """The iteration, compiled once for states of this shape; it takes ``numbers`` where there are any."""
        known: dict[str, Any] = self.__dict__.setdefault("_compiled", {})
        given = (state, numbers) if numbers else state
        shape = str(jax.tree.map(lambda leaf: (leaf.shape, leaf.dtype), given))
        if shape not in known:
            known[shape] = self._kept("iterate", given, lambda: self._compile(state, numbers))
        return known[shape]

    def _compile(self, state: TrainState, numbers: dict[str, Any] | None) -> Any:
        if not numbers:
            return self.iterate.lower(state).compile()
        with _only_numbers(numbers):
            return self._spread((_SPECS, P())).lower(state, numbers).compile()

    def check(self, numbers: dict[str, Any]) -> None:
        """Raise an error if one of the numbers cannot be given anew to every iteration."""
        with _only_numbers(numbers):
            jax.eval_shape(self.learner.iterate, jax.eval_shape(self.learner.init, jax.random.key(0)), numbers)

    def _kept(self, function: str, arguments: Any, compile_it: Callable[[], Any]) -> Any:
        meets = self.mesh.size > 1 and meeting.is_possible()
        where = list(self.mesh.devices.flat)
        return programs.kept(self.learner, function, arguments, where, compile_it, depends_on=meets)

    @property
    def shardings(self) -> TrainState:
        """Where each part of the state lives: environments are spread, all else is everywhere."""
        return jax.tree.map(lambda spec: NamedSharding(self.mesh, spec), _SPECS, is_leaf=lambda s: isinstance(s, P))


_SPECS = TrainState(P(), P(), P(), P(), P(devices.AXIS))  # type: ignore[arg-type]


@contextmanager
def _only_numbers(names: Iterable[str]) -> Iterator[None]:
    try:
        yield
    except (jax.errors.ConcretizationTypeError, TypeError) as error:
        raise SwarmbedError(
            f"schedule: one of {', '.join(names)} determines what is compiled, so it cannot change during a run"
        ) from error


def _check_update(algorithm: LearningAlgorithm, function: str, update: Any, state: TrainState) -> None:
    """What somebody's algorithm returns takes the place of what it was given."""
    name = f"{function} of {type(algorithm).__name__}"
    if not isinstance(update, Update):
        raise SwarmbedError(f"{name} must return an Update, not {shown(update)}")
    for part, new, old in (("params", update.params, state.policy), ("memory", update.memory, state.memory)):
        if _shapes(new) != _shapes(old):
            raise SwarmbedError(f"{name} must return {part} of the shapes that it was given")


def _shapes(tree: Any) -> tuple[Any, list[tuple[int, ...]]]:
    leaves, structure = jax.tree.flatten(tree)
    return structure, [jnp.shape(leaf) for leaf in leaves]


def _means(tally: rollout.Tally) -> dict[str, Array]:
    """The tally of all devices as means over the whole episodes that ended."""
    total = devices.sum_over_devices(tally)
    mean = lambda leaf: jnp.where(total.episodes > 0, leaf / jnp.maximum(total.episodes, 1), jnp.nan)  # noqa: E731
    means = {"mean_return": mean(total.returns), "mean_length": mean(total.lengths)}
    return means | jax.tree.map(mean, total.metrics) | {"episodes": total.episodes}


def _explained_variance(target: Array, value: Array) -> Array:
    """1 − Var(target − value) / Var(target): 1 is a perfect critic, 0 one that only knows the mean."""

    def variance(x: Array) -> Array:
        mean = devices.mean_over_devices(x.mean())
        return devices.mean_over_devices(jnp.square(x - mean).mean())

    return 1.0 - variance(target - value) / jnp.maximum(variance(target), 1e-12)
