"""The communication graph 𝒢: neighbourhoods, their sizes, and shortest paths."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int


def neighbours(distance: Float[Array, "M N"], others: Bool[Array, "M N"], radius: float | None) -> Bool[Array, "M N"]:
    """Δ-disk neighbourhood: d^{ij} ≤ radius and j ≠ i; all others when the radius is None."""
    return others if radius is None else others & (distance <= radius)


def neighbourhood_size(adjacent: Bool[Array, "M N"]) -> Float[Array, " M"]:
    """|N(i)|."""
    return adjacent.sum(axis=1, dtype=jnp.result_type(float))


def shortest_path(
    distance: Float[Array, "N N"], adjacent: Bool[Array, "N N"], last_hop: Float[Array, " N"]
) -> Float[Array, " N"]:
    """Length of the shortest path from every agent to a target; inf where there is none.

    ``last_hop`` is the distance to the target for the agents that see it and inf for the others:
    p_i = min(last_hop_i, min_{j ∈ N(i)} d^{ij} + p_j).
    """
    return _relax(jnp.where(adjacent, distance, jnp.inf), last_hop)


@partial(jax.custom_jvp)
def _relax(edge: Float[Array, "N N"], last_hop: Float[Array, " N"]) -> Float[Array, " N"]:
    """Bellman–Ford, stopping as soon as no path gets shorter: a few rounds instead of N − 1."""

    def shorten(carry: tuple[Array, Array]) -> tuple[Array, Array]:
        path, _ = carry
        shorter = jnp.minimum(path, jnp.min(edge + path[None, :], axis=1))
        return shorter, jnp.any(shorter < path)

    path, _ = jax.lax.while_loop(lambda carry: carry[1], shorten, (last_hop, jnp.array(True)))
    return path


@_relax.defjvp
def _relax_jvp(primals: tuple[Array, Array], tangents: tuple[Array, Array]) -> tuple[Array, Array]:
    # A while loop has no transpose. Along the shortest paths themselves the length is a plain sum of edges, so its
    # derivative follows from the next hop of every agent, by at most N − 1 linear rounds.
    edge, last_hop = primals
    edge_dot, last_hop_dot = tangents
    path = _relax(edge, last_hop)
    through = edge + path[None, :]
    hop = jnp.argmin(through, axis=1)
    relayed = jnp.min(through, axis=1) < last_hop
    next_hop = relayed[:, None] & (jnp.arange(edge.shape[1])[None, :] == hop[:, None])
    own = jnp.where(
        relayed, jnp.where(next_hop, edge_dot, 0.0).sum(1), jnp.where(jnp.isfinite(path), last_hop_dot, 0.0)
    )

    def add_hop(path_dot: Array, _: None) -> tuple[Array, None]:
        return own + jnp.where(next_hop, path_dot[None, :], 0.0).sum(1), None

    path_dot, _ = jax.lax.scan(add_hop, own, None, length=max(edge.shape[0] - 1, 1))
    return path, path_dot


def shortest_path_in_lists(
    distance: Float[Array, "N S"],
    agent: Int[Array, "N S"],
    mask: Bool[Array, "N S"],
    last_hop: Float[Array, " N"],
    far: float = float("inf"),
) -> Float[Array, " N"]:
    """The same where slot s of agent i is its neighbour ``agent[i, s]``. Paths longer than ``far`` may come out longer
    than they are: the search stops when all shorter ones are known."""
    return _relax_lists(far, jnp.where(mask, distance, jnp.inf), last_hop, agent)


@partial(jax.custom_jvp, nondiff_argnums=(0,))
def _relax_lists(
    far: float, edge: Float[Array, "N S"], last_hop: Float[Array, " N"], agent: Int[Array, "N S"]
) -> Float[Array, " N"]:
    def shorten(carry: tuple[Array, Array]) -> tuple[Array, Array]:
        path, _ = carry
        shorter = jnp.minimum(path, jnp.min(edge + path[agent], axis=1))
        return shorter, jnp.any((shorter < path) & (shorter <= far))

    path, _ = jax.lax.while_loop(lambda carry: carry[1], shorten, (last_hop, jnp.array(True)))
    return path


@_relax_lists.defjvp
def _relax_lists_jvp(
    far: float, primals: tuple[Array, Array, Array], tangents: tuple[Array, Array, Any]
) -> tuple[Array, Array]:
    # As above, but sums along paths take few rounds: each doubles the number of hops that are summed.
    edge, last_hop, agent = primals
    edge_dot, last_hop_dot, _ = tangents
    path = _relax_lists(far, edge, last_hop, agent)
    through = edge + path[agent]
    slot = jnp.argmin(through, axis=1)[:, None]
    relayed = jnp.min(through, axis=1) < last_hop
    along = jnp.take_along_axis(edge_dot, slot, axis=1)[:, 0]
    total = jnp.where(relayed, along, jnp.where(jnp.isfinite(path), last_hop_dot, 0.0))
    nobody = edge.shape[0]  # stands behind the last agent, with nothing to add
    hop = jnp.where(relayed, jnp.take_along_axis(agent, slot, axis=1)[:, 0], nobody)
    for _ in range(max(edge.shape[0] - 1, 1).bit_length()):
        total = total + jnp.append(total, 0.0)[hop]
        hop = jnp.append(hop, nobody)[hop]
    return path, total
