"""Where claims get their numbers from: the files under results/, run by run."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

from swarmbed.evaluation.comparison import standings_in
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.table import Row
from swarmbed.study import each_run, plan
from swarmbed.study.budget import Budget
from swarmbed.study.claims import Judgement, judge
from swarmbed.study.evaluated import evaluated_seeds
from swarmbed.study.experiments.base import Experiment, Training
from swarmbed.study.store import Store, run_name

BySeed = dict[int, float]


@dataclass(frozen=True)
class Source:
    """The results as one experiment plans them: runs beyond its number of seeds are not looked at."""

    store: Store
    budget: Budget
    experiment: Experiment
    study: Mapping[str, Experiment] = field(default_factory=plan.experiments)  # all experiments by name
    least_planned: int = 0  # runs of every method that are looked at, if the plan has fewer
    _kept: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)  # what was read from files

    def up_to(self, runs: int) -> Self:
        """The same results with at least so many runs of every method."""
        return replace(self, least_planned=runs)

    def planned(self, training: Training) -> int:
        return max(plan.seeds_of(self.experiment, training, self.budget, None), self.least_planned)

    def runs(self, training: Training) -> dict[int, list[Row]]:
        """Metrics of every finished run of the plan."""
        if training.name not in self._kept:
            seeds = self.store.finished_seeds(training, self.budget)
            self._kept[training.name] = {seed: self.store.rows(training, seed) for seed in seeds}
        return {seed: rows for seed, rows in self._kept[training.name].items() if seed < self.planned(training)}

    @cached_property
    def study_runs(self) -> dict[str, bool]:
        """Every run that the whole study plans, by its name in measurements: is it trained?"""
        every = self.study.values()
        missing = {str(job) for job in plan.missing(every, self.store, self.budget, None)}
        jobs = plan.wanted(every, self.budget, None)
        return {run_name(self.store.metrics_path(job.training, job.seed)): str(job) not in missing for job in jobs}

    def numbers(self, experiment: str) -> dict[str, Any]:
        """What was measured of an experiment's runs; empty before it was."""
        return self._read(experiment, "numbers.json")

    def reached(self, experiment: str, training: Training, agents: int, step: int) -> BySeed:
        """A contest's metric at a step, of every run's policy."""
        present = self.evaluated(experiment, training)
        curves = self.each_run(experiment).get("runs", {}).get(training.name, {}).get(str(agents), {})
        index = self._index(experiment, step) if curves else 0
        return {int(seed): curve[index] for seed, curve in curves.items() if int(seed) in present}

    def controller_reached(self, experiment: str, label: str, agents: int, step: int) -> float | None:
        """The same of a controller, which is not trained."""
        curve = self.each_run(experiment).get("controllers", {}).get(label, {}).get(str(agents))
        return curve[self._index(experiment, step)] if curve else None

    def returned(self, experiment: str, training: Training, agents: int) -> BySeed:
        """A contest's mean return, of every run's policy."""
        present = self.evaluated(experiment, training)
        returns = self.each_run(experiment).get("returns", {}).get(training.name, {}).get(str(agents), {})
        return {int(seed): value for seed, value in returns.items() if int(seed) in present}

    def controller_returned(self, experiment: str, label: str, agents: int) -> float | None:
        """The same of a controller, which is not trained."""
        found: float | None = self.each_run(experiment).get("controller_returns", {}).get(label, {}).get(str(agents))
        return found

    def standing(self, experiment: str, label: str, agents: int) -> dict[str, Any]:
        """What the contest itself measured of an entry, with intervals over episodes; empty before it did."""
        panels = self._read(experiment, "evaluation.json").get("panels", [])
        return next((standings_in(p).get(label, {}) for p in panels if p["agents"] == agents), {})

    def each_run(self, experiment: str) -> dict[str, Any]:
        return self._read(experiment, each_run.NAME)

    def evaluated(self, contest: str, training: Training) -> set[int]:
        """Seeds of the finished runs of the plan that a contest evaluated with the policy that they have now."""
        if (key := f"evaluated in {contest}") not in self._kept:
            experiment = self.experiment if contest == self.experiment.name else self.study[contest]
            self._kept[key] = evaluated_seeds(experiment, self.each_run(contest), self.store, self.budget)
        return self.runs(training).keys() & self._kept[key].get(training.name, [])

    def _index(self, experiment: str, step: int) -> int:
        return int(self.each_run(experiment)["steps"].index(step))

    def _read(self, experiment: str, name: str) -> dict[str, Any]:
        if (key := f"{experiment}/{name}") not in self._kept:
            self._kept[key] = self.store.read_numbers(experiment, name)
        found: dict[str, Any] = self._kept[key]
        return found


def judgements(experiment: Experiment, store: Store, budget: Budget) -> list[Judgement]:
    """Every claim of an experiment, judged by the current results."""
    source = Source(store, budget, experiment)
    try:
        return [judge(claim, source) for claim in experiment.claims]
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        # JSON, but not what an experiment writes.
        where = store.experiment_folder(experiment.name)
        raise SwarmbedError(f"a file of numbers in {where} is damaged ({error!r}); --redraw makes it again") from error
