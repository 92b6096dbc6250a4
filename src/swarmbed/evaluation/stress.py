"""How robust policies and controllers are: a sweep of each disturbance by itself, from equal starts.

All strengths of a disturbance run in one compiled program, as numbers in the state. Episode i has the same start at
every strength and for every policy, and the random numbers behind its disturbance are the same too: a stronger
disturbance loses the messages that a weaker one loses, and more.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from swarmbed.controllers.random import Random
from swarmbed.evaluation import statistics
from swarmbed.evaluation.entries import POLICIES, Who, common_task, misfit, named_runs
from swarmbed.evaluation.episodes import group_size, returns_runner
from swarmbed.evaluation.evaluate import Numbers
from swarmbed.evaluation.kept import Kept, fingerprint, is_table, task_fingerprint
from swarmbed.evaluation.progress import Report, reporting
from swarmbed.evaluation.reports import sizes_of
from swarmbed.evaluation.statistics import Estimate
from swarmbed.evaluation.stress_card import StressCard, Sweep
from swarmbed.learn import estimate
from swarmbed.policy.find import NamedController, choose_task
from swarmbed.spec.arguments import TASK, checked_arguments
from swarmbed.spec.errors import SwarmbedError, choose
from swarmbed.spec.files import write_atomically
from swarmbed.spec.settings import check_count, check_seed
from swarmbed.tasks import make
from swarmbed.tasks.base import Task
from swarmbed.tasks.disturbances.settings import BY_NAME, KINDS, Kind, undisturbed
from swarmbed.tasks.swarm import SwarmTask

EPISODES = 100
QUICK_EPISODES, QUICK_STEPS, QUICK_STRENGTHS = 16, 300, slice(0, None, 2)
BETWEEN_AGENTS = ("message_loss", "message_delay")  # these need other agents


@runtime_checkable
class Stepped(Protocol):
    """A policy that is run from outside, one step at a time, instead of inside a compiled program."""

    name: str

    def returns(self, task: Task, kind: Kind | None, index: Any, strength: Any, seed: int) -> Any:
        """The return of each episode."""

    def fingerprint(self) -> str:
        """What changes when the policy does."""


Runner = NamedController | Stepped


@checked_arguments(policies=POLICIES, task=TASK)
def stress(
    policies: Who | Stepped | Sequence[Who | Stepped] | Mapping[str, Any],
    task: Task | str | None = None,
    *,
    disturbances: Sequence[str] = (),
    num_agents: int | None = None,
    episodes: int | None = None,
    seed: int = 0,
    quick: bool = False,
    out: str | Path | None = None,
    progress: bool | Report = True,
) -> StressCard:
    """Sweep the strengths of every disturbance for several policies and controllers.

    ``policies`` are as in :func:`swarmbed.compare`: a list, or a dictionary from names to one or several runs.
    Without ``num_agents``, swarms are as large as the task's: where its ``sizes`` are mixed, every episode draws one.
    ``disturbances`` selects some by the names of their settings; left out: all that apply. With ``out``, a folder, the
    card is written there as ``card.json``, ``card.png`` and ``card.html``, and an interrupted sweep is resumed.
    ``quick`` uses fewer episodes, steps and strengths.

    >>> stress(["consensus"], "rendezvous-local", disturbances=["message_loss"], quick=True)  # doctest: +SKIP
    """
    entries = named_runs(policies, as_is=Stepped)
    base = _base(entries, make(task) if isinstance(task, str) else task, num_agents, quick)
    chosen = [disturbances] if isinstance(disturbances, str) else disturbances
    kinds = tuple(BY_NAME[choose("disturbance", name, list(BY_NAME))] for name in chosen) or applying(base)
    episodes = (QUICK_EPISODES if quick else EPISODES) if episodes is None else episodes
    check_count("episodes", episodes, 1)
    check_seed(seed)
    swept = {kind.name: strengths(kind, base, quick) for kind in kinds}
    _check_fit(entries, base)
    for kind in kinds:
        _check_fit(entries, turned_on(base, kind, max(swept[kind.name])), f" under {kind.name}")
    per_run = episodes * (1 + sum(len(values) for values in swept.values()))
    total = episodes + per_run * sum(len(runs) for runs in entries.values())
    estimate.check_episodes(base, total, group_size(total), base.horizon)
    with reporting(progress, total, "stress test") as report:
        bench = _Bench(base, episodes, seed, None if out is None else Path(out) / "parts", report)
        floor = bench.measure(NamedController("random", Random()), None, ())[0]
        plain = {name: np.stack([bench.measure(run, None, ())[0] for run in runs]) for name, runs in entries.items()}
        sweeps: dict[str, dict[str, Sweep]] = {}
        for kind in kinds:
            sweeps[kind.name] = {}
            for name, runs in entries.items():
                table = np.stack([bench.measure(run, kind, swept[kind.name]) for run in runs], axis=1)
                sweeps[kind.name][name] = _sweep(swept[kind.name], table, plain[name], floor)
    means = {name: Estimate(float(r.mean()), *statistics.mean_interval_over_runs(r)) for name, r in plain.items()}
    counts = {name: len(runs) for name, runs in entries.items()}
    card = StressCard(base, kinds, means, float(floor.mean()), sweeps, counts, episodes, seed)
    if out is not None:
        write_card(card, Path(out))
    return card


def write_card(card: StressCard, folder: Path) -> None:
    """The card as numbers, picture and page."""
    write_atomically(folder / "card.json", (json.dumps(card.summary(), indent=1, allow_nan=False) + "\n").encode())
    card.draw(folder / "card.png")
    card.write_page(folder / "card.html")


def applying(task: Task) -> tuple[Kind, ...]:
    """The disturbances that can make a difference on this task."""
    alone = task.num_agents < 2
    return tuple(kind for kind in KINDS if not (alone and kind.name in BETWEEN_AGENTS))


def strengths(kind: Kind, task: Task, quick: bool = False) -> tuple[float, ...]:
    """The strengths to try, without 0: at most half of the agents are contrary, but always one."""
    values = kind.sweep[QUICK_STRENGTHS] if quick else kind.sweep
    if kind.name == "contrary_agents":
        values = tuple(value for value in values if value <= max(1, min(sizes_of(task)) // 2))
    return values


class _Bench:
    """Runs a policy under a disturbance, and stores the outcome if there is a folder for it."""

    def __init__(self, task: Task, episodes: int, seed: int, folder: Path | None, report: Report | None) -> None:
        self.task, self.episodes, self.seed, self.report = task, episodes, seed, report
        self.kept = Kept(folder)
        self.finished = 0

    def measure(self, run: Runner, kind: Kind | None, values: Sequence[float]) -> Numbers:
        """The returns, (strengths, episodes); one row without a disturbance."""
        rows = max(len(values), 1)
        kind_name = None if kind is None else kind.name
        who = fingerprint(run) if isinstance(run, NamedController) else run.fingerprint()
        depends_on = [who, *task_fingerprint(self.task), self.episodes, self.seed, kind_name, list(values)]

        def returns() -> list[list[float]]:
            found = self._run(run, kind, values).reshape(rows, self.episodes)
            if not np.isfinite(found).all():
                under = "" if kind is None else f" under {kind.name}"
                raise SwarmbedError(f"{run.name} led to numbers that are not finite{under}")
            return found.tolist()

        name, shape = f"{run.name}-{kind_name or 'undisturbed'}", (rows, self.episodes)
        found = self.kept.outcome(name, depends_on, returns, lambda kept: is_table(kept, shape))
        self.finished += rows * self.episodes
        self._tell(0)
        return np.array(found, np.float64)

    def _run(self, run: Runner, kind: Kind | None, values: Sequence[float]) -> Numbers:
        index = np.tile(np.arange(self.episodes), max(len(values), 1))
        strength = np.repeat(np.asarray(values or (0.0,), np.float32), self.episodes)
        task = self.task if kind is None else turned_on(self.task, kind, max(values))
        if not isinstance(run, NamedController):
            return np.asarray(run.returns(task, kind, index, strength, self.seed), np.float64)
        disturbance = None if kind is None else kind.name
        play = returns_runner(choose_task(run, task), run.controller, self.seed, len(index), disturbance)
        inputs = (index,) if kind is None else (index, strength)
        return np.asarray(play(*inputs, on_progress=self._tell), np.float64)

    def _tell(self, more: int) -> None:
        if self.report is not None:
            self.report(self.finished + more)


def turned_on(task: Task, kind: Kind, strongest: float) -> Task:
    """The task with one disturbance on, up to a strength; which one an episode has is a number in its state."""
    span: Any = (0, int(strongest)) if kind.is_count else (0.0, float(strongest))
    return replace(task, **{kind.name: span})


def _base(entries: Mapping[str, Sequence[Runner]], task: Task | None, num_agents: int | None, quick: bool) -> Task:
    """The task without disturbances."""
    if task is None:
        known = {
            name: own for name, runs in entries.items() if (own := [r for r in runs if isinstance(r, NamedController)])
        }
        if not known:
            raise SwarmbedError("a policy from outside does not say what it was trained on; give the task")
        task = common_task(known)
    if not isinstance(task, SwarmTask):
        raise SwarmbedError(f"task {type(task).__name__} takes no disturbances; those that derive from SwarmTask do")
    task = replace(task if num_agents is None else task.resized(num_agents), **undisturbed(task))
    return replace(task, horizon=min(task.horizon, QUICK_STEPS)) if quick else task


def _check_fit(entries: Mapping[str, Sequence[Runner]], task: Task, under: str = "") -> None:
    """Raise an error that names who cannot run on a task, and why."""
    for name, runs in entries.items():
        known = [run for run in runs if isinstance(run, NamedController)]
        if (reason := misfit(known, task)) is not None:
            raise SwarmbedError(f"{name}{under}: {reason}")


def _sweep(values: Sequence[float], table: Numbers, plain: Numbers, floor: Numbers) -> Sweep:
    kept = statistics.share_kept(table, plain, floor)
    first = Estimate(1.0, 1.0, 1.0) if not np.isnan(kept[0].value) else kept[0]
    returns = (float(plain.mean()), *(float(row.mean()) for row in table))
    return Sweep((0.0, *map(float, values)), (first, *kept), returns)
