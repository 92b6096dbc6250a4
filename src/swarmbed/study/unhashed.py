"""Evaluations of runs from before they named their policies: made_from.txt can say that these are still the same.

It holds one fingerprint of everything, so such an evaluation counts as a whole or not at all. Two changes since do not
matter: runs were added, or a policy began to ship, which moved its file.
"""

from collections.abc import Iterator
from itertools import chain, combinations
from pathlib import Path
from typing import Any

from swarmbed.study import each_run
from swarmbed.study.budget import Budget
from swarmbed.study.experiments.base import Experiment
from swarmbed.study.freshness import fingerprint, fingerprint_of_files, mark_of
from swarmbed.study.store import Store

Seeds = dict[str, list[int]]  # by the name of a training


def evaluated_seeds(experiment: Experiment, numbers: dict[str, Any], store: Store, budget: Budget) -> Seeds:
    """All that were evaluated, if it was from the runs that are stored now; otherwise none."""
    mark = mark_of(experiment, store)
    if mark is None or each_run.NAME not in mark.made:
        return {}
    seeds = _seeds_in(numbers)
    possible = chain([fingerprint(experiment, store, budget)], _earlier(experiment, seeds, store, budget))
    return seeds if mark.made_from in possible else {}


def _seeds_in(numbers: dict[str, Any]) -> Seeds:
    found: dict[str, set[int]] = {}
    for kind in ("runs", "returns"):
        for name, sizes in numbers.get(kind, {}).items():
            found.setdefault(name, set()).update(int(seed) for by_seed in sizes.values() for seed in by_seed)
    return {name: sorted(seeds) for name, seeds in found.items()}


def _earlier(experiment: Experiment, seeds: Seeds, store: Store, budget: Budget) -> Iterator[str]:
    """Fingerprints when there were only these runs, and any of the policies that ship now lay beside their runs."""
    files = list(_files(experiment, seeds, store))
    shipped = sorted({path for beside, path in files if path != beside})
    for moved in chain.from_iterable(combinations(shipped, count) for count in range(len(shipped) + 1)):
        known = [(beside if path in moved else path, path) for beside, path in files]
        yield fingerprint_of_files(experiment, budget, known)


def _files(experiment: Experiment, seeds: Seeds, store: Store) -> Iterator[tuple[Path, Path]]:
    """In the order of a fingerprint: where a file lies beside its run, and where it is."""
    for training in experiment.trainings:
        if not (own := seeds.get(training.name)):
            continue
        policies = {s: (store.own_policy_path(training, s), store.run_policy_path(training, s)) for s in own}
        metrics = {s: (store.metrics_path(training, s),) * 2 for s in own}
        in_order = [policies[store.best_of(training, own)], *(kind[s] for s in own for kind in (metrics, policies))]
        yield from (both for both in in_order if both[1].is_file())
