"""The columns of an observation, by name."""

from typing import NamedTuple

from jax import Array

from swarmbed.sim import relations

Columns = dict[str, Array]
# Shares of the largest sensed distance within which the two bearings of *displacement* fade.
NEAR, CLOSE = 0.02, 0.001


class Sensed(NamedTuple):
    """An observation before its columns are put side by side: names and arrays, in order."""

    local: Columns
    sets: tuple[tuple[Columns, Array], ...]


def located_columns(distance: Array, bearing: relations.Direction, smooth: bool) -> Columns:
    """Where something is, ahead and to the left of the agent: its bearing φ or, without jumps, d [cos φ, sin φ] and
    the same with d / (d + ε) for d, for two values of ε.

    The bearing jumps when two agents pass each other: a policy that steers by it never comes to rest. The displacement
    does not, but is tiny where it matters most. The other two pairs are bearings that fade to 0 within ε: the first
    lets an agent slow down, the second lets it still turn towards something next to it. d and ε are in units of the
    largest sensed distance.
    """
    if not smooth:
        return direction_columns("bearing", bearing)
    columns = {"ahead": distance * bearing.cos, "left": distance * bearing.sin}
    for name, fades in (("near", NEAR), ("close", CLOSE)):
        share = distance / (distance + fades)
        columns |= {f"{name} ahead": share * bearing.cos, f"{name} left": share * bearing.sin}
    return columns


def direction_columns(name: str, direction: relations.Direction) -> Columns:
    return {f"{name} cos": direction.cos, f"{name} sin": direction.sin}
