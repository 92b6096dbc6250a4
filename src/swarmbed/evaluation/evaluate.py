"""Running a policy or controller through many episodes, from the same starts for all of them.

Episode i of a seed starts from the same state and has the same random events, for any policy, any number of episodes
and any number of devices. The results are kept per episode, so policies can be compared in pairs.
"""

import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from swarmbed.controllers.base import Controller
from swarmbed.evaluation import reports, statistics
from swarmbed.evaluation.episodes import group_size, runner
from swarmbed.evaluation.progress import Report, reporting
from swarmbed.learn import estimate
from swarmbed.policy.find import NamedController, as_named_controller, choose_task
from swarmbed.spec import settings
from swarmbed.spec.arguments import TASK, WHO, checked_arguments
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.registry import task_name
from swarmbed.spec.settings import check_count, check_seed
from swarmbed.tasks import make
from swarmbed.tasks.base import Goal, Metric, Task

EPISODES = 1000

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Evaluation:
    """What one policy or controller did: one entry per episode, and per time step where there is a second axis."""

    name: str
    task: Task
    seed: int
    stochastic: bool
    seconds: float
    returns: Numbers
    lengths: NDArray[np.int64]
    metrics: dict[str, Numbers]
    overlooked: NDArray[np.int64]  # neighbours without a slot in an agent's set, over all steps

    @property
    def remark(self) -> str | None:
        """A caveat about these numbers; None if there is none."""
        if not self.overlooked.any():
            return None
        return (
            f"In {int((self.overlooked > 0).sum())} of {self.episodes} episodes agents had more neighbours than the "
            f"{getattr(self.task, 'slots', 0)} slots of their sets and overlooked the rest; raise "
            "--neighbour-slots (neighbour_slots in Python)."
        )

    @property
    def episodes(self) -> int:
        return len(self.returns)

    @cached_property
    def curves(self) -> dict[str, Numbers]:
        """The metrics over time, (episodes, horizon + 1), as they are reported; the one that matters most comes first.

        An event called ``captured`` is reported as ``captured_by``: whether it had happened by then. A count called
        ``captures`` as ``captures_by``: how many there were until then (a start holds none). Levels keep their name.
        """
        reported: dict[str, Numbers] = {}
        for metric in self.task.metrics:
            values = self.metrics[metric.name]
            if metric.kind == "event":
                values = np.maximum.accumulate(values, axis=1)
            elif metric.kind == "count":
                step = np.arange(values.shape[1])
                # After its end an episode holds its last state, which counts once.
                counts = (step > 0) & (step <= self.lengths[:, None])
                values = np.cumsum(np.where(counts, values, 0.0), axis=1)
            reported[metric.curve] = values
        return reported

    @property
    def headline(self) -> Metric | None:
        """The metric that says most about this task; None if the task measures nothing over time."""
        return self.task.headline

    def summary(self) -> dict[str, Any]:
        """Means over the episodes, each with a 95 % interval beside it, ready to be written as JSON: bootstrapped, and
        Wilson's for the share of episodes in which an event has happened."""
        report: dict[str, Any] = {
            "name": self.name,
            "task": task_name(self.task),
            "settings": settings.as_dict(self.task),
            "agents": self.task.num_agents,
            "episodes": self.episodes,
            "seed": self.seed,
            "stochastic": self.stochastic,
            "seconds": round(self.seconds, 3),
        }
        if (remark := self.remark) is not None:
            report |= {"overlooked": int(self.overlooked.sum()), "remark": remark}
        numbers = {"return_mean": self.returns, "length_mean": self.lengths, **self.curves}
        counts = [metric for metric in self.task.metrics if metric.kind == "count"]
        numbers |= {f"{metric.name}_mean": self.curves[metric.curve][:, -1] for metric in counts}
        shares = {metric.curve for metric in self.task.metrics if metric.kind == "event"}
        for name, values in numbers.items():
            bounds = statistics.share_interval(values) if name in shares else statistics.mean_interval(values)
            report[name] = reports.plain(values.mean(axis=0))
            report[f"{name}_ci"] = [reports.plain(bound) for bound in bounds]
        for metric, goal in self._goals():
            final = self.curves[metric.curve][:, -1]
            reached = int((final > goal.value if metric.better == "higher" else final < goal.value).sum())
            report[goal.name] = reached / self.episodes
            bounds = statistics.wilson_interval(reached, self.episodes)
            report[f"{goal.name}_ci"] = [reports.plain(bound) for bound in bounds]
        return report

    def table(self) -> Table:
        """The return, and what matters on this task at a few points in time."""
        summary = self.summary()
        table = reports.plain_table()
        table.add_column("")
        table.add_column("mean", justify="right")
        table.add_column("95 % interval", justify="right")
        table.add_row("return", reports.number(summary["return_mean"]), reports.interval(*summary["return_mean_ci"]))
        if (metric := self.headline) is not None:
            show = reports.percent if metric.is_share else reports.number
            lows, highs = summary[f"{metric.curve}_ci"]
            for step in reports.steps_to_show(metric, self.task.horizon):
                bounds = reports.interval(lows[step], highs[step], share=metric.is_share)
                table.add_row(metric.label_at(step), show(summary[metric.curve][step]), bounds)
        for _, goal in self._goals():
            bounds = reports.interval(*summary[f"{goal.name}_ci"], share=True)
            table.add_row(goal.label, reports.percent(summary[goal.name]), bounds)
        return table

    @property
    def title(self) -> str:
        how = "sampled actions" if self.stochastic else "greedy"
        return (
            f"{self.name} on {task_name(self.task)}: {reports.sizes_text(reports.sizes_of(self.task))} agents, "
            f"{self.episodes} episodes, "
            f"seed {self.seed}, {how}, {self.seconds:.1f} s"
        )

    def __str__(self) -> str:
        text = reports.as_text(self.title, self.table())
        return text if self.remark is None else f"{text}\n{self.remark}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return reports.as_html(self.title, self.table())

    def _goals(self) -> list[tuple[Metric, Goal]]:
        return [(metric, metric.goal) for metric in self.task.metrics if metric.goal is not None]


