"""How far policies carry: each is run with swarms of many sizes, whatever size it was trained with.

All run from equal starts. The world is either that of the task at every size, which gets crowded, or it grows
with the swarm, so an agent has about as many neighbours as before. Large swarms get fewer episodes: a cell of the
matrix may take a budget of agent-steps (agents × time steps × episodes).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from swarmbed.controllers.random import Random
from swarmbed.evaluation import statistics
from swarmbed.evaluation.entries import POLICIES, Who, common_task, misfit, named_runs
from swarmbed.evaluation.evaluate import Numbers, evaluate
from swarmbed.evaluation.kept import Kept, fingerprint, task_fingerprint
from swarmbed.evaluation.progress import Report, reporting
from swarmbed.evaluation.statistics import Estimate
from swarmbed.evaluation.transfer_matrix import DENSITIES, NOT_YET, Cell, TransferMatrix, trained_with
from swarmbed.policy.find import NamedController, choose_task
from swarmbed.spec.arguments import TASK, checked_arguments
from swarmbed.spec.errors import SwarmbedError, choose
from swarmbed.spec.files import write_atomically
from swarmbed.spec.registry import task_name
from swarmbed.spec.settings import check_count
from swarmbed.tasks import make
from swarmbed.tasks.base import Task

SIZES, QUICK_SIZES = (5, 10, 20, 50, 100, 300, 1000), (5, 20, 100)
EPISODES, QUICK_EPISODES, LEAST = 200, 16, 8
AGENT_STEPS = 2**22  # of a cell: 200 episodes of 1024 steps with 20 agents
QUICK_STEPS = 300


@checked_arguments(policies=POLICIES, task=TASK)
def transfer(
    policies: Who | Sequence[Who] | Mapping[str, Who | Sequence[Who]],
    task: Task | str | None = None,
    *,
    num_agents: Sequence[int] | None = None,
    density: str = "growing",
    episodes: int | None = None,
    agent_steps: int = AGENT_STEPS,
    seed: int = 0,
    quick: bool = False,
    so_far: bool = False,
    out: str | Path | None = None,
    progress: bool | Report = True,
) -> TransferMatrix:
    """Run policies and controllers with swarms of several sizes, from equal starts, and put them into one matrix.

    ``policies`` are as in :func:`swarmbed.compare`: a list, or a dictionary from names to one or several trainings.
    ``num_agents`` lists the sizes. ``density`` is ``"growing"`` (the world stays the task's) or ``"constant"`` (its
    area grows with the swarm, from the task's own number of agents on). A size gets ``episodes`` episodes, or as many
    as ``agent_steps`` allow, but at least 8. With ``out``, a folder, the matrix is written there as ``transfer.json``,
    ``transfer.png`` and ``transfer.txt``, and what an interrupted call has measured is taken up again. ``quick`` looks
    at fewer sizes, episodes and steps. ``so_far`` measures nothing and shows what there is in ``out``.

    >>> transfer(["consensus"], "rendezvous-local", quick=True)  # doctest: +SKIP
    """
    entries: dict[str, list[NamedController]] = named_runs(policies)
    base = make(task) if isinstance(task, str) else task if task is not None else common_task(entries)
    if not entries:
        raise SwarmbedError("transfer needs at least one policy or controller")
    base = replace(base, horizon=min(base.horizon, QUICK_STEPS)) if quick else base
    choose("density", density, DENSITIES)
    sizes = sorted(set(num_agents or (QUICK_SIZES if quick else SIZES)))
    most = (QUICK_EPISODES if quick else EPISODES) if episodes is None else episodes
    for name, number in [("episodes", most), ("agent_steps", agent_steps), *(("num_agents", size) for size in sizes)]:
        check_count(name, number, 1)
    check_count("seed", seed, 0)
    if so_far and out is None:
        raise SwarmbedError("so_far shows what there is in a folder: give out")
    tasks = {size: task_of(base, size, density) for size in sizes}
    missing = {name: {n: why for n, t in tasks.items() if (why := misfit(runs, t))} for name, runs in entries.items()}
    for name, reasons in missing.items():
        if len(reasons) == len(sizes):
            raise SwarmbedError(f"{name}: {next(iter(reasons.values()))}")
    counts = {size: episodes_of(tasks[size], most, agent_steps) for size in sizes}
    floor = NamedController("random", Random())
    runs_at = {n: 1 + sum(len(runs) for name, runs in entries.items() if n not in missing[name]) for n in sizes}
    work = sum(counts[n] * n * runs_at[n] for n in sizes)  # in units of agents × episodes
    with reporting(progress, work, "transfer") as report:
        bench = _Bench(seed, Kept(None if out is None else Path(out) / "parts"), so_far, report)
        cells: dict[str, dict[int, Cell]] = {name: {} for name in entries}
        floors = {}
        for size in sizes:
            if (found := bench.cell([floor], tasks[size], counts[size])) is None:
                continue
            floors[size] = found
            for name in (name for name in entries if size not in missing[name]):
                if (found := bench.cell(entries[name], tasks[size], counts[size])) is None:
                    missing[name][size] = NOT_YET
                else:
                    cells[name][size] = found
    if so_far:
        tasks, cells = {n: tasks[n] for n in floors}, {name: row for name, row in cells.items() if row}
        if not cells:
            raise SwarmbedError(f"nothing was measured in {out} with these settings so far")
    trained = {name: trained_with([run.task for run in entries[name]]) for name in cells}
    missing = {name: missing[name] for name in cells}
    matrix = TransferMatrix(base, density, tasks, counts, trained, cells, missing, floors, seed)
    if out is not None:
        write_matrix(matrix, Path(out))
    return matrix


def write_matrix(matrix: TransferMatrix, folder: Path) -> None:
    """The matrix as numbers, picture and text."""
    report = json.dumps(matrix.summary(), indent=1, allow_nan=False)
    write_atomically(folder / "transfer.json", f"{report}\n".encode())
    matrix.draw(folder / "transfer.png")
    write_atomically(folder / "transfer.txt", f"{matrix}\n".encode())


def task_of(base: Task, size: int, density: str) -> Task:
    """The task with so many agents, in its own world or in one with as many agents per area."""
    task = base.resized(size)
    if density == "growing":
        return task
    sides = [name for name in ("width", "height") if name in {field.name for field in fields(task)}]
    if len(sides) < 2:
        raise SwarmbedError(f"task {task_name(base)!r} has no width and height, so its density cannot be kept constant")
    factor = (size / base.num_agents) ** 0.5
    return replace(task, **{name: getattr(base, name) * factor for name in sides})


def episodes_of(task: Task, most: int, agent_steps: int) -> int:
    """As many as the budget allows, at most those asked for and at least 8 of these."""
    return min(most, max(LEAST, agent_steps // (task.num_agents * task.horizon)))


class _NotMeasured(Exception):  # noqa: N818  not an error
    """There is no outcome yet, and nothing is to be measured."""


class _Bench:
    """Runs policies with one size of swarm after the other, remembers the outcomes, and says how far it is."""

    def __init__(self, seed: int, kept: Kept, so_far: bool, report: Report | None) -> None:
        self.seed, self.kept, self.so_far, self.report, self.finished = seed, kept, so_far, report, 0

    def cell(self, runs: Sequence[NamedController], task: Task, episodes: int) -> Cell | None:
        """What all trainings of one method reach; None where that is not known and nothing is to be measured."""
        try:
            found = [self._run(run, choose_task(run, task), episodes) for run in runs]
        except _NotMeasured:
            return None
        metric = task.headline
        finals = None if metric is None else np.array([one["finals"] for one in found], np.float64)
        return Cell(
            mean_estimate(np.array([one["returns"] for one in found], np.float64)),
            None if finals is None or metric is None else mean_estimate(finals, is_share=metric.is_share),
            tuple(float(np.mean(one["returns"])) for one in found),
            sum(int(np.count_nonzero(one["overlooked"])) for one in found),
        )

    def _run(self, run: NamedController, task: Task, episodes: int) -> dict[str, Any]:
        def outcome() -> dict[str, Any]:
            if self.so_far:
                raise _NotMeasured
            tell = False if self.report is None else self._tell(task.num_agents)
            found = evaluate(run, task, episodes=episodes, seed=self.seed, progress=tell)
            metric = task.headline
            return {
                "returns": found.returns.tolist(),
                "finals": None if metric is None else found.curves[metric.curve][:, -1].tolist(),
                "overlooked": found.overlooked.tolist(),
            }

        # Episode i is the same however many there are, so that an outcome of more episodes holds that of fewer.
        enough = lambda found: len(found["returns"]) >= episodes  # noqa: E731
        depends_on = [fingerprint(run), *task_fingerprint(task), self.seed]
        found = self.kept.outcome(f"{run.name}-{task.num_agents}", depends_on, outcome, enough)
        self.finished += episodes * task.num_agents
        self._tell(0)(0)
        return {name: values and values[:episodes] for name, values in found.items()}

    def _tell(self, agents: int) -> Report:
        return lambda more: None if self.report is None else self.report(self.finished + more * agents)


def mean_estimate(values: Numbers, *, is_share: bool = False) -> Estimate:
    """The mean of a table (runs, episodes) with its bootstrap interval over runs and starts."""
    interval = statistics.share_interval_over_runs if is_share else statistics.mean_interval_over_runs
    return Estimate(float(values.mean()), *(float(bound) for bound in interval(values)))
