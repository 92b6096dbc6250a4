"""Claims on made-up studies: what holds, fails or stays open, and how often looking again misleads."""

from pathlib import Path

import numpy as np
import pytest
from study_files import A, B, C, Study

from swarmbed.study.claim_kinds import (
    All,
    Better,
    BetterThanController,
    FoundIn,
    FoundMore,
    Within,
    best,
    ordered,
)
from swarmbed.study.claims import EARLY_ERROR, ERROR, Count, allowed_error
from swarmbed.study.experiments.base import Training
from swarmbed.study.inference import contrast_above
from swarmbed.study.measured_kinds import ControllerWithin, EveryRun, Measured
from swarmbed.study.readings import FinalReturn, Found, Reached, Returned, Succeeds

GOOD, BAD, LEVEL = (
    [-10.0, -11.0, -10.5, -9.5, -10.2],
    [-20.0, -21.0, -22.0, -20.5, -21.5],
    [-5.0, -30.0, -12.0, -8.0, -25.0],
)
A_RETURN, B_RETURN, C_RETURN = FinalReturn(A), FinalReturn(B), FinalReturn(C)


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study(tmp_path)


def reached(training: Training, agents: int = 10) -> Reached:
    return Reached(training, "made-up", agents, 10)


@pytest.mark.parametrize(
    ("ours", "theirs", "verdict"), [(GOOD, BAD, "holds"), (BAD, GOOD, "fails"), (GOOD, LEVEL, "open")]
)
def test_one_method_is_better_than_another(study: Study, ours: list[float], theirs: list[float], verdict: str) -> None:
    study.returns(A, ours)
    study.returns(B, theirs)
    judged = study.judge(Better(A_RETURN, B_RETURN))
    assert judged.verdict == verdict
    assert judged.evidence is not None
    assert judged.evidence.effects[0].value == pytest.approx(np.mean(ours) - np.mean(theirs))
    if verdict == "open":
        assert judged.missing == "nothing: all planned runs are in and do not decide it"


def test_two_runs_decide_nothing_however_far_apart(study: Study) -> None:
    study.returns(A, [-1.0, -1.01, -1.02])
    study.returns(B, [-1000.0, -1000.01])
    judged = study.judge(Better(A_RETURN, B_RETURN))
    assert judged.verdict == "open"
    assert judged.missing == "at least 3 runs of B"
    assert judged.evidence is not None
    assert judged.evidence.effects[0].low > 900  # it is shown all the same


def test_runs_beyond_the_plan_are_not_looked_at(tmp_path: Path) -> None:
    study = Study(tmp_path, planned=3)
    study.returns(A, [*GOOD[:3], -1e6])
    study.returns(B, BAD[:3])
    judged = study.judge(Better(A_RETURN, B_RETURN))
    assert [count.runs for count in judged.counts] == [3, 3]
    assert judged.verdict == "holds"


def test_an_early_look_asks_for_more(tmp_path: Path) -> None:
    """10 ± 1.6 against 7 ± 1.6, p = 0.009: enough at the end of the plan, not while eleven runs are still to come."""
    ours, theirs = [8.0, 9.0, 10.0, 11.0, 12.0], [6.0, 7.0, 8.0, 5.0, 9.0]
    verdicts = {}
    for planned in (5, 16):
        study = Study(tmp_path / str(planned), planned=planned)
        study.returns(A, ours)
        study.returns(B, theirs)
        verdicts[planned] = study.judge(Better(A_RETURN, B_RETURN)).verdict.value
    assert verdicts == {5: "holds", 16: "open"}


def test_a_margin_must_be_beaten_too(study: Study) -> None:
    """−10.2 against −21: half as much is saved, so 40 % is and 60 % is not; the other way twice as much is lost."""
    study.returns(A, GOOD)
    study.returns(B, BAD)
    assert study.judge(Better(A_RETURN, B_RETURN, share=0.4)).verdict == "holds"
    assert study.judge(Better(A_RETURN, B_RETURN, share=0.6)).verdict == "fails"
    assert study.judge(Better(B_RETURN, A_RETURN, share=-0.5)).verdict == "fails"
    assert study.judge(Better(B_RETURN, A_RETURN, share=-1.5)).verdict == "holds"


def test_a_margin_on_positive_numbers_is_a_multiple(study: Study) -> None:
    study.returns(A, [50.0, 51.0, 52.0, 49.0, 48.0])
    study.returns(B, [9.0, 9.2, 9.4, 8.8, 8.6])
    assert study.judge(Better(A_RETURN, B_RETURN, share=4.0)).verdict == "holds"  # 50 > 5 · 9
    assert study.judge(Better(A_RETURN, B_RETURN, share=5.0)).verdict == "fails"


