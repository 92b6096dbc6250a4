"""What to do next to decide open claims soon: train a run, or evaluate runs that a claim waits for."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from swarmbed.study import plan
from swarmbed.study.budget import Budget
from swarmbed.study.claim_source import judgements
from swarmbed.study.claims import Judgement, Part
from swarmbed.study.experiments.base import Experiment
from swarmbed.study.looks import LEAST_RUNS
from swarmbed.study.plan import Evaluation, Job, Work
from swarmbed.study.prospects import prospect
from swarmbed.study.store import Store

UNKNOWN_SECONDS = 3600.0  # what a run is taken to cost where nothing like it was ever run

Judged = list[tuple[Experiment, list[Judgement]]]


@dataclass
class Candidate:
    """A run that is missing, what it costs, and how much of the open claims it is expected to settle."""

    job: Job
    seconds: float
    settles: float = 0.0

    @property
    def worth(self) -> float:
        """Claims per second of one processor."""
        return self.settles / self.seconds


def judged(which: Sequence[Experiment], store: Store, budget: Budget) -> Judged:
    return [(experiment, judgements(experiment, store, budget)) for experiment in which]


def candidates(known: Judged, store: Store, budget: Budget, under_way: Sequence[Work] = ()) -> list[Candidate]:
    """The next run of every method that an open claim waits for, the most worth first.

    Each run that an open part lacks to its next test settles an equal share of what that test is expected to settle:
    the whole claim if the part fails; if it holds, as much of the claim as one of its open parts is. A claim with a
    part that all its runs left open can only fail.
    """
    found: dict[str, Candidate] = {}
    for experiment, claims in known:
        trainings = {training.name: training for training in experiment.trainings}
        for judgement in claims:
            for part in judgement.open_parts:
                lacking = {name: runs for name, runs in runs_lacking(part).items() if name in trainings}
                for name in lacking:
                    if name not in found:
                        found[name] = _next_run(trainings[name], store, budget, under_way)
                    found[name].settles += _settled(judgement, part) / sum(lacking.values())
    return sorted(found.values(), key=lambda candidate: -candidate.worth)


def _next_run(training: plan.Training, store: Store, budget: Budget, under_way: Sequence[Work]) -> Candidate:
    taken = {*store.finished_seeds(training, budget)}
    taken |= {job.seed for job in under_way if isinstance(job, Job) and job.training == training}
    seed = next(seed for seed in range(len(taken) + 1) if seed not in taken)
    job = Job(training, seed, budget.iterations(training))
    seconds = plan.duration([job], store, 1)
    return Candidate(job, UNKNOWN_SECONDS if seconds is None else max(seconds, 1.0))


def _settled(judgement: Judgement, part: Part) -> float:
    """How much of a claim the next test of a part is expected to settle."""
    expected = prospect(part, len(judgement.parts))
    can_hold = all(runs_lacking(other) or waits_for_evaluation(other) for other in judgement.open_parts)
    return expected.fails + (expected.holds / len(judgement.open_parts) if can_hold else 0.0)


def runs_lacking(part: Part) -> dict[str, int]:
    """How many runs of each method a part waits for before it can next be decided; none if more would not help."""
    if not part.is_open:
        return {}
    least, planned = (
        {c.training: enough(c) - c.trained for c in part.counts if c.trained < enough(c)}
        for enough in (lambda count: min(LEAST_RUNS, count.planned), lambda count: count.planned)
    )
    return least or ({} if waits_for_evaluation(part) else planned)


def waits_for_evaluation(part: Part) -> bool:
    """Could an evaluation decide it? Not with fewer than the least number of runs, nor between two tests, which have no
    error to spend."""
    if not part.is_open or all(count.runs >= count.trained for count in part.counts):
        return False
    needed = [min(LEAST_RUNS, count.planned) if part.error > 0 else count.planned for count in part.counts]
    return all(count.trained >= enough for count, enough in zip(part.counts, needed, strict=True))


def evaluations(known: Judged) -> list[Evaluation]:
    """What open claims wait for, where the runs are there."""
    waiting = [part for _, claims in known for j in claims for part in j.open_parts if waits_for_evaluation(part)]
    names = [count.evaluated_in for part in waiting for count in part.counts if count.runs < count.trained]
    return [Evaluation(name) for name in dict.fromkeys(names) if name]


def seconds_left(known: Judged, store: Store, budget: Budget) -> float | None:
    """What it would cost one processor to train every run that an open claim waits for."""
    jobs: dict[str, Job] = {}
    for experiment, claims in known:
        counts = [count for judgement in claims for part in judgement.open_parts for count in part.counts]
        planned = {c.training: c.planned for c in sorted(counts, key=lambda count: count.planned)}  # the largest
        for training in experiment.trainings:
            done = store.finished_seeds(training, budget)
            missing = (seed for seed in range(planned.get(training.name, 0)) if seed not in done)
            for job in (Job(training, seed, budget.iterations(training)) for seed in missing):
                jobs[str(job)] = job
    return plan.duration(list(jobs.values()), store, 1)


@dataclass
class Chooser:
    """Says what a free worker does next: until nothing is open, planned, or fits the time left.

    Evaluations come first: each takes a small part of the time of a run and may decide a claim. What failed is not
    tried again. Everything is stored at once, so the same call continues where an earlier one ended.
    """

    which: Sequence[Experiment]
    store: Store
    budget: Budget
    seconds: float
    report: Callable[[Work, Judged], None] = lambda work, known: None
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self.until = self.clock() + self.seconds
        self.tried: dict[str, int] = {}  # how many results there were when it was given out

    def __call__(self, under_way: Sequence[Work]) -> Work | None:
        if (left := self.until - self.clock()) <= 0:
            return None
        known = judged(self.which, self.store, self.budget)
        busy = set(map(str, under_way))
        possible: list[Work] = [e for e in evaluations(known) if str(e) not in busy and self._is_new(e)]
        if not possible:
            fitting = (c for c in candidates(known, self.store, self.budget, under_way) if c.seconds <= left)
            possible = [c.job for c in fitting if str(c.job) not in self.tried]
        if not possible:
            return None
        self.tried[str(possible[0])] = self._results()
        self.report(possible[0], known)
        return possible[0]

    def _is_new(self, evaluation: Evaluation) -> bool:
        """An evaluation that changed nothing is not worth repeating before another run is in."""
        return self.tried.get(str(evaluation), -1) < self._results()

    def _results(self) -> int:
        return sum(1 for _ in (self.store.results / "runs").glob("*/seed-*.csv"))
