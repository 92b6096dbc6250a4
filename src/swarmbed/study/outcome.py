"""What an experiment shows once its runs are there: learning curves, contests from equal starts, traces, numbers."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from swarmbed.draw.figures import Curve, learning_curves
from swarmbed.draw.page import draw_trace
from swarmbed.draw.recording import record
from swarmbed.evaluation.compare import compare
from swarmbed.evaluation.progress import Report
from swarmbed.policy.find import NamedController, find
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.table import Row
from swarmbed.study import each_run
from swarmbed.study.budget import Budget
from swarmbed.study.events import event_numbers
from swarmbed.study.experiments.base import Contest, Experiment, Training
from swarmbed.study.freshness import content_hash
from swarmbed.study.generation import GENERATION
from swarmbed.study.store import Store, score
from swarmbed.tasks import make
from swarmbed.tasks.base import Task

TOP = 5  # the paper shows the median of the best five trials
NUMBERS = "numbers.json"
COMPARISON = "evaluation.json"


def conclude(
    experiment: Experiment, store: Store, budget: Budget, on_progress: Report | None = None, *, again: bool = False
) -> list[Path]:
    """Evaluate and draw; returns the files that were written. A comparison of the same policies as before is not made
    ``again`` unless asked for."""
    made: list[Path] = []
    if experiment.curve:
        made += [*_learning_curves(experiment, store, budget), _learning_numbers(experiment, store, budget)]
    if experiment.contest:
        made += _contest(experiment, experiment.contest, store, budget, on_progress, again=again)
    if experiment.trace:
        training, agents = experiment.trace
        task = make(training.variant, num_agents=agents, observation=training.observation)
        path = store.experiment_folder(experiment.name) / "figure.png"
        draw_trace(record(_policy(store, training), task, seed=0), path)
        made.append(path)
    if experiment.measure == "cost":
        from swarmbed.study.cost import measure_cost

        made.append(store.write_numbers(experiment.name, NUMBERS, measure_cost(store, budget)))
    return made


def evaluate_runs(experiment: Experiment, store: Store, budget: Budget, report: Report | None = None) -> list[Path]:
    """Evaluate what claims read of the experiment's runs, where that was not done yet; returns the files written.

    Nothing is drawn, and the best policies are not compared anew: that takes longer than everything else.
    """
    made: list[Path] = []
    if experiment.curve:
        made.append(_learning_numbers(experiment, store, budget))
    if experiment.contest:
        made.append(_each_run(experiment, experiment.contest, store, budget, report, again=False))
    return made


def _learning_curves(experiment: Experiment, store: Store, budget: Budget) -> list[Path]:
    folder, made = store.experiment_folder(experiment.name), []
    # One picture per task and preset: what was trained with other settings stands beside, not among the rest.
    pictures = list(dict.fromkeys((training.variant, training.preset) for training in experiment.trainings))
    for variant, preset in pictures:
        trainings = [t for t in experiment.trainings if (t.variant, t.preset) == (variant, preset)]
        runs = {training.label: list(_runs(store, training, budget).values()) for training in trainings}
        curves = {label: median_of_top(rows) for label, rows in runs.items() if rows}
        suffix = "" if len({variant for variant, _ in pictures}) == 1 else f"-{variant}"
        path = folder / f"figure{suffix}{f'-{preset}' if preset else ''}.png"
        if curves:
            made.append(learning_curves(curves, path, ylabel=experiment.curve or "average return", log=experiment.log))
    return made


def _learning_numbers(experiment: Experiment, store: Store, budget: Budget) -> Path:
    """Returns and costs of all runs, and how often their policies bring the task's events about."""
    numbers: dict[str, Any] = {}
    earlier = _earlier(experiment, store, NUMBERS)
    for training in experiment.trainings:
        if runs := _runs(store, training, budget):
            events = event_numbers(store, training, runs, earlier.get(training.name, {}))
            numbers[training.name] = _run_numbers(training, runs) | events
    return store.write_numbers(experiment.name, NUMBERS, numbers)