def test_the_best_beats_everybody_and_an_order_holds_step_by_step(study: Study) -> None:
    for training, shift in ((A, 20.0), (B, 10.0), (C, 0.0)):
        study.returns(training, [value + shift for value in GOOD])
    assert study.judge(best(A_RETURN, [B_RETURN, C_RETURN])).verdict == "holds"
    assert study.judge(best(B_RETURN, [A_RETURN, C_RETURN])).verdict == "fails"
    assert study.judge(ordered([A_RETURN, B_RETURN, C_RETURN])).verdict == "holds"
    assert study.judge(ordered([A_RETURN, C_RETURN, B_RETURN])).verdict == "fails"
    study.returns(C, [-100.0, 100.0, -100.0, 100.0, 0.0])
    judged = study.judge(best(A_RETURN, [B_RETURN, C_RETURN]))
    assert judged.verdict == "open"
    assert judged.claim.tested.words == "final return: A better than B, C"


def test_one_part_that_fails_is_enough_while_another_waits_for_runs(study: Study) -> None:
    study.returns(A, BAD)
    study.returns(B, GOOD)
    judged = study.judge(best(A_RETURN, [B_RETURN, C_RETURN]))
    assert judged.verdict == "fails"
    assert {count.label: count.runs for count in judged.counts} == {"A": 5, "B": 5, "C": 0}


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ([0.2, 0.25, 0.3, 0.2, 0.22], "holds"),
        ([0.8, 0.75, 0.7, 0.82, 0.8], "fails"),
        ([0.1, 0.9, 0.4, 0.6, 0.3], "open"),
    ],
)
def test_a_number_lies_within_bounds(study: Study, values: list[float], verdict: str) -> None:
    study.reached(a={10: values})
    judged = study.judge(Within(reached(A), above=0.1, below=0.5))
    assert judged.verdict == verdict
    assert judged.claim.tested.words == "captured by step 10: A at 10 above 0.1 and below 0.5"


def test_sizes_of_swarm_are_compared_run_by_run(study: Study) -> None:
    """Runs differ more from one another than sizes do, but in each of them the larger swarm catches more."""
    small = [0.1, 0.3, 0.5, 0.7, 0.8]
    large = [share + gain for share, gain in zip(small, (0.1, 0.12, 0.09, 0.11, 0.1), strict=True)]
    study.reached(a={5: small, 10: large})
    larger_first = Better(reached(A, 10), reached(A, 5))
    assert study.judge(larger_first).verdict == "holds"
    assert study.judge(Better(reached(A, 5), reached(A, 10))).verdict == "fails"
    assert [count.runs for count in study.judge(larger_first).counts] == [5]


def test_a_margin_counts_run_by_run_too(study: Study) -> None:
    """Half as much again, in every run: more than 40 %, less than 60 %."""
    small = [0.2, 0.3, 0.4, 0.5, 0.6]
    study.reached(a={5: small, 10: [1.5 * value for value in small]})
    assert study.judge(Better(reached(A, 10), reached(A, 5), share=0.4)).verdict == "holds"
    assert study.judge(Better(reached(A, 10), reached(A, 5), share=0.6)).verdict == "fails"


@pytest.mark.parametrize(("controller", "verdict"), [(0.3, "holds"), (0.95, "fails"), (0.71, "open")])
def test_runs_against_a_controller(study: Study, controller: float, verdict: str) -> None:
    study.reached(controller, a={10: [0.7, 0.75, 0.65, 0.72, 0.68]})
    assert study.judge(BetterThanController(reached(A), "Voronoi")).verdict == verdict


@pytest.mark.parametrize(("controller", "verdict"), [(-12.0, "holds"), (-10.0, "fails"), (-11.1, "open")])
def test_returns_of_runs_against_that_of_a_controller(study: Study, controller: float, verdict: str) -> None:
    study.returned(controller, a=[-11.1, -11.2, -11.0, -11.15, -11.05])
    judged = study.judge(BetterThanController(Returned(A, "made-up", 10), "Voronoi"))
    assert judged.verdict == verdict
    assert judged.claim.tested.words == "return of an episode: A at 10 better than Voronoi"


def test_without_a_return_of_the_controller_nothing_is_decided(study: Study) -> None:
    study.reached(a={10: [0.7, 0.75, 0.65, 0.72, 0.68]})
    assert study.judge(BetterThanController(Returned(A, "made-up", 10), "Voronoi")).verdict == "open"


