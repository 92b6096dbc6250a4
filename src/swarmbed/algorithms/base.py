"""What an algorithm is: something that improves a policy. It knows neither task nor swarm.

There are two kinds. An :class:`Algorithm` is on-policy: all of these share how experience is collected and judged by a
critic, and write ``update``, from a batch of samples to a better policy. One that goes :class:`ThroughTheSwarm` gets
the return of new episodes as a differentiable function of the policy, needs neither batch nor critic, and writes
``improve``.

Several devices may work on one update: a batch is then this device's share, and :func:`batch_mean` turns a sum over its
samples into the mean over the samples of all devices. On one device an update runs unchanged.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, PRNGKeyArray

from swarmbed.algorithms import gaussian
from swarmbed.compute import devices
from swarmbed.compute.chunks import number_of_samples, piece_size, sum_over
from swarmbed.networks.base import Model
from swarmbed.spec.settings import Spec, setting


class PolicyParams(NamedTuple):
    """All that a policy learns: the network that gives the mean, and the log-deviation of every action number."""

    network: Any  # the weights of a model
    log_std: Float[Array, " A"]


class Batch(NamedTuple):
    """Samples of all agents, in random order."""

    inputs: Any  # observations as the model prepared them; the first axis of every array is the sample
    action: Float[Array, "B A"]
    mean: Float[Array, "B A"]
    advantage: Float[Array, " B"]
    target: Float[Array, " B"]
    value: Float[Array, " B"]
    judged: Any = None  # what the critic saw, prepared by its own model; None: the same as the policy


class Update(NamedTuple):
    """The result of an update. ``accepted`` is 0 if the policy was left unchanged. A number that an algorithm does not
    know is NaN and listed in ``not_measured``."""

    params: PolicyParams
    memory: Any
    kl: Float[Array, ""]
    surrogate: Float[Array, ""]
    accepted: Float[Array, ""]


# (policy, key) → (objective to climb, whatever is reported about the episodes), of this device's swarms
Run = Callable[["PolicyParams", PRNGKeyArray], tuple[Float[Array, ""], Any]]


@dataclass(frozen=True)
class LearningAlgorithm(Spec, ABC):
    """Settings that every algorithm shares. Derive from :class:`Algorithm` or :class:`ThroughTheSwarm`."""

    # Columns of the table of metrics that mean nothing for this algorithm.
    not_measured: ClassVar[tuple[str, ...]] = ()

    discount: float = setting(0.99, "discount γ", at_least=0, at_most=1)
    initial_log_std: float = setting(0.0, "initial log-deviation of the actions")
    least_log_std: float = setting(-100.0, "log-deviation that the actions keep at least, so that exploration goes on")
    shared_noise: float = setting(
        0.0, "share ρ of the exploration noise's variance that all agents of a swarm have in common",
        at_least=0, at_most=1,
    )  # fmt: skip

    def exploring(self, params: PolicyParams) -> PolicyParams:
        """The policy after an update, with as much noise as it keeps at least."""
        return params._replace(log_std=jnp.maximum(params.log_std, self.least_log_std))

    def memory(self, params: PolicyParams) -> Any:
        """What the algorithm keeps between updates, such as an optimiser's moments; nothing by default."""
        return ()


@dataclass(frozen=True)
class Algorithm(LearningAlgorithm):
    """An actor-critic that learns from samples of its current policy. One method to write: ``update``."""

    gae_lambda: float = setting(0.98, "λ of generalised advantage estimation", at_least=0, at_most=1)
    time_limit: str = setting(
        "bootstrap",
        "how to treat running out of time: bootstrap (a truncation: the value continues) or terminal (an end)",
        choices=("bootstrap", "terminal"),
    )
    critic: str = setting(
        "own",
        "what the critic sees: its agent's observation (own) or also the whole swarm (central); policies never do",
        choices=("own", "central"),
    )
    value_epochs: int = setting(5, "passes of the value fit over all samples", at_least=0)
    value_minibatch: int = setting(640, "samples per step of the value fit", at_least=1)
    value_learning_rate: float = setting(1e-3, "Adam's learning rate in the value fit", above=0)

    @abstractmethod
    def update(self, model: Model, params: PolicyParams, memory: Any, batch: Batch, key: PRNGKeyArray) -> Update:
        """One improvement of the policy from one batch."""


@dataclass(frozen=True)
class ThroughTheSwarm(LearningAlgorithm):
    """An algorithm that climbs the return of episodes itself. One method to write: ``improve``."""

    not_measured: ClassVar[tuple[str, ...]] = ("kl", "explained_variance")

    gradient_kept: float = setting(
        1.0, "share of the gradient that is kept in every step back in time; 1 is the exact gradient",
        above=0, at_most=1,
    )  # fmt: skip
    episodes: str = setting(
        "new",
        "what an update runs: the beginnings of new episodes (new), or the next steps of running ones (continued)",
        choices=("new", "continued"),
    )

    @abstractmethod
    def improve(self, run: Run, params: PolicyParams, memory: Any, key: PRNGKeyArray) -> tuple[Update, Any]:
        """One improvement of the policy, and what ``run`` reported about its episodes."""


def mean_over_samples(total: Any, samples: int) -> Any:
    """A sum over this device's samples → the mean over the samples of all devices."""
    return devices.mean_over_devices(jax.tree.map(lambda leaf: leaf / samples, total))


def batch_mean(function: Callable[[Any], Any], batch: Batch) -> Any:
    """Mean over all samples on all devices of what ``function`` sums up for one piece of the batch."""
    return mean_over_samples(sum_over(function, batch, piece_size(batch.inputs)), number_of_samples(batch))


def surrogate_and_kl(
    model: Model, params: PolicyParams, old_log_std: Float[Array, " A"], batch: Batch
) -> tuple[Array, Array]:
    """L = E[π/π_old · Â] and E[KL(π_old ‖ π)] over the whole batch."""

    def sums(piece: Batch) -> tuple[Array, Array]:
        mean = model.apply(params.network, piece.inputs)
        ratio = jnp.exp(
            gaussian.log_probability(mean, params.log_std, piece.action)
            - gaussian.log_probability(piece.mean, old_log_std, piece.action)
        )
        kl = gaussian.divergence(piece.mean, old_log_std, mean, params.log_std)
        return (ratio * piece.advantage).sum(), kl.sum()

    result: tuple[Array, Array] = batch_mean(sums, batch)
    return result
