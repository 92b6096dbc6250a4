"""Gradients through the simulator: the return of whole episodes is differentiated with respect to the policy.

Where motion, sensing and reward are smooth, one such gradient is worth thousands of samples. Where they are not (an
evader whose rule jumps, contact, long chaotic episodes) it explodes or misleads; see docs/learning.md.
"""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import optax
from jaxtyping import PRNGKeyArray

from swarmbed.algorithms.base import PolicyParams, Run, ThroughTheSwarm, Update
from swarmbed.compute import devices
from swarmbed.spec.settings import setting


@dataclass(frozen=True)
class Analytic(ThroughTheSwarm):
    """Adam on −E[Σ γᵗ rₜ] of new episodes, with exploration noise of a fixed deviation to smooth the objective.

    A batch is ``environments`` swarms for ``segment`` steps from new starts; the means of a run are over those steps.
    """

    discount: float = setting(0.999, "discount γ", at_least=0, at_most=1)
    initial_log_std: float = setting(-2.3, "log-deviation of the actions, which is not trained")
    learning_rate: float = setting(5e-3, "Adam's learning rate", above=0)
    largest_gradient: float = setting(1.0, "gradients are clipped to this norm", above=0)

    @property
    def optimiser(self) -> optax.GradientTransformation:
        return optax.chain(optax.clip_by_global_norm(self.largest_gradient), optax.scale_by_adam())

    def memory(self, params: PolicyParams) -> Any:
        return self.optimiser.init(params.network)

    def improve(self, run: Run, params: PolicyParams, memory: Any, key: PRNGKeyArray) -> tuple[Update, Any]:
        def climbed(network: Any) -> tuple[Any, Any]:
            return run(params._replace(network=network), key)

        gradient, told = jax.grad(climbed, has_aux=True)(params.network)
        gradient = devices.mean_over_devices(gradient)
        step, moments = self.optimiser.update(gradient, memory)
        change = jax.tree.map(lambda leaf: self.learning_rate * leaf, step)
        # What the objective gains, to first order.
        gain = sum(jax.tree.leaves(jax.tree.map(lambda g, c: (g * c).sum(), gradient, change)))
        good = jnp.isfinite(optax.tree.norm(gradient))
        keep = lambda new, old: jnp.where(good, new, old)  # noqa: E731
        network = jax.tree.map(keep, optax.apply_updates(params.network, change), params.network)
        update = Update(
            params._replace(network=network),
            jax.tree.map(keep, moments, memory),
            jnp.full((), jnp.nan),
            jnp.where(good, gain, 0.0),
            good.astype(params.log_std.dtype),
        )
        return update, told
