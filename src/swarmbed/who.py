"""WHO on the command line: a run folder, a policy file, a shipped policy's name or a controller's name."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from swarmbed import registry
from swarmbed.controllers.base import Controller
from swarmbed.errors import SwarmbedError
from swarmbed.tasks.base import Task


@dataclass(frozen=True)
class Contestant:
    """Somebody who can be run: a controller with a name and, for a trained policy, the task it was trained on."""

    name: str
    controller: Controller
    task: Task | None = None


def find(who: str, *, stochastic: bool = False, gains: dict[str, Any] | None = None) -> Contestant:
    """The contestant behind a name or path."""
    if who in registry.controllers.all():
        return Contestant(who, registry.controllers.get(who)(**(gains or {})))
    known = ", ".join(registry.controllers.all())
    if Path(who).exists():
        raise SwarmbedError(f"{who} is neither a run folder nor a policy file")
    raise SwarmbedError(f"{who!r} is no run folder, policy file, shipped policy or controller; controllers: {known}")
