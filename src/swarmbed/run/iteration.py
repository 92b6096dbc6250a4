"""What a callback sees of a run."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from swarmbed.policy.policy import Policy
from swarmbed.spec.table import Row


@dataclass(frozen=True)
class Iteration:
    """What a callback sees after every iteration. It may return True to stop the run."""

    number: int
    metrics: Row
    folder: Path
    _policy: Callable[[], Policy]

    @property
    def policy(self) -> Policy:
        """The policy as it is now."""
        return self._policy()


Callback = Callable[[Iteration], bool | None]
