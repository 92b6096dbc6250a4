"""Outcomes of long sweeps, stored on disk as they come, with a checksum: an interrupted sweep resumes where it
stopped."""

import hashlib
import inspect
import json
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np

from swarmbed.compute import programs
from swarmbed.policy.find import NamedController
from swarmbed.policy.policy import Policy
from swarmbed.spec import settings
from swarmbed.spec.errors import SwarmbedError, say
from swarmbed.spec.files import json_checksum, read_json, write_atomically
from swarmbed.tasks.base import Task

SIMULATED = ("sim", "tasks", "controllers", "embeddings", "networks")  # folders whose code decides what a swarm does
THIS_PROCESS = uuid.uuid4().hex
SHOWN = 80  # letters of a name in that of a file, which has a limit


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

        What is not enough, such as too few episodes, is measured again; so is what is damaged, which is said.
        """
        if self.folder is None:
            return measure()
        digest = hashlib.sha256(json.dumps(depends_on, sort_keys=True, default=str).encode()).hexdigest()[:16]
        # The name is for people: a policy that was moved or renamed since is still the same.
        own = self.folder / f"{name[:SHOWN]}-{digest}.json".replace("/", "_")
        file = next(self.folder.glob(f"*-{digest}.json"), own)
        found = _read(file)
        if found is None or not is_enough(found):
            found = measure()
            write_atomically(file, json.dumps({"sha256": json_checksum(found), "outcome": found}).encode())
        return found


def _read(file: Path) -> Any:
    """What was measured before; None where nothing was, or where the file is damaged."""
    try:
        kept = read_json(file) if file.is_file() else None
        if kept is None or (isinstance(kept, dict) and kept.get("sha256") == json_checksum(kept.get("outcome"))):
            return kept and kept["outcome"]
        raise SwarmbedError(f"file {file} is damaged: its checksum does not match")
    except SwarmbedError as error:
        say(f"{error}; it is measured again")
        return None


def is_table(found: Any, shape: tuple[int, ...]) -> bool:
    """Whether something read from JSON is a table of finite numbers of this shape."""
    try:
        table = np.array(found, np.float64)
    except (ValueError, TypeError):
        return False
    return table.shape == shape and bool(np.isfinite(table).all())


def task_fingerprint(task: Task) -> list[Any]:
    """What changes when a task does."""
    return [type(task).__qualname__, settings.as_dict(task), code_of(task)]


def code_of(spec: Any) -> list[str]:
    """What changes when the code behind a spec does: this package's, and that of somebody's own classes. Where their
    source cannot be read, as that of a task with another reward, nothing is taken from another process."""
    found = [programs.source_of(*SIMULATED)]
    for kind in type(spec).__mro__ if not programs.is_ours(spec) else ():
        if kind is object or programs.is_ours(kind):
            continue
        try:
            found.append(inspect.getsource(kind))
        except (OSError, TypeError):
            found.append(THIS_PROCESS)
    return found


def fingerprint(run: NamedController) -> str:
    """What changes when a policy does: its weights, or a controller's gains."""
    if not isinstance(run.controller, Policy):
        return repr([run.controller, code_of(run.controller)])
    specs = run.controller.specs.values()
    digest = hashlib.sha256(repr([*specs, run.controller.stochastic, *map(code_of, specs)]).encode())
    for leaf in jax.tree.leaves(run.controller.params):
        digest.update(np.asarray(leaf).tobytes())
    return digest.hexdigest()
