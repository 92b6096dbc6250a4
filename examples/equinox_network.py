"""A network of your own, made with equinox: a set encoder whose neighbours pass through two layers before the mean.

    pip install equinox
    swarmbed check examples/equinox_network.py
    swarmbed train rendezvous --network equinox_network --plugin examples/equinox_network.py --layer-size 32

or, from Python:

    swarmbed.train("rendezvous", network=EquinoxNetwork(layer_size=32))

What swarmbed wants of a network is ``init`` and ``apply``. An equinox module is a pytree of its arrays, so the module
itself is the parameters: it is optimised, saved and loaded like any other.
"""

from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, PRNGKeyArray

from swarmbed import Observation, PlainNetwork, setting


class SetEncoder(eqx.Module):
    """One agent's view → numbers: ρ([local, mean φ(o) of each set])."""

    elements: tuple[tuple[eqx.nn.Linear, eqx.nn.Linear], ...]
    hidden: eqx.nn.Linear
    last: eqx.nn.Linear

    def __init__(self, key: PRNGKeyArray, example: Observation, outputs: int, width: int) -> None:
        hidden_key, last_key, *set_keys = jax.random.split(key, 2 + 2 * len(example.sets))
        sizes = [seen.elements.shape[-1] for seen in example.sets]
        pairs = zip(set_keys[::2], set_keys[1::2], sizes, strict=True)
        self.elements = tuple(
            (eqx.nn.Linear(size, width, key=first), eqx.nn.Linear(width, width, key=second))
            for first, second, size in pairs
        )
        self.hidden = eqx.nn.Linear(example.local.shape[-1] + width * len(sizes), width, key=hidden_key)
        self.last = eqx.nn.Linear(width, outputs, key=last_key)

    def __call__(self, observation: Observation) -> Float[Array, " O"]:
        pooled = [self._pool(layers, *seen) for layers, seen in zip(self.elements, observation.sets, strict=True)]
        return self.last(jax.nn.relu(self.hidden(jnp.concatenate([observation.local, *pooled]))))

    def _pool(self, layers: tuple[eqx.nn.Linear, eqx.nn.Linear], elements: Array, mask: Array) -> Float[Array, " W"]:
        """The mean over the present elements; zeros if there are none."""
        first, second = layers
        # Zeros in place of absent elements: whatever they hold, not even a gradient may come of it.
        elements = jnp.where(mask[:, None], elements, 0.0)
        features = jax.vmap(lambda element: jax.nn.relu(second(jax.nn.relu(first(element)))))(elements)
        return jnp.where(mask[:, None], features, 0.0).sum(0) / jnp.maximum(mask.sum(), 1)


@dataclass(frozen=True)
class EquinoxNetwork(PlainNetwork):
    """Two layers per neighbour, the mean over neighbours, one hidden layer."""

    layer_size: int = setting(64, "units of every layer", at_least=1)

    def init(self, key: PRNGKeyArray, observation: Observation, outputs: int) -> SetEncoder:
        return SetEncoder(key, observation, outputs, self.layer_size)

    def apply(self, params: SetEncoder, observation: Observation) -> Float[Array, "B O"]:
        return jax.vmap(params)(observation)
