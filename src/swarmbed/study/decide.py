"""Which run to train next to decide open claims soon, and a loop that does so until the time is up."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from swarmbed.study import plan
from swarmbed.study.budget import Budget
from swarmbed.study.claim_source import judgements
from swarmbed.study.claims import Judgement, Verdict
from swarmbed.study.experiments.base import Experiment
from swarmbed.study.looks import LEAST_RUNS
from swarmbed.study.plan import Job
from swarmbed.study.store import Store

UNKNOWN_SECONDS = 3600.0  # what a run is taken to cost where nothing like it was ever run


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


def candidates(which: list[Experiment], store: Store, budget: Budget) -> list[Candidate]:
    """The next run of every method that an open claim waits for, the most worth first.

    A claim cannot be decided before there are three runs of each of its methods, so until then each of the runs that
    are missing to that settles an equal part of it; after that each of the runs that are missing to the next test does.
    Claims that have these three and wait for an evaluation may be decided already: they ask for no more. A claim about
    every run of the study asks for none in particular.
    """
    found: dict[str, Candidate] = {}
    for experiment in which:
        trainings = {training.name: training for training in experiment.trainings}
        for judgement in judgements(experiment, store, budget):
            lacking = {name: runs for name, runs in runs_lacking(judgement).items() if name in trainings}
            for name in lacking:
                if name not in found:
                    training = trainings[name]
                    done = store.finished_seeds(training, budget)
                    seed = next(seed for seed in range(len(done) + 1) if seed not in done)
                    job = Job(training, seed, budget.iterations(training))
                    seconds = plan.duration([job], store, 1)
                    found[name] = Candidate(job, UNKNOWN_SECONDS if seconds is None else max(seconds, 1.0))
                found[name].settles += 1 / sum(lacking.values())
    return sorted(found.values(), key=lambda candidate: -candidate.worth)


def runs_lacking(judgement: Judgement) -> dict[str, int]:
    """How many runs of each method a claim waits for before it can next be decided; none if more would not help."""
    if judgement.verdict is not Verdict.OPEN:
        return {}
    least, planned = (
        {c.training: enough(c) - c.trained for c in judgement.counts if c.trained < enough(c)}
        for enough in (lambda count: min(LEAST_RUNS, count.planned), lambda count: count.planned)
    )
    # Without the least number of runs, or between two tests (with no error left), no evaluation can decide anything.
    return least or ({} if judgement.error > 0 and waits_for_evaluation(judgement) else planned)


def waits_for_evaluation(judgement: Judgement) -> bool:
    return any(count.runs < count.trained for count in judgement.counts)


def seconds_left(which: list[Experiment], store: Store, budget: Budget) -> float | None:
    """What it would cost one processor to train every run that an open claim waits for."""
    jobs: dict[str, Job] = {}
    for experiment in which:
        open_claims = [j for j in judgements(experiment, store, budget) if j.verdict is Verdict.OPEN]
        counts = sorted((c for judgement in open_claims for c in judgement.counts), key=lambda count: count.planned)
        planned = {count.training: count.planned for count in counts}  # the largest that a claim asks for
        for training in experiment.trainings:
            done = store.finished_seeds(training, budget)
            missing = (seed for seed in range(planned.get(training.name, 0)) if seed not in done)
            for job in (Job(training, seed, budget.iterations(training)) for seed in missing):
                jobs[str(job)] = job
    return plan.duration(list(jobs.values()), store, 1)


def decide(
    which: list[Experiment],
    store: Store,
    budget: Budget,
    *,
    seconds: float,
    workers: int,
    train: Callable[[list[Job]], None],
    evaluate: Callable[[], object],
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Train the runs that are worth most, look again, and so on: until nothing is open, planned, or fits the time left.

    Claims that need an evaluation get it when no run is left to train for the others. A run that failed is not tried
    again. Everything is stored at once, so the same call continues where an earlier one ended.
    """
    until = clock() + seconds
    failed: set[str] = set()
    while True:
        untried = [c for c in candidates(which, store, budget) if str(c.job) not in failed]
        if chosen := _chosen(untried, workers, until - clock()):
            train(chosen)
            failed |= {str(job) for job in chosen if job.seed not in store.finished_seeds(job.training, budget)}
            continue
        waiting = _waiting(which, store, budget)
        if waiting == 0 or until <= clock():
            return
        evaluate()
        if _waiting(which, store, budget) >= waiting:
            return


def _chosen(possible: list[Candidate], workers: int, seconds: float) -> list[Job]:
    """Up to two runs for each worker, so that one whose run was short need not wait for the longest; all of them end
    within the time."""
    first = [c for c in possible if c.seconds <= seconds][:workers]
    longest = max((c.seconds for c in first), default=0.0)
    then = [c for c in possible if c not in first and longest + c.seconds <= seconds][:workers]
    return [c.job for c in (*first, *then)]


def _waiting(which: list[Experiment], store: Store, budget: Budget) -> int:
    """Open claims that wait for an evaluation."""
    found = [judgement for experiment in which for judgement in judgements(experiment, store, budget)]
    return sum(waits_for_evaluation(judgement) for judgement in found if judgement.verdict is Verdict.OPEN)
