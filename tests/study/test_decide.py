"""What is trained next to decide open claims, with a pool that only writes files."""

from dataclasses import replace
from pathlib import Path

import pytest
from study_files import ONE_ITERATION, A, B, C, Study

from metrics_files import write_metrics
from swarmbed.cli.main import main
from swarmbed.study.claim_kinds import Better, FoundIn, FoundMore
from swarmbed.study.claim_source import judgements
from swarmbed.study.claims import Claim, Statement
from swarmbed.study.decide import candidates, decide, seconds_left
from swarmbed.study.experiments.base import Training
from swarmbed.study.measured_kinds import EveryRun
from swarmbed.study.plan import Job
from swarmbed.study.readings import FinalReturn, Found

A_OVER_B, B_OVER_C = Better(FinalReturn(A), FinalReturn(B)), Better(FinalReturn(B), FinalReturn(C))
LEVELS = {A.name: 30.0, B.name: 20.0, C.name: 10.0}


class Trained:
    """Instead of training: a run of a method ends near its level, after so many seconds, one after the other."""

    def __init__(self, study: Study, seconds: float = 60.0) -> None:
        self.study, self.seconds, self.now = study, seconds, 0.0
        self.jobs: list[str] = []

    def __call__(self, jobs: list[Job]) -> None:
        for job in jobs:
            self.jobs.append(str(job))
            self.write(job.training, job.seed)
            self.now += self.seconds

    def write(self, training: Training, seed: int) -> None:
        row = {"mean_return": LEVELS[training.name] + 0.01 * seed, "seconds": self.seconds}
        write_metrics(self.study.store.metrics_path(training, seed), row)


def claiming(study: Study, *statements: Statement) -> None:
    study.experiment = replace(study.experiment, claims=tuple(Claim(str(i), s) for i, s in enumerate(statements)))


def settle(study: Study, trained: Trained, seconds: float = 1e6, workers: int = 1) -> list[str]:
    decide(
        [study.experiment], study.store, ONE_ITERATION, seconds=seconds, workers=workers, train=trained,
        evaluate=lambda: None, clock=lambda: trained.now,
    )  # fmt: skip
    return [judgement.verdict.value for judgement in judgements(study.experiment, study.store, ONE_ITERATION)]


def test_the_run_that_most_claims_wait_for_comes_first(tmp_path: Path) -> None:
    study = Study(tmp_path)
    claiming(study, A_OVER_B, B_OVER_C)
    first, *_ = candidates([study.experiment], study.store, ONE_ITERATION)
    assert str(first.job) == f"{B.name} seed 0"


def test_a_cheap_run_comes_before_a_dear_one(tmp_path: Path) -> None:
    study = Study(tmp_path)
    claiming(study, A_OVER_B)
    for training, seconds in ((A, 600.0), (B, 60.0)):
        Trained(study, seconds).write(training, 0)
    first, second = candidates([study.experiment], study.store, ONE_ITERATION)
    assert (first.job.training, first.job.seed, second.job.training) == (B, 1, A)
    assert first.worth == pytest.approx(10 * second.worth)


def test_training_stops_as_soon_as_everything_is_decided(tmp_path: Path) -> None:
    """Three runs of each decide what is obvious; the plan has five."""
    study = Study(tmp_path)
    claiming(study, A_OVER_B, B_OVER_C)
    trained = Trained(study)
    assert settle(study, trained, workers=2) == ["holds", "holds"]
    assert len(trained.jobs) == 9


def test_sixteen_runs_are_the_end_of_what_stays_open(tmp_path: Path) -> None:
    study = Study(tmp_path, planned=4)
    claiming(study, Better(FinalReturn(A), FinalReturn(B), share=0.5))  # 30 against 20: just at the margin
    trained = Trained(study)
    assert settle(study, trained) == ["open"]
    assert len(trained.jobs) == len(set(trained.jobs)) == 32


@pytest.mark.parametrize("order", [1, -1])
def test_what_is_left_counts_the_runs_to_the_next_test(tmp_path: Path, order: int) -> None:
    """Five runs of A and B leave the first claim open, and ten of each are tested next; C lacks its five."""
    study = Study(tmp_path, planned=5)
    claims = (Better(FinalReturn(A), FinalReturn(B), share=0.5), Better(FinalReturn(A), FinalReturn(C), share=2.0))
    claiming(study, *claims[::order])
    trained = Trained(study)
    trained([Job(training, seed, 1) for training in (A, B) for seed in range(5)])
    assert seconds_left([study.experiment], study.store, ONE_ITERATION) == (10 + 5) * 60.0


