"""What a page may send: every message is checked here, and nothing else in it is ever used.

A message is a JSON object with a ``type`` and the fields of the class of that name below.
"""

import json
from dataclasses import dataclass
from typing import Any, get_args

from swarmbed.spec.errors import SwarmbedError, choose
from swarmbed.spec.settings import Spec, build, setting
from swarmbed.viewer import sliders
from swarmbed.viewer.engine import FEWEST, MOST

LARGEST = 2048  # bytes of a message
LONGEST_NAME = 200
HUGE = 1e12  # no number is larger
FASTEST = 1000.0  # steps per second
LAST_SEED = 2**31 - 1


@dataclass(frozen=True)
class Setup(Spec):
    """Show this policy or controller on this task, beside a second one if given."""

    task: str = setting(..., "name of a task")
    who: str | None = setting(None, "policy or controller; left out: the one that fits best")
    versus: str | None = setting(None, "policy or controller beside it; left out: none")
    agents: int | None = setting(None, "number of agents; left out: the task's", at_least=FEWEST, at_most=MOST)
    seed: int = setting(0, "number of the start", at_least=0, at_most=LAST_SEED)


@dataclass(frozen=True)
class Play(Spec):
    pass


@dataclass(frozen=True)
class Pause(Spec):
    pass


@dataclass(frozen=True)
class Step(Spec):
    steps: int = setting(1, "how many at once", at_least=1, at_most=100)


@dataclass(frozen=True)
class Speed(Spec):
    steps_per_second: float = setting(..., "of simulated time", at_least=0.5, at_most=FASTEST)


@dataclass(frozen=True)
class Restart(Spec):
    seed: int = setting(..., "number of the start", at_least=0, at_most=LAST_SEED)


@dataclass(frozen=True)
class Agents(Spec):
    """Grow or shrink to this many."""

    count: int = setting(..., "how many", at_least=FEWEST, at_most=MOST)


@dataclass(frozen=True)
class Add(Spec):
    """One more agent, there."""

    x: float = setting(..., "where, from the left")
    y: float = setting(..., "where, from below")


@dataclass(frozen=True)
class Remove(Spec):
    agent: int = setting(..., "its number", at_least=0)


@dataclass(frozen=True)
class RemoveInside(Spec):
    """Remove all agents in a rectangle: two opposite corners."""

    arena: int = setting(..., "in which picture", at_least=0, at_most=1)
    x: float = setting(..., "one corner, from the left")
    y: float = setting(..., "one corner, from below")
    to_x: float = setting(..., "the other corner, from the left")
    to_y: float = setting(..., "the other corner, from below")


@dataclass(frozen=True)
class Hold(Spec):
    """Take an agent or an evader and put it there; it stays until released."""

    arena: int = setting(..., "in which picture", at_least=0, at_most=1)
    what: str = setting(..., "what is held", choices=("agent", "evader"))
    number: int = setting(..., "which of them", at_least=0)
    x: float = setting(..., "where, from the left")
    y: float = setting(..., "where, from below")


@dataclass(frozen=True)
class Release(Spec):
    pass


@dataclass(frozen=True)
class Select(Spec):
    """Send what this agent senses from now on; left out: no agent."""

    arena: int = setting(0, "in which picture", at_least=0, at_most=1)
    agent: int | None = setting(None, "its number", at_least=0)


@dataclass(frozen=True)
class Loop(Spec):
    """Go on with the next start when all have ended."""

    on: bool = setting(..., "whether to")


@dataclass(frozen=True)
class Disturb(Spec):
    """Set one of the disturbances of all swarms, from now on."""

    what: str = setting(..., "the name of its setting", choices=sliders.NAMES)
    value: bool | int | float = setting(..., "a single value that the setting allows")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "value", sliders.checked(self.what, self.value))


@dataclass(frozen=True)
class Prepare(Spec):
    """Disturbances may be set soon: compile for them in the background."""


@dataclass(frozen=True)
class Drawn(Spec):
    """A frame is on the screen. A page that acknowledges frames never gets more than it can draw."""


Change = Agents | Add | Remove | RemoveInside  # of who is there
Message = (
    Setup | Play | Pause | Step | Speed | Restart | Change | Hold | Release | Select | Loop | Disturb | Prepare | Drawn
)
KINDS: dict[str, type] = {kind.__name__.lower(): kind for kind in get_args(Message)}


def parse(text: str | bytes) -> Message:
    """The message in a text, or a sentence that says what is wrong with it."""
    if isinstance(text, bytes) or len(text.encode()) > LARGEST:
        raise SwarmbedError(f"a message must be text of at most {LARGEST} bytes")
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SwarmbedError("a message must be a JSON object") from error
    if not isinstance(content, dict):
        raise SwarmbedError("a message must be a JSON object")
    name = content.pop("type", None)
    if not isinstance(name, str):
        raise SwarmbedError(f"a message must have a type, one of: {', '.join(KINDS)}")
    kind = KINDS[choose("message type", name[:LONGEST_NAME], list(KINDS))]
    for field, value in content.items():
        _limit(f"{name}: {field[:LONGEST_NAME]}", value)
    try:
        return build(kind, content, name)  # type: ignore[no-any-return]
    except TypeError as error:
        raise SwarmbedError(f"{name}: a field is missing; it has: {', '.join(kind.__annotations__)}") from error


def replaces(new: Message, old: Message) -> bool:
    """Whether a message leaves nothing of the one before it."""
    if isinstance(new, Disturb) and isinstance(old, Disturb):
        return new.what == old.what
    return isinstance(new, Hold) and isinstance(old, Hold)


def _limit(what: str, value: Any) -> None:
    """Refuse what is too large to look at; whether it is what it should be is checked like any other setting."""
    if isinstance(value, (list, dict)):
        raise SwarmbedError(f"{what} must be a single value")
    if isinstance(value, str) and len(value) > LONGEST_NAME:
        raise SwarmbedError(f"{what} must be a text of at most {LONGEST_NAME} characters")
    if isinstance(value, (int, float)) and not abs(value) <= HUGE:  # also keeps out "not a number"
        raise SwarmbedError(f"{what} must be a number of reasonable size")
