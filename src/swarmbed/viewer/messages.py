"""What a page may say: every message is checked here, and nothing else of it is ever used.

A message is a JSON object with a ``type`` and the fields of the class of that name below.
"""

import json
import types
from dataclasses import dataclass, field, fields
from typing import Any, Union, get_args, get_origin, get_type_hints

from swarmbed.spec.errors import SwarmbedError, choose
from swarmbed.viewer.engine import FEWEST, MOST

LARGEST = 2048  # bytes of a message
LONGEST_NAME = 200
HUGE = 1e12  # no number is larger; also keeps out "not a number", which compares with nothing
FASTEST = 1000.0  # steps per second


def within(low: float, high: float, **options: Any) -> Any:
    """A field that must lie between two numbers."""
    return field(metadata={"low": low, "high": high}, **options)


@dataclass(frozen=True)
class Setup:
    """Show this contestant on this task, beside a second one if there is one."""

    task: str
    who: str | None = None  # whoever fits best
    versus: str | None = None
    agents: int | None = within(FEWEST, MOST, default=None)
    seed: int = within(0, 2**31 - 1, default=0)


@dataclass(frozen=True)
class Play:
    pass


@dataclass(frozen=True)
class Pause:
    pass


@dataclass(frozen=True)
class Step:
    steps: int = within(1, 100, default=1)


@dataclass(frozen=True)
class Speed:
    steps_per_second: float = within(0.5, FASTEST)


@dataclass(frozen=True)
class Restart:
    seed: int = within(0, 2**31 - 1)


@dataclass(frozen=True)
class Agents:
    """Grow or shrink to this many."""

    count: int = within(FEWEST, MOST)


@dataclass(frozen=True)
class Add:
    """One more agent, there."""

    x: float
    y: float


@dataclass(frozen=True)
class Remove:
    agent: int = within(0, 10**9)


@dataclass(frozen=True, kw_only=True)
class Hold:
    """Take an agent or an evader and put it there; it stays until released."""

    arena: int = within(0, 1)
    what: str
    number: int = within(0, 10**9)
    x: float
    y: float


@dataclass(frozen=True)
class Release:
    pass


@dataclass(frozen=True)
class Select:
    """Tell what this agent senses from now on; nobody when left out."""

    arena: int = within(0, 1, default=0)
    agent: int | None = within(0, 10**9, default=None)


@dataclass(frozen=True)
class Loop:
    """Go on with the next start when all have ended."""

    on: bool


@dataclass(frozen=True)
class Drawn:
    """A frame is on the screen. A page that says so is never sent more than it can draw."""


Message = (
    Setup | Play | Pause | Step | Speed | Restart | Agents | Add | Remove | Hold | Release | Select | Loop | Drawn
)  # fmt: skip
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
    hints = get_type_hints(kind)
    unknown = [key for key in content if key not in hints]
    if unknown:
        raise SwarmbedError(f"{name}: there is no field {unknown[0][:LONGEST_NAME]!r}; {_known(hints)}")
    values = {}
    for spec in fields(kind):
        if spec.name in content:
            values[spec.name] = _checked(content[spec.name], hints[spec.name], f"{name}: {spec.name}", spec.metadata)
    try:
        return kind(**values)  # type: ignore[no-any-return]
    except TypeError as error:
        raise SwarmbedError(f"{name}: a field is missing; {_known(hints)}") from error


def _known(hints: dict[str, Any]) -> str:
    return f"it has: {', '.join(hints)}" if hints else "it has none"


def _checked(value: Any, hint: Any, what: str, limits: Any) -> Any:
    options = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    if value is None and type(None) in options:
        return None
    if str in options:
        if not isinstance(value, str) or len(value) > LONGEST_NAME:
            raise SwarmbedError(f"{what} must be a text of at most {LONGEST_NAME} characters")
        return value
    if bool in options:
        if not isinstance(value, bool):
            raise SwarmbedError(f"{what} must be true or false")
        return value
    whole = int in options
    if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)) or not abs(value) <= HUGE:
        raise SwarmbedError(f"{what} must be a {'whole ' if whole else ''}number of reasonable size")
    if "low" in limits and not limits["low"] <= value <= limits["high"]:
        raise SwarmbedError(f"{what} must lie between {limits['low']} and {limits['high']}, not {value}")
    return value if whole else float(value)
