"""Trust region policy optimisation with parameter sharing."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.flatten_util import ravel_pytree
from jaxtyping import Bool, Float, PRNGKeyArray

from swarmbed.algorithms import gaussian
from swarmbed.algorithms.base import (
    Algorithm,
    Batch,
    PolicyParams,
    Update,
    batch_mean,
    mean_over_samples,
    surrogate_and_kl,
)
from swarmbed.compute.chunks import cut, map_pieces, number_of_samples, piece_size, sum_pieces
from swarmbed.embeddings.ragged import by_size
from swarmbed.networks.base import Model
from swarmbed.spec.settings import setting

Vector = Float[Array, " P"]
KEPT_BYTES = 2**29  # what the linearised network may keep between Fisher products


class LineSearch(NamedTuple):
    """How far a line search has come, and the last candidate's numbers."""

    tries: Float[Array, ""]
    found: Vector
    surrogate: Float[Array, ""]
    kl: Float[Array, ""]
    accepted: Bool[Array, ""]


@dataclass(frozen=True)
class Trpo(Algorithm):
    """Largest improvement of the surrogate within a KL ball: natural gradient, then a line search."""

    kl_bound: float = setting(0.01, "δ, the KL divergence that one update may cause", above=0)
    cg_steps: int = setting(10, "conjugate-gradient steps", at_least=1)
    damping: float = setting(0.1, "damping added to the Fisher matrix's diagonal", at_least=0)
    fisher_every: int = setting(5, "Fisher products use every K-th sample", at_least=1)
    line_search_steps: int = setting(10, "number of halvings in the line search", at_least=1)
    kl_slack: float = setting(1.5, "the line search accepts KL up to this times the bound", above=0)

    def update(self, model: Model, params: PolicyParams, memory: Any, batch: Batch, key: PRNGKeyArray) -> Update:
        old, unravel = ravel_pytree(params)
        gradient = ravel_pytree(policy_gradient(model, params, batch))[0]
        few = by_size(jax.tree.map(lambda leaf: leaf[:: self.fisher_every], batch))

        products = fisher_products(model, params, few)

        def fisher(vector: Vector) -> Vector:
            return products(vector) + self.damping * vector

        direction, left_over = conjugate_gradient(fisher, gradient, self.cg_steps)
        # ½ sᵀFs = δ fixes the length of the step s = β · direction; F · direction is what of the gradient is not left.
        curvature = direction @ (gradient - left_over)
        length = jnp.sqrt(2 * self.kl_bound / jnp.where(curvature > 0, curvature, jnp.inf))

        # Where the search starts every ratio is 1, so the surrogate is the mean advantage.
        start = mean_over_samples(batch.advantage.sum(), number_of_samples(batch))

        def attempt(search: LineSearch) -> LineSearch:
            scale = 2.0**-search.tries
            candidate = old + scale * length * direction
            surrogate, kl = surrogate_and_kl(model, unravel(candidate), params.log_std, batch)
            # Comparisons with NaN are false, so anything that is not finite is refused as well.
            good = (surrogate >= start) & (kl <= self.kl_slack * self.kl_bound) & jnp.isfinite(candidate).all()
            good = good & (scale * length > 0)
            return LineSearch(search.tries + 1, jnp.where(good, candidate, old), surrogate, kl, good)

        def search_on(search: LineSearch) -> Array:
            return (search.tries < self.line_search_steps) & ~search.accepted

        zero = jnp.zeros((), old.dtype)
        begin = LineSearch(zero, old, zero, zero, jnp.array(False))
        end = lax.while_loop(search_on, attempt, begin)
        gain, kl = jnp.where(end.accepted, end.surrogate - start, 0.0), jnp.where(end.accepted, end.kl, 0.0)
        return Update(unravel(end.found), memory, kl, gain, end.accepted.astype(old.dtype))


def policy_gradient(model: Model, params: PolicyParams, batch: Batch) -> PolicyParams:
    """∇ E[π/π_old · Â] at π = π_old, which is E[∇ log π(a) Â]."""

    def piece_gradient(piece: Batch) -> PolicyParams:
        def surrogate(params: PolicyParams) -> Array:
            mean = model.apply(params.network, piece.inputs)
            return (gaussian.log_probability(mean, params.log_std, piece.action) * piece.advantage).sum()

        return jax.grad(surrogate)(params)

    result: PolicyParams = batch_mean(piece_gradient, batch)
    return result


def fisher_products(model: Model, params: PolicyParams, batch: Batch) -> Callable[[Vector], Vector]:
    """v → F·v as a Gauss–Newton product: through the network, the Gaussian's own Fisher matrix, and back.

    The Hessian of the KL divergence at zero distance is E[Jᵀ M J] with M = diag(1/σ²) for the mean and 2 for every
    log-deviation, so no second derivative is ever needed. The network is linearised once for all products, unless that
    would keep too much of the batch in memory; then each product linearises it again, piece by piece.
    """
    unravel = ravel_pytree(params)[1]
    precision = jnp.exp(-2 * params.log_std)
    pieces = cut(batch.inputs, piece_size(batch.inputs))
    samples = number_of_samples(batch)

    def linearise(inputs: Any) -> Any:
        return jax.linearize(lambda weights: model.apply(weights, inputs), params.network)[1]

    kept = jax.eval_shape(lambda pieces: map_pieces(linearise, pieces), pieces)
    is_small = sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(kept)) <= KEPT_BYTES
    linear_maps = map_pieces(linearise, pieces) if is_small else pieces

    def product(vector: Vector) -> Vector:
        tangent: PolicyParams = unravel(vector)

        def piece_product(piece: Any) -> Any:
            push = piece if is_small else linearise(piece)
            (pulled,) = jax.linear_transpose(push, tangent.network)(push(tangent.network) * precision)
            return pulled

        total = mean_over_samples(sum_pieces(piece_product, linear_maps), samples)
        return ravel_pytree(PolicyParams(total, 2 * tangent.log_std))[0]

    return product


def conjugate_gradient(matrix: Callable[[Vector], Vector], target: Vector, steps: int) -> tuple[Vector, Vector]:
    """x with matrix · x ≈ target, and the residual target − matrix · x; stops moving once that is negligible."""

    def step(carry: tuple[Vector, Vector, Vector, Array], _: None) -> tuple[Any, None]:
        solution, residual, search, square = carry
        product = matrix(search)
        going = square > 1e-10
        rate = jnp.where(going, square / jnp.where(going, search @ product, 1.0), 0.0)
        solution, residual = solution + rate * search, residual - rate * product
        new_square = residual @ residual
        search = residual + jnp.where(going, new_square / jnp.where(going, square, 1.0), 0.0) * search
        return (solution, residual, search, new_square), None

    begin = (jnp.zeros_like(target), target, target, target @ target)
    (solution, residual, *_), _ = lax.scan(step, begin, None, length=steps)
    return solution, residual
