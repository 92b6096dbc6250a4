"""What to do next to decide open claims soon: train a run, or evaluate runs that a claim waits for."""

import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from swarmbed.study.budget import Budget
from swarmbed.study.claim_source import judgements
from swarmbed.study.claims import Judgement, Part
from swarmbed.study.experiments.base import Experiment, Training
from swarmbed.study.looks import LEAST_RUNS, Count, stages
from swarmbed.study.pace import Pace
from swarmbed.study.plan import Evaluation, Job, Work
from swarmbed.study.prospects import has_least_runs, prospect
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


def candidates(
    known: Judged, store: Store, budget: Budget, under_way: Sequence[Work] = (), tried: Collection[str] = ()
) -> list[Candidate]:
    """The next run of every method that an open claim waits for, the most worth first.

    Each run that an open part lacks to a test settles an equal share of what that test is expected to settle: the whole
    claim if the part fails; if it holds, as much of the claim as one of its open parts is. Of the tests that are still
    to come, the one that settles most per run counts: some parts can only be decided by the last. Runs that are
    ``under_way`` are as good as there; those that were ``tried`` and came to nothing are left out.
    """
    found: dict[str, Candidate] = {}
    pace = Pace(store)
    for experiment, claims in known:
        trainings = {training.name: training for training in experiment.trainings}
        for judgement in claims:
            for part in judgement.open_parts:
                lacking = {name: runs for name, runs in runs_lacking(part, under_way).items() if name in trainings}
                planned = {count.training: count.planned for count in part.counts}
                for name in lacking:
                    next_run = found.get(name) or _next_run(
                        trainings[name], planned[name], pace, budget, {*map(str, under_way), *tried}
                    )
                    if next_run is not None:
                        next_run.settles += _settled_by_a_run(judgement, part, under_way, budget)
                        found[name] = next_run
    return sorted(found.values(), key=lambda candidate: -candidate.worth)


def _next_run(training: Training, planned: int, pace: Pace, budget: Budget, taken: Collection[str]) -> Candidate | None:
    """The first run of the plan that is missing; None if there is none left to try."""
    done = pace.store.finished_seeds(training, budget)
    jobs = (Job(training, seed, budget.iterations(training)) for seed in range(planned) if seed not in done)
    job = next((job for job in jobs if str(job) not in taken), None)
    if job is None:
        return None
    seconds = pace.duration([job])
    return Candidate(job, UNKNOWN_SECONDS if seconds is None else max(seconds, 1.0))


def _settled_by_a_run(judgement: Judgement, part: Part, under_way: Sequence[Work], budget: Budget) -> float:
    """How much of a claim a run of an open part is expected to settle: of all tests to come, the most."""
    planned = max(count.planned for count in part.counts)
    later = [part.planning(stage.runs) for stage in stages(planned, may_grow=budget.may_grow) if stage.runs > planned]
    tests = [part, *later] if has_least_runs(part) else [part]
    return max(_settled(judgement, test) / sum(runs_lacking(test, under_way).values()) for test in tests)


def _settled(judgement: Judgement, part: Part) -> float:
    """How much of a claim a test of a part is expected to settle. One with a part that all its runs left open can only
    fail."""
    expected = prospect(part, len(judgement.parts))
    can_hold = all(runs_lacking(other) or other.waits_for_evaluation for other in judgement.open_parts)
    return expected.fails + (expected.holds / len(judgement.open_parts) if can_hold else 0.0)


def runs_lacking(part: Part, under_way: Sequence[Work] = ()) -> dict[str, int]:
    """How many runs of each method a part waits for before it can next be decided; none if more would not help."""
    if not part.is_open:
        return {}
    coming = Counter(work.training.name for work in under_way if isinstance(work, Job))
    least, planned = (
        {c.training: missing for c in part.counts if (missing := enough(c) - c.trained - coming[c.training]) > 0}
        for enough in (lambda count: min(LEAST_RUNS, count.planned), lambda count: count.planned)
    )
    return least or ({} if part.waits_for_evaluation else planned)


Waiting = dict[str, tuple[Count, ...]]  # by the experiment that evaluates: the runs that claims wait for


def evaluations(known: Judged) -> Waiting:
    """What open claims wait for, where the runs are there."""
    waiting = [part for _, claims in known for j in claims for part in j.open_parts if part.waits_for_evaluation]
    counts = [count for part in waiting for count in part.counts if count.runs < count.trained and count.evaluated_in]
    return {name: tuple(c for c in counts if c.evaluated_in == name) for name in {c.evaluated_in: None for c in counts}}


def seconds_left(known: Judged, store: Store, budget: Budget) -> float | None:
    """What it would cost one processor to train every run that open claims wait for up to their next test."""
    jobs: dict[str, Job] = {}
    for experiment, claims in known:
        counts = [count for judgement in claims for part in judgement.open_parts for count in part.counts]
        planned = {c.training: c.planned for c in sorted(counts, key=lambda count: count.planned)}  # the largest
        for training in experiment.trainings:
            done = store.finished_seeds(training, budget)
            missing = (seed for seed in range(planned.get(training.name, 0)) if seed not in done)
            for job in (Job(training, seed, budget.iterations(training)) for seed in missing):
                jobs[str(job)] = job
    return Pace(store).duration(list(jobs.values()))


@dataclass
class Chooser:
    """Says what a free worker does next: until nothing is open, planned, or fits the time left.

    Evaluations come first: each takes a small part of the time of a run and may decide a claim. A run that failed is
    not tried again, and an evaluation that changed nothing only when other runs wait for it. Everything is stored at
    once, so the same call continues where an earlier one ended.
    """

    which: Sequence[Experiment]
    store: Store
    budget: Budget
    seconds: float
    report: Callable[[Work, Judged], None] = lambda work, known: None
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self.until = self.clock() + self.seconds
        self.tried: set[str] = set()  # runs
        self.asked: Waiting = {}  # evaluations, with what waited for them
        self.too_long: Candidate | None = None  # the best of the runs that did not fit the time left

    def __call__(self, under_way: Sequence[Work]) -> Work | None:
        if (left := self.until - self.clock()) <= 0:
            return None
        known = judged(self.which, self.store, self.budget)
        work = self._evaluation(evaluations(known), under_way) or self._run(known, under_way, left)
        if work is not None:
            self.report(work, known)
        return work

    def _evaluation(self, waiting: Waiting, under_way: Sequence[Work]) -> Evaluation | None:
        for name, counts in waiting.items():
            evaluation = Evaluation(name)
            if evaluation not in under_way and self.asked.get(name) != counts:
                self.asked[name] = counts
                return evaluation
        return None

    def _run(self, known: Judged, under_way: Sequence[Work], seconds: float) -> Job | None:
        possible = candidates(known, self.store, self.budget, under_way, self.tried)
        job = next((candidate.job for candidate in possible if candidate.seconds <= seconds), None)
        if job is not None:
            self.tried.add(str(job))
        elif possible:
            self.too_long = possible[0]
        return job
