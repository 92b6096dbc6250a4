"""What the policy of every single run reaches in a contest.

A contest shows the best policy of each method. A claim is about the method, so it needs all of its runs: their spread,
not that of one policy's episodes, says what another training would have given.
"""

import hashlib
from pathlib import Path
from typing import Any

from swarmbed.evaluation.evaluate import Evaluation, evaluate
from swarmbed.evaluation.progress import Report
from swarmbed.evaluation.reports import plain
from swarmbed.spec.errors import SwarmbedError
from swarmbed.study.budget import Budget
from swarmbed.study.experiments.base import Contest
from swarmbed.study.freshness import content_hash
from swarmbed.study.generation import GENERATION
from swarmbed.study.store import Store
from swarmbed.tasks.base import Task

NAME = "each_run.json"
SEED = 1  # of their starts
EVERY = 10  # steps between the numbers that are kept

Numbers = dict[str, Any]
Outcome = tuple[list[float], float]


def evaluate_each_run(
    contest: Contest,
    task: Task,
    store: Store,
    budget: Budget,
    earlier: Numbers,
    on_progress: Report | None = None,
    *,
    again: bool = True,
) -> Numbers:
    """The task's first metric over time, and the return: of every run by method, size of swarm and seed, and of
    controllers by size of swarm. With the hash of every policy, which tells whether the run still has it.

    ``earlier`` is what this gave before: runs that still have their policy are not evaluated again. Controllers are,
    since their code may have changed; but not if ``again`` is False.
    """
    episodes = episodes_of_a_run(contest, budget)
    evaluated_as = _evaluated_as(task, episodes)
    known = earlier if earlier.get("evaluated_as") == evaluated_as else {}
    found: Numbers = {"policies": {}, "runs": {}, "controllers": {}, "returns": {}, "controller_returns": {}}
    for number, (name, seed, who, agents) in enumerate(_evaluations(contest, store, budget), start=1):
        # The hash is taken before the policy is run: one that is replaced meanwhile does not pass for the one that was.
        policy = content_hash(who) if isinstance(who, Path) and who.is_file() else None
        result = _known(known, name, seed, agents, policy) if seed is not None or not again else None
        result = result or _evaluation(who, task, agents, episodes)
        if policy is not None:
            found["policies"].setdefault(name, {}).setdefault(str(seed), policy)
        if result is not None:
            for group, value in zip(_groups(seed), result, strict=True):
                kept = found[group].setdefault(name, {})
                if seed is None:
                    kept[str(agents)] = value
                else:
                    kept.setdefault(str(agents), {})[str(seed)] = value
        if on_progress is not None:
            on_progress(number * episodes)
    return {"episodes": episodes, "seed": SEED, "steps": steps_kept(task), "evaluated_as": evaluated_as, **found}


def _evaluated_as(task: Task, episodes: int) -> str:
    """Everything but the policy that an evaluation depends on, as a fingerprint."""
    return hashlib.sha256(repr((task, episodes, SEED, EVERY, GENERATION)).encode()).hexdigest()[:16]


def _groups(seed: int | None) -> tuple[str, str]:
    """Where the curve and the return of a run, or of a controller, are kept."""
    return ("runs", "returns") if seed is not None else ("controllers", "controller_returns")


def _known(known: Numbers, name: str, seed: int | None, agents: int, policy: str | None) -> Outcome | None:
    """What an earlier evaluation of a controller, or of the same policy, gave."""
    if seed is not None and (policy is None or known.get("policies", {}).get(name, {}).get(str(seed)) != policy):
        return None
    try:
        of_agents = (known[group][name][str(agents)] for group in _groups(seed))
        curve, value = of_agents if seed is None else (by_seed[str(seed)] for by_seed in of_agents)
    except (KeyError, TypeError):  # another size of swarm, or a damaged file
        return None
    return (curve, value) if isinstance(curve, list) and isinstance(value, float) else None


def count_episodes(contest: Contest, store: Store, budget: Budget) -> int:
    """How many episodes that takes."""
    return episodes_of_a_run(contest, budget) * len(_evaluations(contest, store, budget))


def episodes_of_a_run(contest: Contest, budget: Budget) -> int:
    return min(contest.episodes, budget.episodes)


def _evaluations(contest: Contest, store: Store, budget: Budget) -> list[tuple[str, int | None, str | Path, int]]:
    """Name, seed (None for a controller), who to run, and the size of swarm."""
    who: list[tuple[str, int | None, str | Path]] = [
        (training.name, seed, store.run_policy_path(training, seed))
        for training in contest.trainings
        for seed in store.finished_seeds(training, budget)
    ]
    who += [(label, None, name) for name, label in contest.controllers]
    return [(*entry, agents) for entry in who for agents in contest.agents]


def steps_kept(task: Task) -> list[int]:
    """Every tenth step, and the last."""
    return sorted({*range(0, task.horizon + 1, EVERY), task.horizon})


def _evaluation(who: str | Path, task: Task, agents: int, episodes: int) -> Outcome | None:
    """The curve and the return; None for a policy that is gone or does not fit the swarm."""
    if isinstance(who, Path) and not who.is_file():
        return None
    try:
        result = evaluate(who, task, num_agents=agents, episodes=episodes, seed=SEED, progress=False)
    except SwarmbedError:
        return None
    return _curve(result), float(result.returns.mean())


def _curve(result: Evaluation) -> list[float]:
    """Mean over episodes at the steps that are kept."""
    means = next(iter(result.curves.values())).mean(axis=0)
    return list(plain(means[steps_kept(result.task)]))
