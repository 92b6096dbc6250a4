"""What is trained next to decide open claims, with a pool that only writes files."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from study_files import ONE_ITERATION, A, B, C, Study

from metrics_files import write_metrics
from swarmbed.cli.main import main
from swarmbed.study.claim_kinds import Better, CanFind, FoundIn, FoundMore, best
from swarmbed.study.claim_source import judgements
from swarmbed.study.claims import Claim, Statement
from swarmbed.study.decide import Candidate, Chooser, candidates, evaluations, judged, seconds_left
from swarmbed.study.experiments.base import Training
from swarmbed.study.measured_kinds import EveryRun
from swarmbed.study.plan import Evaluation, Job, Work
from swarmbed.study.prospects import prospect
from swarmbed.study.readings import FinalReturn, Found

A_OVER_B, B_OVER_C = Better(FinalReturn(A), FinalReturn(B)), Better(FinalReturn(B), FinalReturn(C))
LEVELS = {A.name: 30.0, B.name: 20.0, C.name: 10.0}
# Seed a beats seed b if 30 + 0.01 a > 29.944 + 0.01497 b: 24 of 25 pairs, 73 of 100 and 149 of 256.
JUST_AT_THE_MARGIN = Better(FinalReturn(A), FinalReturn(B), share=0.4972)


class Trained:
    """Instead of training: a run of a method ends near its level, after so many seconds, one after the other."""

    def __init__(self, study: Study, seconds: float = 60.0) -> None:
        self.study, self.seconds, self.now = study, seconds, 0.0
        self.jobs: list[str] = []

    def __call__(self, work: Work) -> None:
        self.jobs.append(str(work))
        if isinstance(work, Job):
            self.write(work.training, work.seed)
        self.now += self.seconds

    def write(self, training: Training, seed: int) -> None:
        row = {"mean_return": LEVELS[training.name] + 0.01 * seed, "seconds": self.seconds}
        write_metrics(self.study.store.metrics_path(training, seed), row)


def claiming(study: Study, *statements: Statement) -> None:
    study.experiment = replace(study.experiment, claims=tuple(Claim(str(i), s) for i, s in enumerate(statements)))


def settle(study: Study, trained: Trained, seconds: float = 1e6) -> list[str]:
    """One worker that does what it is told until there is nothing more."""
    chooser = Chooser([study.experiment], study.store, ONE_ITERATION, seconds, clock=lambda: trained.now)
    while (work := chooser([])) is not None:
        trained(work)
    return [judgement.verdict.value for judgement in judgements(study.experiment, study.store, ONE_ITERATION)]


def next_runs(study: Study, *under_way: Job) -> list[Candidate]:
    return candidates(judged([study.experiment], study.store, ONE_ITERATION), study.store, ONE_ITERATION, under_way)


def time_left(study: Study) -> float | None:
    return seconds_left(judged([study.experiment], study.store, ONE_ITERATION), study.store, ONE_ITERATION)


def test_the_run_that_most_claims_wait_for_comes_first(tmp_path: Path) -> None:
    study = Study(tmp_path)
    claiming(study, A_OVER_B, B_OVER_C)
    first, *_ = next_runs(study)
    assert str(first.job) == f"{B.name} seed 0"


def test_a_run_that_is_under_way_is_not_given_out_again(tmp_path: Path) -> None:
    study = Study(tmp_path)
    claiming(study, FoundIn(Found(A, "made-up"), 0.5))
    (first,) = next_runs(study)
    (second,) = next_runs(study, first.job)
    assert (first.job.seed, second.job.seed) == (0, 1)


def test_runs_that_are_under_way_count_so_none_is_trained_that_no_claim_reads(tmp_path: Path) -> None:
    """Four of five runs of A are there, and the fifth is under way: only B is missing, three of it at first."""
    study = Study(tmp_path)
    claiming(study, A_OVER_B)
    study.returns(A, [30.0, 31.0, 32.0, 33.0])
    study.returns(B, [29.0, 30.0, 31.0])
    chooser = Chooser([study.experiment], study.store, ONE_ITERATION, 1e6)
    given: list[Work] = []
    while (work := chooser(given)) is not None:
        given.append(work)
    assert sorted(map(str, given)) == [f"{A.name} seed 4", f"{B.name} seed 3", f"{B.name} seed 4"]


def test_a_part_that_is_clear_asks_for_no_more_runs(tmp_path: Path) -> None:
    """A is better than C and level with B: ten runs of A and B are next, C keeps its five."""
    study = Study(tmp_path)
    claiming(study, best(FinalReturn(A), [FinalReturn(B), FinalReturn(C)]))
    for training, level in ((A, 30.0), (B, 30.0), (C, 10.0)):
        study.returns(training, [level + 9.0 * seed for seed in (-1, 0, 1, -0.5, 0.5)])
    assert {candidate.job.training.name for candidate in next_runs(study)} == {A.name, B.name}
    (judgement,) = judgements(study.experiment, study.store, ONE_ITERATION)
    assert judgement.missing == "more runs: 5 of A, 5 of B"
    assert [(count.runs, count.planned) for count in judgement.counts] == [(5, 10), (5, 10), (5, 5)]


def test_the_claim_that_is_nearly_decided_comes_first(tmp_path: Path) -> None:
    """A is about two standard errors above B; B and C are level. A run of each costs the same."""
    study = Study(tmp_path)
    claiming(study, A_OVER_B, B_OVER_C)
    spread = [-9.0, 0.0, 9.0, -4.5, 4.5]
    for training, level in ((A, 40.0), (B, 30.0), (C, 30.0)):
        study.returns(training, [level + each for each in spread])
    worth = {candidate.job.training.name: candidate.settles for candidate in next_runs(study)}
    assert worth[B.name] > worth[A.name] > 2 * worth[C.name] > 0


def test_a_cheap_run_comes_before_a_dear_one(tmp_path: Path) -> None:
    study = Study(tmp_path)
    claiming(study, A_OVER_B)
    for training, seconds in ((A, 600.0), (B, 60.0)):
        Trained(study, seconds).write(training, 0)
    first, second = next_runs(study)
    assert (first.job.training, first.job.seed, second.job.training) == (B, 1, A)
    assert first.worth == pytest.approx(10 * second.worth)


def test_a_part_that_only_its_last_test_can_decide_is_worth_its_runs(tmp_path: Path) -> None:
    """None of three trials of A finds it. With five trials that would decide nothing (0.6⁵ = 0.08 against 0.01); the
    runs up to a later test settle more, each of them, than the first two."""
    study = Study(tmp_path)
    claiming(study, CanFind(Found(A, "made-up"), 0.4))
    study.shares(a=[0.0] * 3)
    (candidate,) = next_runs(study)
    (judgement,) = judgements(study.experiment, study.store, ONE_ITERATION)
    (part,) = judgement.parts
    each = {planned: prospect(part.planning(planned), 1).fails / (planned - 3) for planned in (5, 10, 16)}
    assert candidate.settles == pytest.approx(max(each.values()))
    assert max(each, key=lambda planned: each[planned]) > 5


def test_training_stops_as_soon_as_everything_is_decided(tmp_path: Path) -> None:
    """Eight or nine runs of each decide what is obvious, p is 1/12870; the plan has sixteen."""
    study = Study(tmp_path, planned=16)
    claiming(study, A_OVER_B, B_OVER_C)
    trained = Trained(study)
    assert settle(study, trained) == ["holds", "holds"]
    assert 16 < len(trained.jobs) < 3 * 16


def test_sixteen_runs_are_the_end_of_what_stays_open(tmp_path: Path) -> None:
    study = Study(tmp_path, planned=4)
    claiming(study, JUST_AT_THE_MARGIN)
    trained = Trained(study)
    assert settle(study, trained) == ["open"]
    assert len(trained.jobs) == len(set(trained.jobs)) == 32


@pytest.mark.parametrize("order", [1, -1])
def test_what_is_left_counts_the_runs_to_the_next_test(tmp_path: Path, order: int) -> None:
    """Five runs of A and B leave the first claim open, and ten of each are tested next; C lacks its five."""
    study = Study(tmp_path, planned=5)
    claims = (JUST_AT_THE_MARGIN, Better(FinalReturn(A), FinalReturn(C), share=2.0))
    claiming(study, *claims[::order])
    trained = Trained(study)
    for training, seed in product((A, B), range(5)):
        trained(Job(training, seed, 1))
    assert time_left(study) == (10 + 5) * 60.0


def test_between_two_tests_nothing_is_evaluated(tmp_path: Path) -> None:
    """Five runs of A are evaluated and leave it open, the sixth is not: the next test has ten."""
    study = Study(tmp_path)
    claiming(study, FoundIn(Found(A, "made-up"), 0.5))
    study.shares(a=[1.0, 0.0, 1.0, 0.0, 1.0])
    study.returns(A, [-1.0] * 6)
    (next_run,) = next_runs(study)
    assert str(next_run.job) == f"{A.name} seed 6"
    assert evaluations(judged([study.experiment], study.store, ONE_ITERATION)) == {}
    study.returns(A, [-1.0] * 10)
    assert next_runs(study) == []
    assert list(evaluations(judged([study.experiment], study.store, ONE_ITERATION))) == ["made-up"]


def test_no_run_begins_that_does_not_fit_the_time_left_and_the_next_call_goes_on(tmp_path: Path) -> None:
    study = Study(tmp_path)
    claiming(study, A_OVER_B)
    trained = Trained(study)
    for training in (A, B):
        trained(Job(training, 0, 1))
    assert time_left(study) == 8 * 60.0
    chooser = Chooser([study.experiment], study.store, ONE_ITERATION, 50.0)
    assert chooser([]) is None
    assert chooser.too_long is not None and chooser.too_long.seconds == 60.0
    assert settle(study, trained, seconds=150.0) == ["open"]
    assert len(trained.jobs) == 4
    assert settle(study, trained) == ["holds"]
    assert len(trained.jobs) == 10


def test_what_waits_for_an_evaluation_is_evaluated_before_anything_is_trained(tmp_path: Path) -> None:
    study = Study(tmp_path)
    claiming(study, A_OVER_B, FoundIn(Found(A, "made-up"), 0.25))
    study.returns(A, [-1.0] * 4)
    trained = Trained(study)
    settle(study, trained)
    assert trained.jobs[0] == "evaluation of made-up"
    assert trained.jobs[1] == f"{B.name} seed 0"


def test_an_evaluation_is_asked_for_where_it_is_made(tmp_path: Path) -> None:
    study = Study(tmp_path)
    claiming(study, FoundIn(Found(A, "somewhere-else"), 0.25), FoundIn(Found(B, "elsewhere"), 0.25))
    study.returns(A, [-1.0] * 4)
    study.returns(B, [-1.0] * 2)  # too few runs
    known = judged([study.experiment], study.store, ONE_ITERATION)
    assert list(evaluations(known)) == ["somewhere-else"]


def test_what_waits_for_an_evaluation_still_gets_the_least_number_of_runs(tmp_path: Path) -> None:
    """Nothing of B is trained, so no evaluation of A could decide anything."""
    study = Study(tmp_path)
    claiming(study, FoundMore(Found(A, "made-up"), Found(B, "made-up")))
    study.returns(A, [-1.0] * 4)
    trained = Trained(study)
    assert settle(study, trained) == ["open"]
    assert trained.jobs == [*(f"{B.name} seed {seed}" for seed in range(3)), "evaluation of made-up"]


def test_a_claim_about_every_run_of_the_study_asks_for_none_in_particular(tmp_path: Path) -> None:
    study = Study(tmp_path)
    claiming(study, EveryRun("hours: above 40", "made-up", lambda numbers: {}, 40.0))
    assert next_runs(study) == []


def test_a_run_that_fails_is_not_tried_again_but_the_next_seed_is(tmp_path: Path) -> None:
    study = Study(tmp_path, planned=3)
    claiming(study, A_OVER_B)
    chooser = Chooser([study.experiment], study.store, ONE_ITERATION, 1e6)
    tried = [str(chooser([])) for _ in range(8)]  # nothing comes of any of them
    assert sorted(tried[:6]) == [f"{method.name} seed {seed}" for method in (A, B) for seed in range(3)]
    assert tried[6:] == ["None", "None"]


def test_an_evaluation_that_changed_nothing_waits_for_other_runs(tmp_path: Path) -> None:
    study = Study(tmp_path)
    claiming(study, FoundIn(Found(A, "made-up"), 0.25))
    study.returns(A, [-1.0] * 3)
    chooser = Chooser([study.experiment], study.store, ONE_ITERATION, 1e6)
    evaluation = chooser([])
    assert evaluation == Evaluation("made-up")
    assert chooser([evaluation]) is None  # it is under way
    assert chooser([]) is None  # it has ended, and nothing came of it
    study.returns(A, [-1.0] * 4)
    assert chooser([]) == evaluation


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
