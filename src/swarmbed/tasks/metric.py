"""What a task measures over time. Training columns, evaluations, comparisons, figures and the viewer read this."""

from dataclasses import dataclass
from typing import NamedTuple

from swarmbed.spec.errors import SwarmbedError, shown
from swarmbed.spec.settings import Spec, is_number, setting


class Goal(NamedTuple):
    """What counts as success at the end of an episode: the metric below (or, where higher is better, above) ``value``.

    ``name`` is the share's key in reports, ``label`` what a table shows.
    """

    name: str
    label: str
    value: float


@dataclass(frozen=True)
class Metric(Spec):
    """One number that follows from a state.

    level   a quantity, such as a distance: its mean over episodes at each time is reported
    event   0 or 1, such as a capture: reported as the share of episodes in which it has happened by then
    count   how many times something happened in this step: reported as the sum until then
    """

    name: str = setting(..., "the key under which the task measures it")
    label: str = setting(..., "what an axis or a table's row is called")
    unit: str = setting("", "what it is measured in")
    kind: str = setting("level", "what it means over time", choices=("level", "event", "count"))
    better: str | None = setting(None, "which direction is good", choices=("lower", "higher"))
    log: bool = setting(False, "whether a logarithmic axis shows it best")
    goal: Goal | None = setting(None, "what counts as success at the end of an episode")  # noqa: RUF009

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.goal is not None and not is_number(self.goal.value):
            raise SwarmbedError(f"value of the goal {self.goal.name!r} must be a number, not {shown(self.goal.value)}")
        if self.goal is not None and self.better is None:
            raise SwarmbedError(f"metric {self.name!r} has a goal: say which direction is better, lower or higher")

    @property
    def curve(self) -> str:
        """The key of the curve over time: events and counts are what has happened *by* then."""
        return self.name if self.kind == "level" else f"{self.name}_by"

    @property
    def is_share(self) -> bool:
        """Whether the curve is a probability."""
        return self.kind == "event"

    @property
    def axis(self) -> str:
        """The label of an axis: what, and in which unit."""
        words = f"share {self.label}" if self.kind == "event" else self.label
        words = f"{words} so far" if self.kind == "count" else words
        return f"{words} ({self.unit})" if self.unit else words

    def label_at(self, step: int) -> str:
        """``captured by step 200``, ``mean distance after 200``."""
        return f"{self.label} after {step}" if self.kind == "level" else f"{self.label} by step {step}"
