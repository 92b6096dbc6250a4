"""The settings of all disturbances. Each is one strength, or a range from which every episode draws one; 0 is off."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from math import pi
from typing import Any, NamedTuple

from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.settings import setting
from swarmbed.tasks.base import Task

GROUP = "disturbances"


class Kind(NamedTuple):
    """One disturbance: its setting, what it is in a few words, the unit of its strength, and the strengths that a
    sweep tries beside 0. Counts of agents are swept up to half of the swarm."""

    name: str
    label: str
    unit: str
    sweep: tuple[float, ...]
    is_count: bool = False


KINDS = (
    Kind("stop_rate", "agents stop for good", "per agent and s", (0.001, 0.003, 0.01, 0.03, 0.1)),
    Kind("stop_share", "a share stops at once", "share of agents", (0.1, 0.2, 0.3, 0.5, 0.7)),
    Kind("pause_share", "agents stop and go on", "share of time", (0.1, 0.2, 0.4, 0.6, 0.8)),
    Kind("message_loss", "messages lost", "share of messages", (0.1, 0.3, 0.5, 0.7, 0.9)),
    Kind("message_delay", "messages late", "steps", (1, 2, 4, 8, 16), True),
    Kind("distance_noise", "noise in distances", "units", (1, 3, 10, 30, 60)),
    Kind("bearing_noise", "noise in bearings", "rad", (0.1, 0.3, 0.6, 1.0, 1.6)),
    Kind("blind_angle", "blind sector", "rad", (0.25 * pi, 0.5 * pi, pi, 1.5 * pi, 1.75 * pi)),
    Kind("action_noise", "noise in actions", "of the largest action", (0.1, 0.3, 0.6, 1.0, 1.6)),
    Kind("action_bias", "bias in actions", "of the largest action", (0.03, 0.1, 0.2, 0.4, 0.8)),
    Kind("speed_spread", "slower agents", "of the top speed", (0.2, 0.4, 0.6, 0.8, 1.0)),
    Kind("heading_error", "wrong headings", "rad", (0.1, 0.3, 0.6, 1.0, 1.6)),
    Kind("contrary_agents", "agents do the opposite", "agents", (1, 2, 3, 5, 10), True),
)
BY_NAME = {kind.name: kind for kind in KINDS}
HIDING = ("message_loss", "blind_angle")  # these keep agents from knowing of each other
STOPPING = ("stop_rate", "stop_share", "pause_share")  # so do these, unless stopped agents are seen
# How two of them come about, and usual values of it. These are no strengths: at none of them a disturbance is off.
TIMES = (
    Kind("stop_time", "when that share stops", "s", (0, 1, 3, 10, 30)),
    Kind("pause_seconds", "how long a pause lasts", "s", (0.5, 1, 2, 5, 10)),
)


@dataclass(frozen=True)
class Disturbed(Task):
    """A task whose agents can be disturbed. A range draws one strength per episode, the same for all agents."""

    stop_rate: float | tuple[float, ...] = setting(
        0.0, "how often an agent stops moving for good, per agent and second", at_least=0, group=GROUP
    )
    stop_share: float | tuple[float, ...] = setting(
        0.0, "share of the agents that stop moving for good at stop_time", at_least=0, at_most=1, group=GROUP
    )
    stop_time: float = setting(1.0, "when the agents of stop_share stop, s", at_least=0, group=GROUP)
    pause_share: float | tuple[float, ...] = setting(
        0.0, "share of its time that an agent stands still", at_least=0, at_most=1, group=GROUP
    )
    pause_seconds: float = setting(2.0, "length of one pause, s", above=0, group=GROUP)
    stopped_seen: bool = setting(
        True, "whether stopped and pausing agents are still sensed and heard by the others", group=GROUP
    )
    message_loss: float | tuple[float, ...] = setting(
        0.0, "share of the messages that are lost, per link and step", at_least=0, at_most=1, group=GROUP
    )
    message_delay: int | tuple[int, ...] = setting(
        0, "how late messages arrive, steps", at_least=0, at_most=1000, group=GROUP
    )
    distance_noise: float | tuple[float, ...] = setting(
        0.0, "standard deviation of the noise in every sensed distance, units", at_least=0, group=GROUP
    )
    bearing_noise: float | tuple[float, ...] = setting(
        0.0, "standard deviation of the noise in every sensed bearing, rad", at_least=0, group=GROUP
    )
    blind_angle: float | tuple[float, ...] = setting(
        0.0, "width of the sector in which an agent sees nothing, rad; its direction is drawn for each agent",
        at_least=0, at_most=2 * pi, group=GROUP,
    )  # fmt: skip
    action_noise: float | tuple[float, ...] = setting(
        0.0,
        "standard deviation of the noise in every action, as a share of the largest action",
        at_least=0,
        group=GROUP,
    )
    action_bias: float | tuple[float, ...] = setting(
        0.0, "standard deviation of the constant bias of an agent's actions, as a share of the largest action",
        at_least=0, group=GROUP,
    )  # fmt: skip
    speed_spread: float | tuple[float, ...] = setting(
        0.0, "top speeds are lowered by a share that is drawn for each agent between 0 and this",
        at_least=0, at_most=1, group=GROUP,
    )  # fmt: skip
    heading_error: float | tuple[float, ...] = setting(
        0.0, "standard deviation of the constant error of an agent's own heading, rad",
        at_least=0, group=GROUP,
    )  # fmt: skip
    contrary_agents: int | tuple[int, ...] = setting(
        0,
        "number of agents that do the opposite: they drive backwards where they should drive forwards",
        at_least=0,
        group=GROUP,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for kind in KINDS:
            value = getattr(self, kind.name)
            if isinstance(value, tuple) and (len(value) != 2 or value[0] > value[1]):
                raise SwarmbedError(
                    f"{kind.name} must be one number or a range of two, the lower first, not {list(value)}"
                )

    @property
    @abstractmethod
    def control_seconds(self) -> float:
        """The length of a control step."""

    @cached_property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """The lowest and highest strength of every disturbance that is on, by the name of its setting."""
        bounds = {kind.name: _ends(getattr(self, kind.name)) for kind in KINDS}
        return {name: ends for name, ends in bounds.items() if ends[1] > 0}

    @property
    def hides_agents(self) -> bool:
        """Whether a disturbance that is on keeps agents from knowing of each other."""
        return any(name in self.ranges for name in (*HIDING, *(() if self.stopped_seen else STOPPING)))


def undisturbed(settings: Any) -> dict[str, Any]:
    """The settings that turn every disturbance off."""
    return {kind.name: 0 for kind in KINDS if hasattr(settings, kind.name)}


def _ends(value: Any) -> tuple[float, float]:
    return value if isinstance(value, tuple) else (value, value)