def _runs(store: Store, training: Training, budget: Budget) -> dict[int, list[Row]]:
    return {seed: store.rows(training, seed) for seed in store.finished_seeds(training, budget)}


def median_of_top(runs: list[list[dict[str, float]]]) -> Curve:
    """Median, minimum and maximum of the returns of the best five runs (all, if fewer), iteration by iteration."""
    best = sorted(runs, key=score, reverse=True)[:TOP]
    length = min(len(rows) for rows in best)
    table = np.array([[row["mean_return"] for row in rows[:length]] for rows in best])
    known = ~np.isnan(table).any(axis=0)
    iteration = np.arange(1, length + 1)[known]
    table = table[:, known]
    spread = (table.min(0), table.max(0)) if len(best) > 1 else (None, None)
    return Curve(iteration, np.median(table, axis=0), *spread)


def _run_numbers(training: Training, runs: dict[int, list[dict[str, float]]]) -> dict[str, Any]:
    scores = {str(seed): score(rows) for seed, rows in runs.items()}
    return {
        "label": training.label,
        "seeds": len(runs),
        "iterations": min(len(rows) for rows in runs.values()),
        "final_return": scores,
        "final_return_top5_median": float(np.median(sorted(scores.values())[-TOP:])),
        "seconds": {str(seed): rows[-1]["seconds"] for seed, rows in runs.items()},
        "processor_seconds": {str(seed): rows[-1].get("processor_seconds") for seed, rows in runs.items()},
    }


def _contest(
    experiment: Experiment, contest: Contest, store: Store, budget: Budget, on_progress: Report | None, *, again: bool
) -> list[Path]:
    folder, made_from = store.experiment_folder(experiment.name), _compared(contest, store, budget)
    figure, shown = folder / "figure.png", folder / COMPARISON
    is_known = _earlier(experiment, store, COMPARISON).get("made_from") == made_from and figure.is_file()
    if is_known and not again:
        return [figure, shown, _each_run(experiment, contest, store, budget, on_progress, again=False)]
    entries: dict[str, list[Any]] = {
        training.label: [_policy(store, training)]
        for training in contest.trainings
        if store.policy_path(training).is_file()
    }
    entries |= {label: [name] for name, label in contest.controllers}
    result = compare(
        entries, _task(contest), num_agents=contest.agents, episodes=budget.episodes, progress=on_progress or False
    )
    result.draw(figure)
    store.write_numbers(experiment.name, COMPARISON, {"made_from": made_from, **result.summary()})
    done = budget.episodes * sum(len(panel.standings) for panel in result.panels)
    report = (lambda finished: on_progress(done + finished)) if on_progress is not None else None
    return [figure, shown, _each_run(experiment, contest, store, budget, report, again=again)]


def _compared(contest: Contest, store: Store, budget: Budget) -> str:
    """Everything that a comparison depends on, as a fingerprint."""
    paths = {training.label: store.policy_path(training) for training in contest.trainings}
    policies = {label: content_hash(path) for label, path in paths.items() if path.is_file()}
    settings = (_task(contest), contest.agents, contest.controllers, budget.episodes, GENERATION, policies)
    return hashlib.sha256(repr(settings).encode()).hexdigest()[:16]


def _each_run(
    experiment: Experiment, contest: Contest, store: Store, budget: Budget, report: Report | None, *, again: bool
) -> Path:
    known = _earlier(experiment, store, each_run.NAME)
    numbers = each_run.evaluate_each_run(contest, _task(contest), store, budget, known, report, again=again)
    return store.write_numbers(experiment.name, each_run.NAME, numbers)


def _task(contest: Contest) -> Task:
    return make(contest.variant, **({"horizon": contest.horizon} if contest.horizon else {}))


def _earlier(experiment: Experiment, store: Store, name: str) -> dict[str, Any]:
    """What a file holds that is made again now; nothing where it is damaged."""
    try:
        return store.read_numbers(experiment.name, name)
    except SwarmbedError:
        return {}


def _policy(store: Store, training: Training) -> NamedController:
    found = find(str(store.policy_path(training)))
    return NamedController(training.label, found.controller, found.task)