@checked_arguments(who=WHO, task=TASK)
def evaluate(
    who: str | Path | Controller | NamedController,
    task: Task | str | None = None,
    *,
    episodes: int = EPISODES,
    seed: int = 0,
    num_agents: int | None = None,
    stochastic: bool = False,
    progress: bool | Report = True,
) -> Evaluation:
    """Run ``who`` through ``episodes`` episodes of a task.

    ``who`` is a run folder, a policy file, a shipped policy's name, a controller's name, a policy or a controller.
    ``task`` defaults to what a policy was trained on, else to the first task that fits. ``num_agents`` changes the size
    of the swarm. Policies act greedily unless ``stochastic``. ``progress`` shows a bar, or is a function that is called
    with the number of episodes that have ended.

    >>> print(evaluate("consensus", episodes=100))  # doctest: +SKIP
    """
    named = as_named_controller(who, stochastic=stochastic)
    chosen = choose_task(named, make(task) if isinstance(task, str) else task)
    chosen = chosen if num_agents is None else chosen.resized(num_agents)
    named.controller.check(chosen)
    check_count("episodes", episodes, 1)
    check_seed(seed)
    estimate.check_episodes(chosen, episodes, group_size(episodes), chosen.horizon)
    began = time.perf_counter()
    with reporting(progress, episodes, f"running {named.name}") as report:
        outcome = runner(chosen, named.controller, seed, episodes)(np.arange(episodes), on_progress=report)
    returns, lengths, metrics, is_finite, overlooked = outcome
    if not is_finite.all():
        culprit = int(np.argmin(is_finite))
        raise SwarmbedError(f"{named.name} led to numbers that are not finite in episode {culprit}")
    for name, values in metrics.items():
        if not np.isfinite(values).all():
            culprit, step = np.argwhere(~np.isfinite(values))[0]
            raise SwarmbedError(f"{task_name(chosen)}: {name} is not finite in step {step} of episode {culprit}")
    seconds = time.perf_counter() - began
    return Evaluation(
        named.name,
        chosen,
        seed,
        getattr(named.controller, "stochastic", False),
        seconds,
        returns.astype(np.float64),
        lengths.astype(np.int64),
        {name: values.astype(np.float64) for name, values in metrics.items()},
        overlooked.astype(np.int64),
    )
