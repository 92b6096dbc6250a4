"""Checkpoints: everything the next iteration depends on, written atomically, the last few kept."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.experimental import multihost_utils

from swarmbed.learn.learner import TrainState
from swarmbed.policy.files import modern_name
from swarmbed.run.folder import checkpoint_files
from swarmbed.spec import config, files
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.table import Row

FORMAT = "swarmbed-checkpoint-2"
EARLIER = "swarmbed-checkpoint-1"
KEPT = 3


class Checkpoint(NamedTuple):
    """A moment of a training run: ``iteration`` iterations are done; ``best`` is the best policy so far.

    ``rows`` are the metrics of all iterations until then, from which a damaged metrics.csv is repaired; None where an
    earlier version wrote the checkpoint.
    """

    iteration: int
    seconds: float
    state: TrainState
    best: Any
    best_return: float
    rows: list[Row] | None = None


def on_host(tree: Any) -> Any:
    """The whole tree as numpy arrays, even if its parts are on several machines."""
    gather = lambda leaf: multihost_utils.process_allgather(leaf, tiled=True)  # noqa: E731
    plain = jax.tree.map(
        lambda leaf: jax.random.key_data(leaf) if jax.numpy.issubdtype(leaf.dtype, jax.dtypes.prng_key) else leaf, tree
    )
    return jax.tree.map(np.asarray, plain if jax.process_count() == 1 else jax.tree.map(gather, plain))


class OtherSettingsError(SwarmbedError):
    """A checkpoint is intact, but was made with other settings than the run has now."""


def save(folder: Path, checkpoint: Checkpoint, settings: str) -> None:
    """Write one checkpoint (only process 0 does), then delete all but the newest few of this run.

    ``settings`` are those of the learner as text: a resume with others would continue something else.
    """
    # The best policy is on the host already; gathering it again would stack one copy per process.
    arrays = files.tree_to_arrays({"state": on_host(checkpoint.state), "best": checkpoint.best})
    if jax.process_index() != 0:
        return
    rows = checkpoint.rows or []
    columns = list(rows[0]) if rows else []
    arrays["metrics"] = np.array([[row[name] for name in columns] for row in rows], np.float64).reshape(len(rows), -1)
    metadata = {
        "format": FORMAT,
        "iteration": str(checkpoint.iteration),
        "seconds": repr(checkpoint.seconds),
        "best_return": repr(checkpoint.best_return),
        "settings": settings,
        "columns": ",".join(columns),
    }
    files.save_arrays(folder / f"{checkpoint.iteration:06d}.safetensors", arrays, metadata)
    # Checkpoints beyond this iteration could not be read when the run began; they are not part of it.
    found = checkpoint_files(folder)
    own = [path for path in found if int(path.stem) <= checkpoint.iteration]
    for old in {*found} - {*own[:KEPT]}:
        old.unlink(missing_ok=True)


def load_newest(
    folder: Path, template: TrainState, shardings: TrainState, settings: str, warn: Callable[[str], None]
) -> Checkpoint | None:
    """The newest intact checkpoint; damaged ones are reported and skipped. None if there is none.
    One that may be good but cannot be read now is an error: a run that started over would end by deleting it.

    ``template`` is a state with shapes in place of arrays.
    """
    found = checkpoint_files(folder)
    for path in found:
        try:
            return _load(path, template, shardings, settings)
        except (OtherSettingsError, files.UnreadableError):
            raise
        except SwarmbedError as error:
            warn(f"{error}; trying the one before")
    if found:
        warn(f"no checkpoint in {folder} can be read; starting from the beginning")
    return None


def _load(path: Path, template: TrainState, shardings: TrainState, settings: str) -> Checkpoint:
    arrays, metadata = files.load_arrays(path)
    _check_settings(path, metadata.get("settings", ""), settings)  # earlier versions did not write them
    if metadata.get("format") == EARLIER:
        arrays = _modernised(arrays, template)
    elif metadata.get("format") != FORMAT:
        raise SwarmbedError(f"file {path} is not a checkpoint that this version of swarmbed can read ({FORMAT})")
    tree = files.arrays_to_tree({"state": template, "best": template.policy}, arrays, f"checkpoint {path}")
    state = jax.tree.map(_place, tree["state"], _spread(shardings, tree["state"]))
    best = jax.tree.map(np.asarray, tree["best"])
    rows = None
    if "metrics" in arrays:
        rows = [dict(zip(metadata["columns"].split(","), map(float, row), strict=True)) for row in arrays["metrics"]]
    iteration, seconds, best_return = (metadata[name] for name in ("iteration", "seconds", "best_return"))
    return Checkpoint(int(iteration), float(seconds), state, best, float(best_return), rows)


def _check_settings(path: Path, made_with: str, settings: str) -> None:
    """Every setting that the checkpoint knows has to be what it was; a setting that came with a later version is not
    known."""
    then, now = (config.parse(text, str(path)) for text in (made_with, settings))
    for section, values in then.items():
        for name, before in values.items():
            after = now.get(section, {}).get(name, before)
            if after != before:
                raise OtherSettingsError(
                    f"checkpoint {path} was made with {name} = {before!r} in section [{section}], but config.toml says "
                    f"{after!r}; nothing was changed"
                )


def _modernised(arrays: dict[str, np.ndarray], template: TrainState) -> dict[str, np.ndarray]:
    """The arrays of a checkpoint of version 0.1, where the age was stored beside the state, all agents were present,
    and only the return was followed."""
    renamed = {modern_name(name): value for name, value in arrays.items()}
    environments = "state.environments"
    renamed[f"{environments}.state.age"] = renamed.pop(f"{environments}.age").astype(np.int32)
    renamed[f"{environments}.state.present"] = np.ones(template.environments.state.present.shape, bool)
    for name, followed in template.environments.so_far.items():
        renamed[f"{environments}.so_far.{name}"] = np.zeros(followed.shape, np.float32)
    return renamed


def _place(leaf: Any, sharding: Any) -> Any:
    if jax.process_count() == 1:
        return jax.device_put(leaf, sharding)
    return jax.make_array_from_callback(leaf.shape, sharding, lambda index: leaf[index])


def _spread(shardings: TrainState, state: TrainState) -> TrainState:
    """One sharding per field → one per leaf."""
    return TrainState(*(jax.tree.map(lambda _, s=s: s, part) for s, part in zip(shardings, state, strict=True)))
