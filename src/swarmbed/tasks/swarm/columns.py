"""The columns of an observation, by name."""

from typing import NamedTuple

from jax import Array

from swarmbed.sim import relations

Columns = dict[str, Array]
NEAR = 0.02  # share of the largest sensed distance within which the bearing of *displacement* fades


class Sensed(NamedTuple):
    """An observation before its columns are put side by side: names and arrays, in order."""

    local: Columns
    sets: tuple[tuple[Columns, Array], ...]


def displacement_columns(distance: Array, bearing: relations.Direction) -> Columns:
    """Where something is, ahead and to the left of the agent: d [cos φ, sin φ], and the same with d / (d + ε) for d.

    The bearing jumps when two agents pass each other and the displacement is tiny where it matters most; the second
    pair is a bearing that fades to 0 within ε, which lets a network steer smoothly onto a point. d and ε are in units
    of the largest sensed distance.
    """
    fading = 1.0 / (distance + NEAR)
    ahead, left = distance * bearing.cos, distance * bearing.sin
    return {"ahead": ahead, "left": left, "near ahead": ahead * fading, "near left": left * fading}


def direction_columns(name: str, direction: relations.Direction) -> Columns:
    return {f"{name} cos": direction.cos, f"{name} sin": direction.sin}