def test_an_evaluation_of_too_few_runs_says_so(study: Study) -> None:
    study.returns(A, GOOD)
    study.reached(a={10: [0.2]})
    judged = study.judge(Within(reached(A), below=0.5))
    assert judged.verdict == "open"
    assert judged.missing == "an evaluation of every run of A"


def test_a_share_of_trials_finds_it(study: Study) -> None:
    """With ¼, four of five have a p of 0.016, inside 0.02, and three of five 0.10; with ¾, none of five 0.001."""
    study.shares(a=[1.0, 0.9, 0.8, 1.0, 0.2], b=[1.0, 0.0, 0.5, 0.6, 0.1], c=[0.0] * 5)
    assert study.judge(FoundIn(Found(A, "made-up"), 0.25)).verdict == "holds"
    assert study.judge(FoundIn(Found(B, "made-up"), 0.25)).verdict == "open"
    assert study.judge(FoundIn(Found(C, "made-up"), 0.75)).verdict == "fails"


def test_a_share_of_trials_reaches_enough(study: Study) -> None:
    """As above, with what the policies reach: four of five, three of five and none of five are at least 0.9."""
    study.reached(a={10: [1.0, 0.9, 0.95, 1.0, 0.89]}, b={10: [1.0, 0.9, 0.9, 0.8, 0.1]}, c={10: [0.8] * 5})
    a, b, c = (Succeeds(training, "made-up", 10, 10, 0.9) for training in (A, B, C))
    judged = study.judge(FoundIn(a, 0.25))
    assert judged.verdict == "holds"
    assert judged.claim.tested.words == "trials with captured by step 10 at least 0.9, more than 25 %: A at 10"
    assert study.judge(FoundIn(b, 0.25)).verdict == "open"
    assert study.judge(FoundIn(c, 0.75)).verdict == "fails"


def test_a_share_that_was_measured_of_another_run_does_not_count(study: Study) -> None:
    study.shares(a=[1.0] * 5)
    study.returns(A, [-1.0, -1.0, -7.0, -7.0, -7.0])
    judged = study.judge(FoundIn(Found(A, "made-up"), 0.25))
    assert [count.runs for count in judged.counts] == [2]
    assert judged.verdict == "open"


def test_one_method_finds_it_more_often_than_another(tmp_path: Path) -> None:
    """The paper's own 10 and 4 of 16 have a one-sided p of 0.036 and decide nothing; 14 and 4 do."""
    study = Study(tmp_path, planned=16)
    found = {"a": 14, "b": 10, "c": 4}
    study.shares(**{slug: [1.0] * count + [0.0] * (16 - count) for slug, count in found.items()})
    a, b, c = (Found(training, "made-up") for training in (A, B, C))
    assert study.judge(FoundMore(a, c)).verdict == "holds"
    assert study.judge(FoundMore(c, a)).verdict == "fails"
    assert study.judge(FoundMore(b, c)).verdict == "open"
    assert study.judge(All((FoundMore(a, c), FoundMore(c, b)))).verdict == "open"


def test_a_controller_needs_no_runs(study: Study) -> None:
    standing = {"captured_by": [0.0, 0.4], "captured_by_ci": [[0.0, 0.3], [0.0, 0.6]]}
    panels = {"panels": [{"agents": 10, "policies": {"Voronoi": standing}}]}
    statement = lambda below: ControllerWithin("made-up", "pursuit-global", "Voronoi", 10, 1, below)  # noqa: E731
    assert study.judge(statement(0.7)).missing == "the measurement"
    study.store.write_numbers("made-up", "evaluation.json", panels)
    assert [study.judge(statement(below)).verdict.value for below in (0.7, 0.2, 0.5)] == ["holds", "fails", "open"]


def test_measurements_lie_within_bounds(study: Study) -> None:
    statement = Measured("microseconds: below 10", "made-up", lambda numbers: numbers["times"], 0.0, 10.0)
    assert study.judge(statement).verdict == "open"
    study.numbers({"times": {"small": 3.0, "large": 9.0}})
    assert study.judge(statement).verdict == "holds"
    study.numbers({"times": {"small": 3.0, "large": 11.0}})
    assert study.judge(statement).verdict == "fails"


ABOVE_40_HOURS = EveryRun("hours: above 40", "made-up", lambda numbers: numbers.get("hours", {}), 40.0)


def took(study: Study, method: Training, hours: list[float]) -> None:
    """Runs of one method that took so long."""
    study.returns(method, [-1.0] * len(hours))
    study.numbers({"hours": {f"{method.name} seed-{seed}": value for seed, value in enumerate(hours)}})


