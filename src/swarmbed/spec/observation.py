"""What an agent sees: its own local properties, and sets of elements with masks. Data only."""

from typing import NamedTuple

from jax import Array
from jaxtyping import Bool, Float


class ObservedSet(NamedTuple):
    """One unordered set per agent: ``slots`` elements, present where the mask is true."""

    elements: Float[Array, "agents slots features"]
    mask: Bool[Array, "agents slots"]


class Observation(NamedTuple):
    """What each agent sees: its own local properties and one or more sets."""

    local: Float[Array, "agents properties"]
    sets: tuple[ObservedSet, ...]


class ColumnNames(NamedTuple):
    """The meaning of every number of an observation, in order."""

    local: tuple[str, ...]
    sets: tuple[tuple[str, ...], ...]


class SetLayout(NamedTuple):
    """The shape of a set: slots, numbers per element, whether an agent's own slot is among them, whether a slot always
    belongs to the same agent (in a list of neighbours it does not), whether swarms of different sizes share the
    shape, so that the last slots are often empty, and whether an agent's own slot may be another than the first empty
    one, because others can be absent or out of sight."""

    slots: int
    features: int
    includes_self: bool
    is_ordered: bool = True
    is_ragged: bool = False
    may_have_gaps: bool = False


class Layout(NamedTuple):
    """The shape of what an agent sees, without the number of agents."""

    local: int
    sets: tuple[SetLayout, ...]
