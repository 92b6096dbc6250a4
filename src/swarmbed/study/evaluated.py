"""Which runs a contest has evaluated: those whose policy it ran is the one that is stored now.

A run that was trained again since has not been evaluated yet, whatever stands under its seed.
"""

from typing import Any

from swarmbed.study import each_run
from swarmbed.study.budget import Budget
from swarmbed.study.experiments.base import Experiment, Training
from swarmbed.study.freshness import content_hash
from swarmbed.study.store import Store


def evaluated_seeds(
    experiment: Experiment, numbers: dict[str, Any], store: Store, budget: Budget
) -> dict[str, list[int]]:
    """Of an experiment with a contest, by its each_run.json; by the name of a training.

    None where it asks for more or fewer episodes now than it was evaluated with.
    """
    contest = experiment.contest
    is_current = contest is None or numbers.get("episodes") == each_run.episodes_of_a_run(contest, budget)
    policies = numbers.get("policies", {}) if is_current else {}
    return {
        training.name: [
            int(seed)
            for seed, known in policies.get(training.name, {}).items()
            if _is_stored(known, training, int(seed), store)
        ]
        for training in experiment.trainings
    }


def _is_stored(known: str, training: Training, seed: int, store: Store) -> bool:
    path = store.run_policy_path(training, seed)
    return path.is_file() and content_hash(path) == known
