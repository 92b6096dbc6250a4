"""The page's panel of disturbances: every setting that the tasks declare for them, with its unit and its range."""

from dataclasses import fields
from typing import Any, get_args

from swarmbed.spec.settings import Bounds, check, default_of, is_range, type_hints
from swarmbed.tasks.disturbances.settings import BY_NAME, GROUP, TIMES, Disturbed

DECLARED = {declared.name: declared for declared in fields(Disturbed) if declared.metadata.get("group") == GROUP}
NAMES = tuple(DECLARED)
NUMBERS = {**BY_NAME, **{kind.name: kind for kind in TIMES}}
# In the order of the page.
TITLES = {
    "Failures": ("stop_rate", "stop_share", "stop_time", "pause_share", "pause_seconds", "stopped_seen"),
    "Messages": ("message_loss", "message_delay"),
    "Senses": ("distance_noise", "bearing_noise", "blind_angle", "heading_error"),
    "Motion": ("action_noise", "action_bias", "speed_spread", "contrary_agents"),
}
SWITCHES = {"stopped_seen": "others see and hear those that stand still"}


def checked(name: str, value: Any) -> float | bool:
    """A value as its setting checks it. Not a range: an episode that is under way draws nothing of it."""
    hint = type_hints(Disturbed)[name]
    single = get_args(hint)[0] if is_range(hint) else hint
    return check(DECLARED[name], single, value, name)  # type: ignore[no-any-return]


def end_of(name: str) -> float:
    """The most that a slider offers: the declared bound; of counts, and where there is none, the end of a sweep."""
    kind, bounds = NUMBERS[name], _bounds(name)
    return float(kind.sweep[-1] if kind.is_count or bounds.at_most is None else bounds.at_most)


def panel() -> list[dict[str, Any]]:
    """What the page needs to know to offer them all."""
    return [{"title": title, "settings": [_control(name) for name in names]} for title, names in TITLES.items()]


def _control(name: str) -> dict[str, Any]:
    declared = DECLARED[name]
    said = {"name": name, "help": declared.metadata["help"], "default": default_of(declared)}
    if name in SWITCHES:
        return said | {"label": SWITCHES[name], "unit": None}
    kind, bounds = NUMBERS[name], _bounds(name)
    return said | {
        "label": kind.label,
        "unit": kind.unit,
        "low": 0.0 if bounds.hold(0) else float(kind.sweep[0]),
        "end": end_of(name),
        "whole": kind.is_count,
        "is_strength": name in BY_NAME,
        # Where nothing bounds a strength, sweeps go by factors: small ones get more of the slider.
        "power": 1 if kind.is_count or bounds.has_end else 2,
    }


def _bounds(name: str) -> Bounds:
    found: Bounds = DECLARED[name].metadata["bounds"]
    return found
