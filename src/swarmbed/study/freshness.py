"""Whether what an experiment shows was made from the current runs: finished parts are not repeated."""

import dataclasses
import hashlib
from pathlib import Path

from swarmbed.spec.files import write_atomically
from swarmbed.study.budget import Budget
from swarmbed.study.experiments.base import Experiment
from swarmbed.study.store import Store

NAME = "made_from.txt"


def is_up_to_date(experiment: Experiment, store: Store, budget: Budget) -> bool:
    """Has it been concluded from just these runs and settings, and is everything that was made then still there?"""
    folder = store.experiment_folder(experiment.name)
    if not (folder / NAME).is_file():
        return False
    made_from, *made = (folder / NAME).read_text(errors="replace").splitlines() or [""]
    return made_from == fingerprint(experiment, store, budget) and all((folder / name).is_file() for name in made)


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
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _inputs(experiment: Experiment, store: Store, budget: Budget) -> list[Path]:
    if experiment.measure:
        return sorted((store.results / "runs").glob("*/seed-*.csv"))
    paths = []
    for training in experiment.trainings:
        paths.append(store.policy_path(training))
        for seed in store.finished_seeds(training, budget):
            paths += [store.metrics_path(training, seed), store.run_policy_path(training, seed)]
    return [path for path in paths if path.is_file()]
