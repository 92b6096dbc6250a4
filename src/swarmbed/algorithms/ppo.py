"""Proximal policy optimisation with a clipped ratio."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import optax
from jax import Array, lax
from jaxtyping import PRNGKeyArray

from swarmbed.algorithms import gaussian
from swarmbed.algorithms.base import Algorithm, Batch, PolicyParams, Update, mean_over_samples, surrogate_and_kl
from swarmbed.compute import devices
from swarmbed.compute.chunks import number_of_samples, piece_size, sum_over
from swarmbed.networks.base import Model
from swarmbed.spec.settings import setting


@dataclass(frozen=True)
class Ppo(Algorithm):
    """Several passes of Adam over minibatches, the ratio π/π_old clipped to 1 ± ε."""

    clip: float = setting(0.2, "ε, how far the ratio may move before its gradient stops", above=0)
    epochs: int = setting(10, "passes over all samples", at_least=1)
    minibatch: int = setting(4096, "samples per step", at_least=1)
    learning_rate: float = setting(3e-4, "Adam's learning rate", above=0)
    entropy_bonus: float = setting(0.0, "weight of the entropy in the objective", at_least=0)
    largest_gradient: float = setting(0.5, "gradients are clipped to this norm", above=0)
    stop_at_kl: float = setting(0.02, "stop the iteration's steps once a minibatch's KL exceeds this", above=0)

    @property
    def optimiser(self) -> optax.GradientTransformation:
        return optax.chain(optax.clip_by_global_norm(self.largest_gradient), optax.adam(self.learning_rate))

    def memory(self, params: PolicyParams) -> Any:
        return self.optimiser.init(params)

    def update(self, model: Model, params: PolicyParams, memory: Any, batch: Batch, key: PRNGKeyArray) -> Update:
        samples = number_of_samples(batch)
        size = max(1, min(self.minibatch // devices.device_count(), samples))
        count = samples // size
        cut = lambda leaf: leaf[: count * size].reshape(count, size, *leaf.shape[1:])  # noqa: E731
        minibatches = jax.tree.map(cut, batch)

        def step(carry: tuple[PolicyParams, Any, Array], index: Array) -> tuple[Any, None]:
            now, moments, going = carry
            minibatch = jax.tree.map(lambda leaf: leaf[index], minibatches)
            gradient_of = lambda piece: self._gradient(model, now, params.log_std, piece)  # noqa: E731
            sums = sum_over(gradient_of, minibatch, piece_size(minibatch.inputs))
            gradient, kl = mean_over_samples(sums, size)
            going = going & (kl <= self.stop_at_kl)
            changes, new_moments = self.optimiser.update(gradient, moments, now)
            keep = lambda new, old: jnp.where(going, new, old)  # noqa: E731
            now = jax.tree.map(keep, optax.apply_updates(now, changes), now)
            return (now, jax.tree.map(keep, new_moments, moments), going), None

        orders = jax.vmap(lambda k: jax.random.permutation(k, count))(jax.random.split(key, self.epochs))
        (found, moments, _), _ = lax.scan(step, (params, memory, jnp.array(True)), orders.reshape(-1))
        start, _ = surrogate_and_kl(model, params, params.log_std, batch)
        surrogate, kl = surrogate_and_kl(model, found, params.log_std, batch)
        good = jnp.isfinite(surrogate) & jnp.isfinite(kl)
        keep = lambda new, old: jnp.where(good, new, old)  # noqa: E731
        return Update(
            jax.tree.map(keep, found, params),
            jax.tree.map(keep, moments, memory),
            jnp.where(good, kl, 0.0),
            jnp.where(good, surrogate - start, 0.0),
            good.astype(start.dtype),
        )

    def _gradient(self, model: Model, params: PolicyParams, old_log_std: Array, piece: Batch) -> tuple[Any, Array]:
        """Of the loss −min(ρÂ, clip(ρ)Â) − bonus · H, summed over a piece; and the KL divergence beside it."""

        def loss(params: PolicyParams) -> tuple[Array, Array]:
            mean = model.apply(params.network, piece.inputs)
            new = gaussian.log_probability(mean, params.log_std, piece.action)
            ratio = jnp.exp(new - gaussian.log_probability(piece.mean, old_log_std, piece.action))
            clipped = jnp.clip(ratio, 1 - self.clip, 1 + self.clip)
            gain = jnp.minimum(ratio * piece.advantage, clipped * piece.advantage)
            entropy = gaussian.entropy(params.log_std)
            kl = gaussian.divergence(piece.mean, old_log_std, mean, params.log_std)
            return -(gain + self.entropy_bonus * entropy).sum(), kl.sum()

        return jax.grad(loss, has_aux=True)(params)