@pytest.mark.parametrize(
    ("hours", "verdict"),
    [([50.0, 51.0, 52.0], "holds"), ([1.0, 2.0, 3.0], "fails"), ([30.0, 41.0, 60.0], "open"), ([50.0, 51.0], "open")],
)
def test_a_mean_over_every_run_of_the_study(tmp_path: Path, hours: list[float], verdict: str) -> None:
    study = Study(tmp_path, planned=3, trainings=(A,))
    took(study, A, hours)
    assert study.judge(ABOVE_40_HOURS).verdict == verdict


def test_a_mean_over_every_run_spends_its_error_over_the_looks_like_any_other(tmp_path: Path) -> None:
    """50, 51, 52 above 40: t = 11 √3, and with 2 degrees of freedom p = (1 − t / √(t² + 2)) / 2 = 0.00137.

    If these are all runs of the study, a side may err with 0.02. If they are three of 5 · 3 runs, there are twelve
    looks before the last, and a side may err with 0.005 / 12 = 0.00042.
    """
    judged = {}
    for planned, trainings in ((3, (A,)), (5, (A, B, C))):
        study = Study(tmp_path / str(planned), planned=planned, trainings=trainings)
        took(study, A, [50.0, 51.0, 52.0])
        judged[len(trainings) * planned] = study.judge(ABOVE_40_HOURS)
    assert {planned: found.verdict.value for planned, found in judged.items()} == {3: "holds", 15: "open"}
    assert {planned: found.error for planned, found in judged.items()} == pytest.approx({3: 0.04, 15: 0.01 / 12})
    for found in judged.values():
        assert found.evidence is not None
        assert found.evidence.p_holds == pytest.approx((1 - np.sqrt(363 / 365)) / 2)
    assert judged[15].missing == "more runs: 12 of the study"


def test_a_mean_over_every_run_leaves_out_what_is_beyond_the_plan_or_not_trained(tmp_path: Path) -> None:
    study = Study(tmp_path, planned=3, trainings=(A,))
    took(study, A, [50.0, 51.0, 52.0, -1e6])
    assert study.judge(ABOVE_40_HOURS).verdict == "holds"
    study.store.metrics_path(A, 2).unlink()
    (count,) = study.judge(ABOVE_40_HOURS).counts
    assert (count.runs, count.planned, count.trained) == (2, 3, 2)


def test_a_run_that_recorded_nothing_is_no_part_of_the_plan(tmp_path: Path) -> None:
    study = Study(tmp_path, planned=4, trainings=(A,))
    took(study, A, [50.0, 51.0, 52.0, np.nan])
    judged = study.judge(ABOVE_40_HOURS)
    (count,) = judged.counts
    assert (count.runs, count.planned, count.trained) == (3, 3, 3)
    assert judged.verdict == "holds"


def test_a_run_that_was_not_measured_yet_is_waited_for(tmp_path: Path) -> None:
    study = Study(tmp_path, planned=4, trainings=(A,))
    took(study, A, [30.0, 41.0, 60.0])
    study.returns(A, [-1.0] * 4)
    assert study.judge(ABOVE_40_HOURS).missing == "an evaluation of every run of the study"


def counted(*runs: int, planned: int = 5) -> list[Count]:
    return [Count(str(i), str(i), have, planned, have) for i, have in enumerate(runs)]


def test_early_looks_share_one_percent_and_the_last_has_four() -> None:
    """Two methods of five runs: four looks from (3, 3) to (5, 4), then the last."""
    assert allowed_error(counted(3, 3)) == allowed_error(counted(5, 4)) == pytest.approx(EARLY_ERROR / 4)
    assert allowed_error(counted(5, 5)) == pytest.approx(ERROR - EARLY_ERROR)
    assert allowed_error([]) == ERROR


@pytest.mark.parametrize(("planned", "studies"), [(5, 800), (16, 200)])
def test_looking_after_every_run_misleads_in_one_study_of_twenty(planned: int, studies: int) -> None:
    """Two methods that are the same, judged after each run: how often is one of them ever said to be better?"""
    draws = np.random.default_rng(planned).normal(size=(studies, 2, planned))
    looks = [(i // 2, i - i // 2) for i in range(6, 2 * planned + 1)]
    wrong = careless = 0
    for ours, theirs in draws:
        tails = [min(contrast_above(ours[:a], theirs[:b], "x")[1:]) for a, b in looks]
        errors = [allowed_error(counted(a, b, planned=planned)) for a, b in looks]
        wrong += any(tail < error / 2 for tail, error in zip(tails, errors, strict=True))
        careless += any(tail < ERROR / 2 for tail in tails)
    assert wrong / studies < 0.06
    assert careless / studies > 0.08  # what the rule protects from
