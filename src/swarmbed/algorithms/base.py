"""What an algorithm is: from a batch of samples to a better policy. It knows neither task nor swarm.

Everything here runs inside ``shard_map``: a batch is this device's share, and sums over samples become means over all
devices through :func:`mean_over_devices`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.flatten_util import ravel_pytree
from jaxtyping import Float, PRNGKeyArray

from swarmbed.algorithms import gaussian
from swarmbed.compute.chunks import number_of_samples, piece_size, sum_over
from swarmbed.networks.network import Inputs, Network
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.settings import setting

AXIS = "devices"  # the mesh axis that a batch is spread over


class PolicyParams(NamedTuple):
    """All that a policy learns: the network that gives the mean, and the log-deviation of every action number."""

    network: dict[str, Any]
    log_std: Float[Array, " A"]


class Batch(NamedTuple):
    """Samples of all agents, in random order."""

    inputs: Inputs
    action: Float[Array, "B A"]
    mean: Float[Array, "B A"]
    advantage: Float[Array, " B"]
    target: Float[Array, " B"]
    value: Float[Array, " B"]


class Update(NamedTuple):
    """What an update gives back. ``accepted`` is 0 where it left the policy as it was."""

    params: PolicyParams
    memory: Any
    kl: Float[Array, ""]
    surrogate: Float[Array, ""]
    accepted: Float[Array, ""]


@dataclass(frozen=True)
class Algorithm(ABC):
    """Settings that every actor-critic shares, and one method to write: ``update``."""

    discount: float = setting(0.99, "discount γ")
    gae_lambda: float = setting(0.98, "λ of generalised advantage estimation")
    time_limit: str = setting(
        "bootstrap",
        "what running out of time means: bootstrap (a truncation; the value goes on) or terminal (the end)",
        choices=("bootstrap", "terminal"),
    )
    initial_log_std: float = setting(0.0, "initial log-deviation of the actions")
    value_epochs: int = setting(5, "passes of the value fit over all samples")
    value_minibatch: int = setting(640, "samples per step of the value fit")
    value_learning_rate: float = setting(1e-3, "Adam's learning rate in the value fit")

    def __post_init__(self) -> None:
        for name in ("discount", "gae_lambda"):
            if not 0 <= getattr(self, name) <= 1:
                raise SwarmbedError(f"{name} must lie between 0 and 1, not {getattr(self, name)}")
        for name in ("value_minibatch", "value_learning_rate"):
            if not getattr(self, name) > 0:
                raise SwarmbedError(f"{name} must be a positive number, not {getattr(self, name)}")
        if self.value_epochs < 0:
            raise SwarmbedError(f"value_epochs must not be negative, but is {self.value_epochs}")
        if self.time_limit not in ("bootstrap", "terminal"):
            raise SwarmbedError(f"time_limit must be bootstrap or terminal, not {self.time_limit!r}")

    def memory(self, params: PolicyParams) -> Any:
        """What the algorithm remembers between updates, such as an optimiser's moments; nothing by default."""
        return ()

    @abstractmethod
    def update(self, network: Network, params: PolicyParams, memory: Any, batch: Batch, key: PRNGKeyArray) -> Update:
        """One improvement of the policy from one batch."""


def mean_over_devices(total: Any, samples: int) -> Any:
    """A sum over this device's samples → the mean over everybody's.

    All arrays travel as one: what a collective costs on a small machine is waking the other device, not the bytes.
    """
    mean = jax.tree.map(lambda leaf: leaf / samples, total)
    if lax.axis_size(AXIS) == 1:
        return mean
    flat, unflatten = ravel_pytree(mean)
    return unflatten(lax.pmean(flat, AXIS))


def batch_mean(function: Callable[[Any], Any], batch: Batch) -> Any:
    """Mean over all samples on all devices of what ``function`` sums up for one piece of the batch."""
    return mean_over_devices(sum_over(function, batch, piece_size(batch.inputs)), number_of_samples(batch))


def surrogate_and_kl(
    network: Network, params: PolicyParams, old_log_std: Float[Array, " A"], batch: Batch
) -> tuple[Array, Array]:
    """L = E[π/π_old · Â] and E[KL(π_old ‖ π)] over the whole batch."""

    def sums(piece: Batch) -> tuple[Array, Array]:
        mean = network.apply(params.network, piece.inputs)
        ratio = jnp.exp(
            gaussian.log_probability(mean, params.log_std, piece.action)
            - gaussian.log_probability(piece.mean, old_log_std, piece.action)
        )
        kl = gaussian.divergence(piece.mean, old_log_std, mean, params.log_std)
        return (ratio * piece.advantage).sum(), kl.sum()

    result: tuple[Array, Array] = batch_mean(sums, batch)
    return result
