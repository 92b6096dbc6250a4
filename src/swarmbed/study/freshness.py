"""Whether what an experiment shows was made from the current runs: finished parts are not repeated."""

import dataclasses
import hashlib
from pathlib import Path
from typing import NamedTuple

from swarmbed.spec.files import write_atomically
from swarmbed.study.budget import Budget
from swarmbed.study.experiments.base import Experiment
from swarmbed.study.store import Store

NAME = "made_from.txt"


class Mark(NamedTuple):
    """What an experiment was last concluded from, as a fingerprint, and the files that were made then."""

    made_from: str
    made: tuple[str, ...]


def is_up_to_date(experiment: Experiment, store: Store, budget: Budget) -> bool:
    """Has it been concluded from just these runs and settings, and is everything that was made then still there?"""
    folder, mark = store.experiment_folder(experiment.name), _mark_of(experiment, store)
    if mark is None:
        return False
    return mark.made_from == fingerprint(experiment, store, budget) and all((folder / n).is_file() for n in mark.made)


def _mark_of(experiment: Experiment, store: Store) -> Mark | None:
    """None if it was never concluded."""
    path = store.experiment_folder(experiment.name) / NAME
    if not path.is_file():
        return None
    made_from, *made = path.read_text(errors="replace").splitlines() or [""]
    return Mark(made_from, tuple(made))


def mark_concluded(experiment: Experiment, store: Store, budget: Budget, made: list[Path]) -> None:
    lines = [fingerprint(experiment, store, budget), *(path.name for path in made)]
    write_atomically(store.experiment_folder(experiment.name) / NAME, ("\n".join(lines) + "\n").encode())


def fingerprint(experiment: Experiment, store: Store, budget: Budget) -> str:
    """Changes with the experiment's settings, the number of episodes, its runs and its policies; not with its plan."""
    digest = hashlib.sha256()
    settings = dataclasses.replace(experiment, title="", claims=(), seeds=0, more_seeds=())
    digest.update(repr((settings, budget.episodes)).encode())
    for path in _inputs(experiment, store, budget):
        digest.update(f"{path.parent.name}/{path.name}".encode() + b"\0")
        digest.update(bytes.fromhex(content_hash(path)))
    return digest.hexdigest()


def content_hash(path: Path) -> str:
    """Tells a file from what it was before."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _inputs(experiment: Experiment, store: Store, budget: Budget) -> list[Path]:
    if experiment.measure:
        return sorted((store.results / "runs").glob("*/seed-*.csv"))
    paths = []
    for training in experiment.trainings:
        paths.append(store.policy_path(training))
        for seed in store.finished_seeds(training, budget):
            paths += [store.metrics_path(training, seed), store.run_policy_path(training, seed)]
    return [path for path in paths if path.is_file()]
