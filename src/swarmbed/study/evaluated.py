"""Which runs a contest has evaluated: those whose policy it ran is the one that is stored now.

A run that was trained again since has not been evaluated yet, whatever stands under its seed.
"""

from typing import Any

from swarmbed.study import unhashed
from swarmbed.study.budget import Budget
from swarmbed.study.experiments.base import Experiment, Training
from swarmbed.study.freshness import content_hash
from swarmbed.study.store import Store


def evaluated_seeds(experiment: Experiment, numbers: dict[str, Any], store: Store, budget: Budget) -> unhashed.Seeds:
    """Of an experiment with a contest, by its each_run.json."""
    if "policies" not in numbers:
        return unhashed.evaluated_seeds(experiment, numbers, store, budget)
    return {
        training.name: [
            int(seed)
            for seed, known in numbers["policies"].get(training.name, {}).items()
            if _is_stored(known, training, int(seed), store)
        ]
        for training in experiment.trainings
    }


def _is_stored(known: str, training: Training, seed: int, store: Store) -> bool:
    path = store.run_policy_path(training, seed)
    return path.is_file() and content_hash(path) == known
