"""What the policy of every single run reaches in a contest.

A contest shows the best policy of each method. A claim is about the method, so it needs all of its runs: their spread,
not that of one policy's episodes, says what another training would have given.
"""

from pathlib import Path
from typing import Any

from swarmbed.evaluation.evaluate import Evaluation, evaluate
from swarmbed.evaluation.progress import Report
from swarmbed.evaluation.reports import plain
from swarmbed.spec.errors import SwarmbedError
from swarmbed.study.budget import Budget
from swarmbed.study.experiments.base import Contest
from swarmbed.study.freshness import content_hash
from swarmbed.study.store import Store
from swarmbed.tasks.base import Task

NAME = "each_run.json"
EPISODES = 200  # of each run; fewer than a contest's, since it is the spread over runs that counts
EVERY = 10  # steps between the numbers that are kept


def evaluate_each_run(
    contest: Contest, task: Task, store: Store, budget: Budget, on_progress: Report | None = None
) -> dict[str, Any]:
    """The task's first metric over time, and the return: of every run by method, size of swarm and seed, and of
    controllers by size of swarm. With the hash of every policy, which tells whether the run still has it."""
    episodes = episodes_of_a_run(budget)
    found: dict[str, Any] = {"policies": {}, "runs": {}, "controllers": {}, "returns": {}, "controller_returns": {}}
    for number, (name, seed, who, agents) in enumerate(_evaluations(contest, store, budget), start=1):
        if isinstance(who, Path) and who.is_file():
            # Before it is run: a policy that is replaced meanwhile does not pass for the one that was run.
            found["policies"].setdefault(name, {}).setdefault(str(seed), content_hash(who))
        if (result := _evaluation(who, task, agents, episodes)) is not None:
            kind = ("runs", "returns") if seed is not None else ("controllers", "controller_returns")
            for group, value in zip(kind, (_curve(result), float(result.returns.mean())), strict=True):
                kept = found[group].setdefault(name, {})
                if seed is None:
                    kept[str(agents)] = value
                else:
                    kept.setdefault(str(agents), {})[str(seed)] = value
        if on_progress is not None:
            on_progress(number * episodes)
    return {"episodes": episodes, "seed": 1, "steps": steps_kept(task), **found}


def count_episodes(contest: Contest, store: Store, budget: Budget) -> int:
    """How many episodes that takes."""
    return episodes_of_a_run(budget) * len(_evaluations(contest, store, budget))


def episodes_of_a_run(budget: Budget) -> int:
    return min(EPISODES, budget.episodes)


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


def _evaluation(who: str | Path, task: Task, agents: int, episodes: int) -> Evaluation | None:
    """None for a policy that is gone or does not fit the swarm."""
    if isinstance(who, Path) and not who.is_file():
        return None
    try:
        return evaluate(who, task, num_agents=agents, episodes=episodes, seed=1, progress=False)
    except SwarmbedError:
        return None


def _curve(result: Evaluation) -> list[float]:
    """Mean over episodes at the steps that are kept."""
    means = next(iter(result.curves.values())).mean(axis=0)
    return list(plain(means[steps_kept(result.task)]))
