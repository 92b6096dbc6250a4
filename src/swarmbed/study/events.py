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
SOON = 200  # steps: the paper's good solutions catch "after a short period of time", the others circle the evader
EVALUATED_AS = [EPISODES, SEED, SOON, GENERATION]  # with other ones, earlier numbers are not taken over


def event_numbers(
    store: Store, training: Training, runs: dict[int, list[Row]], earlier: dict[str, Any]
) -> dict[str, Any]:
    """For each event of the task: in how many trials the greedy policy brings it about soon in half of its episodes.

    ``earlier`` is what this gave before: runs that still have their policy are not evaluated again.
    """
    events = [metric for metric in training.learner.task.metrics if metric.kind == "event"]
    if not events:
        return {}
    known = earlier if earlier.get("evaluated_as") == EVALUATED_AS else {}
    paths = {str(seed): store.run_policy_path(training, seed) for seed in runs}
    policies = {seed: content_hash(path) for seed, path in paths.items() if path.is_file()}
    shares: dict[str, dict[str, float]] = {name: {} for metric in events for name in _names(metric)}
    for seed, policy in policies.items():
        found = _known(known, seed, policy, events) or _evaluated(str(paths[seed]), events)
        for name, share in found.items():
            shares[name][seed] = share
    numbers: dict[str, Any] = {"evaluated_as": EVALUATED_AS, "policies": policies}
    numbers |= shares
    for metric in events:
        soon = shares[soon_share(metric)]
        trials = sum(share >= 0.5 for share in soon.values())
        interval = [float(bound) for bound in statistics.wilson_interval(trials, len(soon))] if soon else []
        numbers |= {
            f"{metric.name}_in_training": {str(seed): mean_of_last(rows, metric.name) for seed, rows in runs.items()},
            f"{metric.name}_found": trials,
            f"{metric.name}_trials": len(soon),
            f"{metric.name}_ci": interval,
        }
    return numbers


def soon_share(metric: Metric) -> str:
    """What the share of episodes in which an event comes about soon is called in a file of numbers."""
    return f"{metric.name}_soon_share"


def _names(metric: Metric) -> tuple[str, str]:
    """Shares of episodes in which an event comes about: at any time, and soon."""
    return f"{metric.name}_share", soon_share(metric)


def _known(known: dict[str, Any], seed: str, policy: str, events: list[Metric]) -> dict[str, float] | None:
    if known.get("policies", {}).get(seed) != policy:
        return None
    shares = {name: known.get(name, {}).get(seed) for metric in events for name in _names(metric)}
    return shares if all(isinstance(share, float) for share in shares.values()) else None


def _evaluated(policy: str, events: list[Metric]) -> dict[str, float]:
    result = evaluate(policy, episodes=EPISODES, seed=SEED, progress=False)
    shares: dict[str, float] = {}
    for metric in events:
        curve = result.curves[metric.curve].mean(axis=0)
        shares |= dict(zip(_names(metric), (float(curve[-1]), float(curve[: SOON + 1][-1])), strict=True))
    return shares
