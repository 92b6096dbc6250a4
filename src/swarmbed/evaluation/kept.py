"""Outcomes of long sweeps, stored on disk as they come: an interrupted sweep resumes where it stopped."""

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np

from swarmbed.policy.find import NamedController
from swarmbed.policy.policy import Policy
from swarmbed.spec import settings
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.files import read_json, write_atomically
from swarmbed.tasks.base import Task


class Kept:
    """Outcomes in a folder, each in a file that is named by everything it depends on; without a folder none is kept."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def outcome(
        self,
        name: str,
        depends_on: Sequence[Any],
        measure: Callable[[], Any],
        is_enough: Callable[[Any], bool] = lambda found: True,
    ) -> Any:
        """What ``measure`` returned when everything it depends on was the same before, or else returns now: JSON.

        What is damaged or not enough, such as too few episodes, is measured again.
        """
        if self.folder is None:
            return measure()
        digest = hashlib.sha256(json.dumps(depends_on, sort_keys=True, default=str).encode()).hexdigest()[:16]
        # The name is for people: a policy that was moved or renamed since is still the same.
        file = next(self.folder.glob(f"*-{digest}.json"), self.folder / f"{name}-{digest}.json".replace("/", "_"))
        try:
            found = read_json(file) if file.is_file() else None
        except SwarmbedError:  # damaged
            found = None
        if found is None or not is_enough(found):
            found = measure()
            write_atomically(file, json.dumps(found).encode())
        return found


def is_table(found: Any, shape: tuple[int, ...]) -> bool:
    """Whether something read from JSON is a table of finite numbers of this shape."""
    try:
        table = np.array(found, np.float64)
    except (ValueError, TypeError):
        return False
    return table.shape == shape and bool(np.isfinite(table).all())


def task_fingerprint(task: Task) -> list[Any]:
    """What changes when a task does."""
    return [type(task).__qualname__, settings.as_dict(task)]


def fingerprint(run: NamedController) -> str:
    """What changes when a policy does: its weights, or a controller's gains."""
    if not isinstance(run.controller, Policy):
        return repr(run.controller)
    digest = hashlib.sha256(repr([*run.controller.specs.values(), run.controller.stochastic]).encode())
    for leaf in jax.tree.leaves(run.controller.params):
        digest.update(np.asarray(leaf).tobytes())
    return digest.hexdigest()
