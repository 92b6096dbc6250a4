"""What a network is: from what an agent sees to a row of numbers.

A *network* is a spec: settings and two functions. A *model* is a network for one layout of observations and one number
of outputs; policy and critic are two models with their own weights. Learners call a model in three parts, so they
repeat only what changes:

    prepare(observation)       everything that does not depend on weights; done once per sample
    init(key)                  initial weights, any pytree of arrays
    apply(params, prepared)    the rest; done in every pass over a batch
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float, PRNGKeyArray

from swarmbed.embeddings.base import Embedding
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.observation import Layout, Observation, ObservedSet
from swarmbed.spec.settings import Spec

Params = Any  # a pytree of arrays


@runtime_checkable
class Module(Protocol):
    """Any object that can serve as a network, whatever library it is made with."""

    def init(self, key: PRNGKeyArray, observation: Observation, outputs: int) -> Params: ...

    def apply(self, params: Params, observation: Observation) -> Float[Array, "B O"]: ...


@dataclass(frozen=True)
class Model(ABC):
    """A network for one layout and one number of outputs. The first axis of observations is the batch."""

    layout: Layout
    outputs: int

    # False where the weights are tied to one number of slots, so a policy runs with one swarm size only.
    @property
    def any_number_of_slots(self) -> bool:
        return True

    def prepare(self, observation: Observation) -> Any:
        """The part that no weight changes."""
        return observation

    @abstractmethod
    def init(self, key: PRNGKeyArray, last_scale: float = 1.0) -> Params:
        """Initial weights; small outputs where ``last_scale`` is small, if the network supports it."""

    @abstractmethod
    def apply(self, params: Params, prepared: Any) -> Float[Array, "B O"]:
        """The outputs for every row of the batch."""

    def embed(self, params: Params, prepared: Any) -> list[Float[Array, "B K"]]:
        """The embedding of every set, for inspection; none where the network has none."""
        return []

    def rescaled(self, params: Params, factor: Array, shift: Array) -> Params:
        """Weights whose output is ``factor · output + shift``; the same weights where a network cannot do that."""
        return params


@dataclass(frozen=True)
class Network(Spec, ABC):
    """Settings of a network; ``model`` builds it for one layout. To write only ``init`` and ``apply``, derive from
    :class:`PlainNetwork`, or pass any object that has them."""

    @abstractmethod
    def model(self, layout: Layout, embedding: Embedding, outputs: int) -> Model:
        """The network for one layout of observations, one embedding of their sets and one number of outputs."""


@dataclass(frozen=True)
class PlainNetwork(Network):
    """A network that reads observations itself and needs no embedding."""

    any_number_of_slots: ClassVar[bool] = True

    @abstractmethod
    def init(self, key: PRNGKeyArray, observation: Observation, outputs: int) -> Params:
        """Initial weights, any pytree of arrays. ``observation`` is an example of one row."""

    @abstractmethod
    def apply(self, params: Params, observation: Observation) -> Float[Array, "B O"]:
        """The outputs of every row. What absent elements of a set hold must not matter."""

    def model(self, layout: Layout, embedding: Embedding, outputs: int) -> Model:
        return PlainModel(layout, outputs, self)


@dataclass(frozen=True)
class PlainModel(Model):
    """A network's two functions as they are."""

    network: PlainNetwork

    @property
    def any_number_of_slots(self) -> bool:
        return self.network.any_number_of_slots

    def init(self, key: PRNGKeyArray, last_scale: float = 1.0) -> Params:
        return self.network.init(key, blank(self.layout), self.outputs)

    def apply(self, params: Params, prepared: Observation) -> Float[Array, "B O"]:
        found = self.network.apply(params, prepared)
        wanted = (prepared.local.shape[0], self.outputs)
        # Not jnp.shape: exports replace it while they trace.
        if np.shape(found) != wanted:
            name = type(getattr(self.network, "module", self.network)).__name__
            raise SwarmbedError(
                f"apply of {name} must give one row of numbers per agent, {wanted} here, not {np.shape(found)}"
            )
        return found


@dataclass(frozen=True)
class Wrapped(PlainNetwork):
    """An object with ``init`` and ``apply`` that knows nothing about swarmbed."""

    module: Any = None

    def __post_init__(self) -> None:
        if isinstance(self.module, type):
            raise SwarmbedError(f"network must be an object, not the class {self.module.__name__}; call the class")
        if not isinstance(self.module, Module):
            raise SwarmbedError(
                "network must have init(key, observation, outputs) and apply(params, observation), "
                f"which {type(self.module).__name__} does not"
            )

    def init(self, key: PRNGKeyArray, observation: Observation, outputs: int) -> Params:
        return self.module.init(key, observation, outputs)

    def apply(self, params: Params, observation: Observation) -> Float[Array, "B O"]:
        return self.module.apply(params, observation)


def as_network(given: Any) -> Network:
    """A network, or any object with ``init`` and ``apply`` as one."""
    return given if isinstance(given, Network) else Wrapped(given)


def blank(layout: Layout) -> Observation:
    """One row that sees nothing."""
    sets = [ObservedSet(jnp.zeros((1, s.slots, s.features)), jnp.zeros((1, s.slots), bool)) for s in layout.sets]
    return Observation(jnp.zeros((1, layout.local)), tuple(sets))
