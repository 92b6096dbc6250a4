"""Claims that compare runs, on made-up studies: what holds, fails or stays open."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from study_files import ONE_ITERATION, A, B, C, Study

from swarmbed.study.claim_kinds import All, Better, BetterThanController, Within, best, ordered
from swarmbed.study.claim_source import Source
from swarmbed.study.claims import Claim, judge
from swarmbed.study.experiments.base import Training
from swarmbed.study.readings import FinalReturn, Reached, Returned

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
    assert judged.effects[0].value == np.mean([mine > other for mine in ours for other in theirs])
    difference = np.mean(ours) - np.mean(theirs)
    average = f"on average {'better' if difference > 0 else 'worse'} by {abs(difference):.3g}"
    assert judged.effects[0].label == f"A beats B ({average})"
    if verdict == "open":
        assert judged.missing == "more runs: 5 of A, 5 of B"


def test_a_claim_that_the_plan_leaves_open_is_tested_again_by_10_and_by_16_runs(study: Study) -> None:
    """Ours win 19 of 25 pairs of five runs, 76 of 100 and 193 of 256: p is 0.11, 0.026 and 0.0068."""
    spread = [-3.0, -1.5, 0.0, 1.5, 3.0]
    runs = lambda mean, number: [mean + (spread * 4)[i] for i in range(number)]  # noqa: E731
    better = Better(A_RETURN, B_RETURN)
    found = []
    for ours, theirs in ((5, 5), (10, 9), (10, 10), (16, 15), (16, 16)):
        study.returns(A, runs(-14.0, ours))
        study.returns(B, runs(-16.2, theirs))
        judged = study.judge(better)
        (part,) = judged.parts
        found.append((judged.verdict.value, part.error, [(count.runs, count.planned) for count in judged.counts]))
    assert found == [
        ("open", 0.0, [(5, 10), (5, 10)]),  # 1 % did not decide it; nothing is tested before there are ten of each
        ("open", 0.0, [(10, 10), (9, 10)]),
        ("open", 0.0, [(10, 16), (10, 16)]),
        ("open", 0.0, [(16, 16), (15, 16)]),
        ("holds", pytest.approx(0.025), [(16, 16), (16, 16)]),
    ]


def test_a_claim_that_the_plan_decided_stays_decided(study: Study) -> None:
    study.returns(A, [*GOOD, *[-90.0] * 11])
    study.returns(B, [*BAD, *[-1.0] * 11])
    judged = study.judge(Better(A_RETURN, B_RETURN))
    assert (judged.verdict, [count.runs for count in judged.counts]) == ("holds", [5, 5])


def test_sixteen_runs_are_the_end_and_a_quick_look_does_not_grow(tmp_path: Path) -> None:
    study = Study(tmp_path, planned=5)
    study.returns(A, [-5.0, -30.0, -12.0, -8.0] * 4)
    study.returns(B, [-6.0, -31.0, -13.0, -9.0] * 4)  # ours win 160 of 256 pairs
    judged = study.judge(Better(A_RETURN, B_RETURN))
    assert (judged.verdict, judged.missing) == ("open", "nothing: all planned runs are in and do not decide it")
    quick = Source(study.store, replace(ONE_ITERATION, most_seeds=5), study.experiment, {})
    judged = judge(Claim("made up", Better(A_RETURN, B_RETURN)), quick)
    assert [count.runs for count in judged.counts] == [5, 5]


def test_methods_that_are_equally_good_are_not_better_by_anything_that_matters(study: Study) -> None:
    """Half of all pairs: if ours won three quarters, so few would be rare with sixteen runs, though not with ten."""
    verdicts = {}
    for runs in (10, 16):
        for training in (A, B):
            study.returns(training, [float(value) for value in range(runs)])
        verdicts[runs] = study.judge(Better(A_RETURN, B_RETURN)).verdict.value
    assert verdicts == {10: "open", 16: "fails"}


def test_one_run_that_failed_badly_does_not_hide_that_the_others_are_better(study: Study) -> None:
    study.returns(A, [-10.0 - 0.1 * i for i in range(10)])
    study.returns(B, [-818.0, *(-12.0 - 0.1 * i for i in range(9))])
    assert study.judge(Better(A_RETURN, B_RETURN)).verdict == "holds"


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_a_run_in_which_no_episode_ended_is_beaten_by_all_others(study: Study, share: float) -> None:
    study.returns(A, [-11.0, -10.0, -12.0, -10.5, -9.0])
    study.returns(B, [-np.inf] * 5)
    judged = study.judge(Better(A_RETURN, B_RETURN, share))
    assert (judged.verdict, judged.effects[0].value) == ("holds", 1.0)
    assert "on average" not in judged.effects[0].label


def test_two_runs_decide_nothing_however_far_apart(study: Study) -> None:
    study.returns(A, [-1.0, -1.01, -1.02])
    study.returns(B, [-1000.0, -1000.01])
    judged = study.judge(Better(A_RETURN, B_RETURN))
    assert judged.verdict == "open"
    assert judged.missing == "at least 3 runs of B"
    assert judged.effects[0].value == 1.0  # it is shown all the same


def test_runs_beyond_the_plan_are_not_looked_at(study: Study) -> None:
    study.returns(A, [*GOOD, -1e6])
    study.returns(B, BAD)
    judged = study.judge(Better(A_RETURN, B_RETURN))
    assert [count.runs for count in judged.counts] == [5, 5]
    assert judged.verdict == "holds"


def test_an_early_look_asks_for_more(tmp_path: Path) -> None:
    """All of 25 pairs, p = 1/252: enough at the end of the plan, not while eleven runs are still to come."""
    verdicts = {}
    for planned in (5, 16):
        study = Study(tmp_path / str(planned), planned=planned)
        study.returns(A, GOOD)
        study.returns(B, BAD)
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
    assert {count.label: count.runs for count in judged.counts} == {"A": 5, "B": 5}  # those that it fails by


def test_a_part_that_the_plan_decided_waits_for_the_others(study: Study) -> None:
    """A is better than C with five runs each, whatever later ones of C say, and than B with sixteen."""
    spread = [-3.0, -1.5, 0.0, 1.5, 3.0] * 4
    study.returns(A, [-14.0 + each for each in spread[:16]])
    study.returns(B, [-16.5 + each for each in spread[:16]])
    study.returns(C, [*(-90.0 + each for each in spread[:5]), *[-1.0] * 11])
    judged = study.judge(best(A_RETURN, [B_RETURN, C_RETURN]))
    assert judged.verdict == "holds"
    assert {count.label: count.runs for count in judged.counts} == {"A": 16, "B": 16, "C": 5}


def test_to_fail_one_of_several_parts_must_be_clearer_than_a_claim_of_its_own(tmp_path: Path) -> None:
    """A wins 3 of 25 pairs with B, which has a p of 0.0033 where ¾ are won: enough for one test, not for one of two."""
    study = Study(tmp_path)
    study.returns(A, [1.0, 2.0, 3.5, 4.6, 4.7])
    study.returns(B, [4.5, 5.0, 6.0, 7.0, 3.0])
    study.returns(C, [-90.0, -91.0, -92.0, -89.0, -88.0])
    alone, clear = Better(A_RETURN, B_RETURN), Better(A_RETURN, C_RETURN)
    assert study.judge(alone).verdict == "fails"
    assert study.judge(All((alone, clear))).verdict == "open"


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


def test_sizes_of_swarm_are_compared_run_by_run(tmp_path: Path) -> None:
    """Runs differ more from one another than sizes do, but in each of them the larger swarm catches more: p is 1/2⁸."""
    small = [0.1, 0.3, 0.5, 0.7, 0.8, 0.2, 0.4, 0.6]
    large = [share + 0.1 for share in small]
    study = Study(tmp_path, planned=8)
    study.reached(a={5: small, 10: large})
    larger_first = Better(reached(A, 10), reached(A, 5))
    assert study.judge(larger_first).verdict == "holds"
    assert study.judge(Better(reached(A, 5), reached(A, 10))).verdict == "fails"
    assert [count.runs for count in study.judge(larger_first).counts] == [8]


def test_a_margin_counts_run_by_run_too(tmp_path: Path) -> None:
    """Half as much again, in every run: more than 40 %, less than 60 %."""
    small = [0.2, 0.3, 0.4, 0.5, 0.6, 0.25, 0.35, 0.45]
    study = Study(tmp_path, planned=8)
    study.reached(a={5: small, 10: [1.5 * value for value in small]})
    assert study.judge(Better(reached(A, 10), reached(A, 5), share=0.4)).verdict == "holds"
    assert study.judge(Better(reached(A, 10), reached(A, 5), share=0.6)).verdict == "fails"


@pytest.mark.parametrize(("controller", "verdict"), [(0.3, "holds"), (0.95, "fails"), (0.71, "open")])
def test_runs_against_a_controller(study: Study, controller: float, verdict: str) -> None:
    study.reached(controller, a={10: [0.7, 0.75, 0.65, 0.72, 0.68]})
    assert study.judge(BetterThanController(reached(A), "Voronoi")).verdict == verdict


@pytest.mark.parametrize("controller", [0.795, 0.88, 0.75])
def test_runs_that_all_reach_the_same_show_no_spread(study: Study, controller: float) -> None:
    """1 − 0.795 is not exact, five times the same all the same."""
    study.reached(controller, a={10: [1.0] * 5})
    judged = study.judge(BetterThanController(reached(A), "Voronoi"))
    assert judged.verdict == "open"
    assert np.isnan(judged.effects[0].low)


@pytest.mark.parametrize(("controller", "verdict"), [(-12.0, "holds"), (-10.0, "fails"), (-11.1, "open")])
def test_returns_of_runs_against_that_of_a_controller(study: Study, controller: float, verdict: str) -> None:
    study.returned(controller, a=[-11.1, -11.2, -11.0, -11.15, -11.05])
    judged = study.judge(BetterThanController(Returned(A, "made-up", 10), "Voronoi"))
    assert judged.verdict == verdict
    assert judged.claim.tested.words == "return of an episode: A at 10 better than Voronoi"


def test_a_complete_plan_without_the_controllers_number_waits_for_that_and_not_for_runs(study: Study) -> None:
    study.reached(a={10: [0.9] * 5})
    judged = study.judge(BetterThanController(reached(A), "somebody else"))
    assert (judged.verdict, judged.missing) == ("open", "the measurement")


def test_without_a_return_of_the_controller_nothing_is_decided(study: Study) -> None:
    study.reached(a={10: [0.7, 0.75, 0.65, 0.72, 0.68]})
    assert study.judge(BetterThanController(Returned(A, "made-up", 10), "Voronoi")).verdict == "open"


def test_an_evaluation_of_too_few_runs_says_so(study: Study) -> None:
    study.returns(A, GOOD)
    study.reached(a={10: [0.2]})
    judged = study.judge(Within(reached(A), below=0.5))
    assert judged.verdict == "open"
    assert judged.missing == "an evaluation of every run of A"
