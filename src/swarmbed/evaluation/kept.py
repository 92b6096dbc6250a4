"""Outcomes of long sweeps, stored on disk as they come: an interrupted sweep resumes where it stopped."""

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np

from swarmbed.policy.find import Contestant
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
        self, name: str, depends_on: Sequence[Any], measure: Callable[[], Any], shape: tuple[int, ...] | None = None
    ) -> Any:
        """What ``measure`` returned when everything it depends on was the same before, or else returns now: JSON.
        A stored outcome that is damaged, or not a table of finite numbers of this ``shape``, is measured again."""
        if self.folder is None:
            return measure()
        digest = hashlib.sha256(json.dumps(depends_on, sort_keys=True, default=str).encode()).hexdigest()[:16]
        file = self.folder / f"{name}-{digest}.json".replace("/", "_")
        found = _read(file, shape)
        if found is None:
            found = measure()
            write_atomically(file, json.dumps(found).encode())
        return found


def _read(file: Path, shape: tuple[int, ...] | None) -> Any:
    """What was stored; None where nothing intact was."""
    if not file.is_file():
        return None
    try:
        found = read_json(file)
        table = None if shape is None else np.array(found, np.float64)
    except (SwarmbedError, ValueError, TypeError):
        return None
    return found if table is None or (table.shape == shape and np.isfinite(table).all()) else None


def task_fingerprint(task: Task) -> list[Any]:
    """What changes when a task does."""
    return [type(task).__qualname__, settings.as_dict(task)]


def fingerprint(run: Contestant) -> str:
    """What changes when a policy does: its weights, or a controller's gains."""
    if not isinstance(run.controller, Policy):
        return repr(run.controller)
    digest = hashlib.sha256(repr([*run.controller.specs.values(), run.controller.stochastic]).encode())
    for leaf in jax.tree.leaves(run.controller.params):
        digest.update(np.asarray(leaf).tobytes())
    return digest.hexdigest()
