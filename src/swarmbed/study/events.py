"""How often the greedy policies of a method's runs bring the task's events about: in pursuit, captures."""

from typing import Any

from swarmbed.evaluation import statistics
from swarmbed.evaluation.evaluate import evaluate
from swarmbed.spec.table import Row
from swarmbed.study.experiments.base import Training
from swarmbed.study.freshness import content_hash
from swarmbed.study.generation import GENERATION
from swarmbed.study.store import Store, mean_of_last
from swarmbed.tasks.metric import Metric

EPISODES = 200
SEED = 1  # of their starts
EVALUATED_AS = [EPISODES, SEED, GENERATION]  # with other ones, earlier numbers are not taken over


def event_numbers(
    store: Store, training: Training, runs: dict[int, list[Row]], earlier: dict[str, Any]
) -> dict[str, Any]:
    """For each event of the task: in how many trials the greedy policy brings it about in half of its episodes.

    ``earlier`` is what this gave before: runs that still have their policy are not evaluated again.
    """
    events = [metric for metric in training.learner.task.metrics if metric.kind == "event"]
    if not events:
        return {}
    known = earlier if earlier.get("evaluated_as") == EVALUATED_AS else {}
    paths = {str(seed): store.run_policy_path(training, seed) for seed in runs}
    policies = {seed: content_hash(path) for seed, path in paths.items() if path.is_file()}
    shares: dict[str, dict[str, float]] = {metric.name: {} for metric in events}
    for seed, policy in policies.items():
        found = _known(known, seed, policy, events) or _evaluated(str(paths[seed]), events)
        for name, share in found.items():
            shares[name][seed] = share
    numbers: dict[str, Any] = {"evaluated_as": EVALUATED_AS, "policies": policies}
    for name, by_seed in shares.items():
        trials = sum(share >= 0.5 for share in by_seed.values())
        interval = [float(bound) for bound in statistics.wilson_interval(trials, len(by_seed))] if by_seed else []
        numbers |= {
            f"{name}_in_training": {str(seed): mean_of_last(rows, name) for seed, rows in runs.items()},
            f"{name}_share": by_seed,
            f"{name}_found": trials,
            f"{name}_trials": len(by_seed),
            f"{name}_ci": interval,
        }
    return numbers


def _known(known: dict[str, Any], seed: str, policy: str, events: list[Metric]) -> dict[str, float] | None:
    if known.get("policies", {}).get(seed) != policy:
        return None
    shares = {metric.name: known.get(f"{metric.name}_share", {}).get(seed) for metric in events}
    return shares if all(isinstance(share, float) for share in shares.values()) else None


def _evaluated(policy: str, events: list[Metric]) -> dict[str, float]:
    result = evaluate(policy, episodes=EPISODES, seed=SEED, progress=False)
    return {metric.name: float(result.curves[metric.curve][:, -1].mean()) for metric in events}