def test_between_two_tests_nothing_is_evaluated(tmp_path: Path) -> None:
    """Five runs of A are evaluated and leave it open, the sixth is not: the next test has ten."""
    study = Study(tmp_path)
    claiming(study, FoundIn(Found(A, "made-up"), 0.5))
    study.shares(a=[1.0, 0.0, 1.0, 0.0, 1.0])
    study.returns(A, [-1.0] * 6)
    (next_run,) = candidates([study.experiment], study.store, ONE_ITERATION)
    assert str(next_run.job) == f"{A.name} seed 6"


@pytest.mark.parametrize(("seconds", "rounds"), [(130.0, [2]), (70.0, [1]), (50.0, [])])
def test_every_worker_gets_two_runs_if_they_fit_the_time(tmp_path: Path, seconds: float, rounds: list[int]) -> None:
    study = Study(tmp_path)
    claiming(study, A_OVER_B, B_OVER_C)
    for training in (A, B, C):
        Trained(study, 60.0).write(training, 0)
    trained: list[list[Job]] = []
    decide(
        [study.experiment], study.store, ONE_ITERATION, seconds=seconds, workers=1, train=trained.append,
        evaluate=lambda: None, clock=lambda: seconds * len(trained),
    )  # fmt: skip
    assert [len(jobs) for jobs in trained] == rounds


def test_no_run_begins_that_does_not_fit_the_time_left_and_the_next_call_goes_on(tmp_path: Path) -> None:
    study = Study(tmp_path)
    claiming(study, A_OVER_B)
    trained = Trained(study)
    trained([Job(A, 0, 1), Job(B, 0, 1)])
    assert seconds_left([study.experiment], study.store, ONE_ITERATION) == 8 * 60.0
    assert settle(study, trained, seconds=150.0) == ["open"]
    assert len(trained.jobs) == 4
    assert settle(study, trained) == ["holds"]
    assert len(trained.jobs) == 6


def test_what_waits_for_an_evaluation_is_evaluated_and_not_trained_further(tmp_path: Path) -> None:
    study = Study(tmp_path)
    claiming(study, FoundIn(Found(A, "made-up"), 0.25))
    study.returns(A, [-1.0] * 4)
    trained = Trained(study)
    assert settle(study, trained) == ["open"]
    assert trained.jobs == []
    assert candidates([study.experiment], study.store, ONE_ITERATION) == []


def test_what_waits_for_an_evaluation_still_gets_the_least_number_of_runs(tmp_path: Path) -> None:
    """Nothing of B is trained, so no evaluation of A could decide anything."""
    study = Study(tmp_path)
    claiming(study, FoundMore(Found(A, "made-up"), Found(B, "made-up")))
    study.returns(A, [-1.0] * 4)
    trained = Trained(study)
    assert settle(study, trained) == ["open"]
    assert sorted(trained.jobs) == [f"{B.name} seed {seed}" for seed in range(3)]


def test_a_claim_about_every_run_of_the_study_asks_for_none_in_particular(tmp_path: Path) -> None:
    study = Study(tmp_path)
    claiming(study, EveryRun("hours: above 40", "made-up", lambda numbers: {}, 40.0))
    assert candidates([study.experiment], study.store, ONE_ITERATION) == []


def test_a_run_that_fails_is_not_tried_for_ever(tmp_path: Path) -> None:
    study = Study(tmp_path)
    claiming(study, A_OVER_B)
    tried: list[Job] = []
    decide(
        [study.experiment], study.store, ONE_ITERATION, seconds=1e6, workers=1, train=tried.extend,
        evaluate=lambda: None,
    )  # fmt: skip
    assert sorted(map(str, tried)) == [f"{A.name} seed 0", f"{B.name} seed 0"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--decide"], "--decide needs --hours H"),
        (["--hours", "2"], "--hours only says how long --decide may take"),
        (["--decide", "--hours", "0"], "--hours must be above 0, not 0"),
    ],
)
def test_wrong_input_is_one_sentence(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["reproduce", *arguments, "--results", str(tmp_path)]) == 2
    assert message in capsys.readouterr().err
