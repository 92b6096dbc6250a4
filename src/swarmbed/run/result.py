"""The result of training: policies, one row of numbers per iteration, and a plot of them."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from swarmbed.draw.curves import Curve
from swarmbed.draw.figures import learning_figure, training_figure
from swarmbed.draw.shown import Shown
from swarmbed.policy.policy import Policy
from swarmbed.spec.table import Row

LAST = 10  # iterations over which the end of a learning curve is averaged


@dataclass(frozen=True)
class TrainingResult:
    """One run: its folder, its last and its best policy, and one row per iteration (``pandas.DataFrame(metrics)``)."""

    folder: Path
    policy: Policy
    best_policy: Policy
    metrics: list[Row]

    def __repr__(self) -> str:
        end = f"{len(self.metrics)} iterations, final_return={self.final_return:.4g}"
        return f"{type(self).__name__}({str(self.folder)!r}, {end})"

    @property
    def final_return(self) -> float:
        """The mean return of the last iterations; −∞ where no episode ended in them."""
        known = [row["mean_return"] for row in self.metrics[-LAST:] if not math.isnan(row["mean_return"])]
        return float(np.mean(known)) if known else -math.inf

    def plot(self) -> Shown:
        """The learning curve, with everything else the run logged below it. A notebook displays it."""
        columns = {name: np.array([row.get(name, math.nan) for row in self.metrics]) for name in self.metrics[0]}
        return Shown(training_figure(columns, self.policy.task.metrics))


@dataclass(frozen=True)
class TrainingResults:
    """Runs of one learner with several seeds, in the order of the seeds."""

    folder: Path
    runs: tuple[TrainingResult, ...]
    seeds: tuple[int, ...]

    def __repr__(self) -> str:
        ends = ", ".join(f"{run.final_return:.4g}" for run in self.runs)
        return f"{type(self).__name__}({str(self.folder)!r}, seeds={self.seeds}, final returns {ends})"

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self) -> Iterator[TrainingResult]:
        return iter(self.runs)

    @property
    def policies(self) -> list[Policy]:
        """The last policy of every seed."""
        return [run.policy for run in self.runs]

    @property
    def best_run(self) -> TrainingResult:
        """The run whose learning curve ends highest."""
        return max(self.runs, key=lambda run: run.final_return)

    @property
    def policy(self) -> Policy:
        """The last policy of the best run."""
        return self.best_run.policy

    @property
    def best_policy(self) -> Policy:
        """The best policy of the best run."""
        return self.best_run.best_policy

    @property
    def metrics(self) -> list[Row]:
        """The rows of all runs, each with its seed."""
        return [{"seed": seed, **row} for seed, run in zip(self.seeds, self.runs, strict=True) for row in run.metrics]

    def plot(self) -> Shown:
        """The median of all seeds and a band from the worst to the best of them. A notebook displays it."""
        length = min(len(run.metrics) for run in self.runs)
        table = np.array([[row["mean_return"] for row in run.metrics[:length]] for run in self.runs])
        known = np.isfinite(table).any(axis=0)
        iterations, table = np.arange(1, length + 1)[known], table[:, known]
        curve = Curve(iterations, np.nanmedian(table, 0), np.nanmin(table, 0), np.nanmax(table, 0))
        log = bool(table.size) and bool((table[np.isfinite(table)] < 0).all())
        name = f"median and range of {len(self.runs)} seeds"
        return Shown(learning_figure({name: curve}, ylabel="mean return of an episode", log=log, xlabel="iteration"))
