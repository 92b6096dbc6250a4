"""A study made by hand: files of runs and evaluations with numbers that a test chooses."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from metrics_files import write_metrics
from swarmbed.study.budget import Budget
from swarmbed.study.claim_source import Source
from swarmbed.study.claims import Claim, Judgement, Statement, judge
from swarmbed.study.experiments.base import Experiment, Training, training
from swarmbed.study.store import Store

ONE_ITERATION = Budget("tiny", 0.001, 2)
METHODS = {slug: training("pursuit-global", slug, slug.upper(), "basic") for slug in ("a", "b", "c")}
A, B, C = METHODS.values()


class Study:
    """Results in a folder, for an experiment that plans so many seeds."""

    def __init__(self, folder: Path, planned: int = 5, trainings: tuple[Training, ...] = (A, B, C)) -> None:
        self.store = Store(folder, folder / "work")
        self.experiment = Experiment("made-up", "made up", (), trainings=trainings, seeds=planned)

    def returns(self, method: Training, values: Sequence[float]) -> None:
        """One run of one iteration for each return."""
        for seed, value in enumerate(values):
            write_metrics(self.store.metrics_path(method, seed), {"mean_return": value})

    def policies(self, method: Training, runs: int) -> dict[str, str]:
        """A file in place of each run's policy, and a run where there is none; returns the hashes by seed."""
        for seed in range(runs):
            metrics, policy = self.store.metrics_path(method, seed), self.store.run_policy_path(method, seed)
            if not metrics.is_file():
                write_metrics(metrics, {"mean_return": -1.0})
            if not policy.is_file():
                policy.write_text(f"policy of {method.name}, seed {seed}")
        paths = {str(seed): self.store.run_policy_path(method, seed) for seed in range(runs)}
        return {seed: hashlib.sha256(path.read_bytes()).hexdigest() for seed, path in paths.items()}

    def shares(self, **caught: Sequence[float]) -> None:
        """Runs of a, b, … whose greedy policies catch in these shares of their episodes."""
        for slug, values in caught.items():
            self.returns(METHODS[slug], [-1.0] * len(values))
        self.numbers(
            {
                METHODS[slug].name: {
                    "final_return": {str(seed): -1.0 for seed in range(len(values))},
                    "captured_soon_share": {str(seed): share for seed, share in enumerate(values)},
                }
                for slug, values in caught.items()
            }
        )

    def numbers(self, numbers: dict[str, Any]) -> None:
        self.store.write_numbers("made-up", "numbers.json", numbers)

    def reached(self, controller: float = 0.5, **runs: Mapping[int, Sequence[float]]) -> None:
        """What single policies of a, b, … reach at step 10, by size of swarm and seed; nothing at step 0."""
        curves = {
            METHODS[slug].name: {
                str(agents): {str(seed): [0.0, value] for seed, value in enumerate(values)}
                for agents, values in sizes.items()
            }
            for slug, sizes in runs.items()
        }
        policies = {
            METHODS[slug].name: self.policies(METHODS[slug], max(map(len, sizes.values())))
            for slug, sizes in runs.items()
        }
        controllers = {"Voronoi": {"10": [0.0, controller]}}
        self.each_run({"policies": policies, "steps": [0, 10], "runs": curves, "controllers": controllers})

    def returned(self, controller: float, **runs: Sequence[float]) -> None:
        """The mean returns of single policies of a, b, … with 10 agents."""
        returns = {
            METHODS[slug].name: {"10": {str(seed): value for seed, value in enumerate(values)}}
            for slug, values in runs.items()
        }
        policies = {METHODS[slug].name: self.policies(METHODS[slug], len(values)) for slug, values in runs.items()}
        controllers = {"Voronoi": {"10": controller}}
        self.each_run({"policies": policies, "returns": returns, "controller_returns": controllers})

    @property
    def each_run_path(self) -> Path:
        return self.store.experiment_folder("made-up") / "each_run.json"

    def each_run(self, made: dict[str, Any]) -> None:
        self.each_run_path.parent.mkdir(parents=True, exist_ok=True)
        self.each_run_path.write_text(json.dumps(made))

    def judge(self, statement: Statement) -> Judgement:
        study = {self.experiment.name: self.experiment}
        return judge(Claim("made up", statement), Source(self.store, ONE_ITERATION, self.experiment, study))
