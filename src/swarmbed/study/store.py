"""Where results live: compact files to keep (and commit), and the run folders behind them.

results/runs/TRAINING/seed-K.csv          metrics of every run
results/runs/TRAINING/seed-K.toml         its settings, and the version and commit that ran it
results/runs/TRAINING/seed-K.safetensors  its last policy, unless that is shipped with the package
results/EXPERIMENT/…                      figure, numbers
"""

import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from swarmbed.policy.files import load_policy_file, save_policy
from swarmbed.policy.headers import notes_of, shipped_policies
from swarmbed.run.folder import RunFolder, is_flat, read_rows
from swarmbed.run.train import learner_from
from swarmbed.spec import config
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.files import read_json, write_atomically
from swarmbed.spec.table import Row
from swarmbed.study import generation
from swarmbed.study.budget import Budget
from swarmbed.study.experiments.base import Training

TAIL = 10  # iterations whose mean return is a run's score


class Store:
    """Results in one folder, work in another."""

    def __init__(self, results: Path, work: Path) -> None:
        self.results, self.work = results, work

    def run_folder(self, training: Training, seed: int) -> RunFolder:
        # Code that gives other numbers starts over instead of continuing where earlier code stopped.
        earlier = "" if generation.GENERATION == 1 else f"-generation-{generation.GENERATION}"
        return RunFolder(self.work / training.name / f"seed-{seed}{earlier}")

    def metrics_path(self, training: Training, seed: int) -> Path:
        return self.results / "runs" / training.name / f"seed-{seed}.csv"

    def own_policy_path(self, training: Training, seed: int) -> Path:
        """Where the last policy of a run is kept unless it ships."""
        return self.metrics_path(training, seed).with_suffix(".safetensors")

    def run_policy_path(self, training: Training, seed: int) -> Path:
        """The last policy of a run. A policy that ships with the package is not kept a second time.

        Which run a shipped policy comes from is read from its notes: a name may stand for the best run of a method,
        whatever its settings were.
        """
        own = self.own_policy_path(training, seed)
        if not own.is_file():
            run = (str(seed), noted(score(self.rows(training, seed))))
            for shipped in (path for name, path in shipped_policies().items() if name.startswith(training.variant)):
                notes = notes_of(shipped)
                if (notes.get("seed"), notes.get("score")) == run:
                    return shipped
        return own

    def policy_path(self, training: Training) -> Path:
        """The policy of the method's best run."""
        seeds = self.seeds(training)
        return self.run_policy_path(training, self.best_of(training, seeds) if seeds else 0)

    def best_of(self, training: Training, seeds: Sequence[int]) -> int:
        return max(seeds, key=lambda seed: score(self.rows(training, seed)))

    def seeds(self, training: Training) -> list[int]:
        """The seeds of all runs that are kept, long enough or not."""
        folder = self.results / "runs" / training.name
        return sorted(int(path.stem.removeprefix("seed-")) for path in folder.glob("seed-*.csv"))

    def experiment_folder(self, name: str) -> Path:
        return self.results / name

    def finished_seeds(self, training: Training, budget: Budget) -> list[int]:
        """Seeds whose run is long enough, or whose curve was flat before, and that code of today's generation made."""
        path = lambda seed: self.metrics_path(training, seed).with_suffix(".toml")  # noqa: E731
        seeds = [seed for seed in self.seeds(training) if generation.made_by(path(seed)).counts]
        return [seed for seed in seeds if self.is_long_enough(self.rows(training, seed), training, budget)]

    def is_long_enough(self, rows: list[Row], training: Training, budget: Budget) -> bool:
        return len(rows) >= budget.iterations(training) or is_flat([row["mean_return"] for row in rows])

    def rows(self, training: Training, seed: int) -> list[Row]:
        """Metrics of a run that was harvested."""
        return read_rows(self.metrics_path(training, seed))

    def prepare(self, training: Training, seed: int, budget: Budget) -> RunFolder:
        """A run folder that can be resumed, whether it has begun or not."""
        folder = self.run_folder(training, seed)
        wanted = budget.config(training, seed)
        if not folder.config.is_file():
            folder.path.mkdir(parents=True, exist_ok=True)
            learner = learner_from({k: v for k, v in wanted.items() if k != "run"})
            folder.write_config(config.to_sections(learner.specs) | {"run": wanted["run"]})
        return folder

    def harvest(self, training: Training, seed: int) -> None:
        """Store what is worth keeping of a finished run. Its metrics come last: with them it counts as kept, so after a
        crash on the way it is harvested again."""
        folder = self.run_folder(training, seed)
        target = self.metrics_path(training, seed)
        notes = {"seed": str(seed), "score": noted(score(folder.read_metrics())), "label": training.label}
        save_policy(load_policy_file(folder.policy), self.own_policy_path(training, seed), notes)
        settings = config.dump(folder.read_config()) + f"\n{generation.stamp(commit())}\n"
        write_atomically(target.with_suffix(".toml"), settings.encode())
        write_atomically(target, folder.metrics.read_bytes())

    def write_numbers(self, experiment: str, name: str, numbers: dict[str, Any]) -> Path:
        path = self.experiment_folder(experiment) / name
        write_atomically(path, (compact_json(numbers) + "\n").encode())
        return path

    def read_numbers(self, experiment: str, name: str) -> dict[str, Any]:
        """What was written before; nothing where there is no such file."""
        path = self.experiment_folder(experiment) / name
        found = read_json(path) if path.is_file() else {}
        if not isinstance(found, dict):
            raise SwarmbedError(f"file {path} is damaged: it holds no numbers by name")
        return found


def compact_json(numbers: dict[str, Any]) -> str:
    """Readable, but a curve takes one line instead of a thousand."""
    # No string holds a bare line break, so only lists begin like this.
    return re.sub(r"\[\n[^\[\]{}]*\]", lambda found: " ".join(found.group().split()), json.dumps(numbers, indent=1))


def run_name(metrics: Path) -> str:
    """What a run is called in a measurement of many: its training and its seed."""
    return f"{metrics.parent.name} {metrics.stem}"


def score(rows: list[Row]) -> float:
    """Mean return of the last iterations in which episodes ended; −∞ for a run without any."""
    mean = mean_of_last(rows, "mean_return")
    return -np.inf if np.isnan(mean) else mean


def noted(value: float) -> str:
    """A score as it stands in the notes of a policy file."""
    return f"{value:.6g}"


def mean_of_last(rows: list[Row], column: str) -> float:
    """Mean of a column over the last iterations in which episodes ended; NaN for a run without any."""
    known = [row[column] for row in rows if not np.isnan(row[column])]
    return float(np.mean(known[-TAIL:])) if known else np.nan


def commit() -> str:
    """The commit of the source tree, if there is one."""
    where = Path(__file__).parent
    answer = subprocess.run(
        ["git", "-C", str(where), "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=False
    )
    return answer.stdout.strip() or "unknown"
