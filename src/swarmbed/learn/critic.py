"""The critic: a network that predicts normalised returns, fitted to every batch."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jax import Array, lax
from jax.flatten_util import ravel_pytree
from jaxtyping import Float, PRNGKeyArray

from swarmbed.algorithms.base import Batch
from swarmbed.compute import devices
from swarmbed.compute.chunks import number_of_samples, piece_size, sum_over
from swarmbed.compute.meeting import series_of_means
from swarmbed.networks.base import Model

FORGETTING = 0.9  # share of the old scale that survives an iteration


class Critic(NamedTuple):
    """Weights, Adam's moments, and the scale of the returns seen so far."""

    params: Any
    moments: Any
    mean: Float[Array, ""]
    std: Float[Array, ""]
    updates: Float[Array, ""]


@dataclass(frozen=True)
class Value:
    """V(o) = mean + std · network(o). Without the normalisation a critic spends tens of iterations on the scale."""

    model: Model
    learning_rate: float
    epochs: int
    minibatch: int

    @property
    def optimiser(self) -> optax.GradientTransformation:
        return optax.adam(self.learning_rate)

    def init(self, key: PRNGKeyArray) -> Critic:
        params = self.model.init(key)
        moments = self.optimiser.init(ravel_pytree(params)[0])
        return Critic(params, moments, jnp.zeros(()), jnp.ones(()), jnp.zeros(()))

    def predict(self, critic: Critic, inputs: Any) -> Float[Array, " B"]:
        return critic.mean + critic.std * self.model.apply(critic.params, inputs)[:, 0]

    def fit(self, critic: Critic, batch: Batch, key: PRNGKeyArray, earlier: Any = ()) -> Critic:
        """Minimise the squared error to the targets. Samples come in random order; each epoch reorders the minibatches.

        Every device works on its share of each minibatch, and the gradients are averaged. ``earlier``: what the devices
        have computed together before; it is done when the fit begins.
        """
        critic = self._rescale(critic, batch.target)
        targets = (batch.target - critic.mean) / critic.std
        samples = number_of_samples(batch)
        size = max(1, min(self.minibatch // devices.device_count(), samples))
        count = samples // size
        inputs = batch.inputs if batch.judged is None else batch.judged
        minibatches = jax.tree.map(
            lambda leaf: leaf[: count * size].reshape(count, size, *leaf.shape[1:]), (inputs, targets)
        )

        # All weights are one vector here: a step is short, and many small arrays would spend it on call overhead.
        start, unflatten = ravel_pytree(critic.params)
        mean_over_devices = series_of_means((start, critic.std, earlier))

        def step(carry: tuple[Array, Any], index: Array) -> tuple[tuple[Array, Any], None]:
            weights, moments = carry
            params = unflatten(weights)
            minibatch = jax.tree.map(lambda leaf: leaf[index], minibatches)
            gradient = sum_over(lambda piece: self._gradient(params, *piece), minibatch, piece_size(minibatch))
            gradient = mean_over_devices(ravel_pytree(gradient)[0] / size)
            updates, moments = self.optimiser.update(gradient, moments)
            return (optax.apply_updates(weights, updates), moments), None

        order = jax.vmap(lambda k: jax.random.permutation(k, count))(jax.random.split(key, self.epochs)).reshape(-1)
        (weights, moments), _ = lax.scan(step, (start, critic.moments), order)
        params = unflatten(weights)
        # One bad batch must not poison the critic for good.
        healthy = jnp.isfinite(sum(jnp.abs(leaf).sum() for leaf in jax.tree.leaves(params)))
        keep = lambda new, old: jnp.where(healthy, new, old)  # noqa: E731
        return critic._replace(
            params=jax.tree.map(keep, params, critic.params), moments=jax.tree.map(keep, moments, critic.moments)
        )

    def _gradient(self, params: Any, inputs: Any, target: Array) -> Any:
        return jax.grad(lambda p: jnp.square(self.model.apply(p, inputs)[:, 0] - target).sum())(params)

    def _rescale(self, critic: Critic, target: Array) -> Critic:
        """Follow the scale of the returns, and adjust the last layer to leave every prediction unchanged."""
        mean = devices.mean_over_devices(target.mean())
        square = devices.mean_over_devices(jnp.square(target - mean).mean())
        healthy = jnp.isfinite(square)
        forgetting = jnp.where(critic.updates > 0, FORGETTING, 0.0)
        mean = jnp.where(healthy, forgetting * critic.mean + (1 - forgetting) * mean, critic.mean)
        std = forgetting * critic.std + (1 - forgetting) * jnp.sqrt(jnp.maximum(square, 1e-8))
        std = jnp.where(healthy, std, critic.std)
        params = self.model.rescaled(critic.params, critic.std / std, (critic.mean - mean) / std)
        return critic._replace(params=params, mean=mean, std=std, updates=critic.updates + healthy)
