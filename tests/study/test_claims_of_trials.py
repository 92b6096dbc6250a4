"""Claims about the share of trials that succeed, on made-up studies: what holds, fails or stays open."""

from pathlib import Path

import pytest
from study_files import A, B, C, Study

from swarmbed.study.claim_kinds import All, CanFind, FoundIn, FoundMore
from swarmbed.study.readings import Found, Succeeds


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study(tmp_path)


def test_a_share_of_trials_finds_it(study: Study) -> None:
    """With ¼, five of five have a p of 0.001, inside 0.01, and three of five 0.10; with ¾, none of five 0.001."""
    study.shares(a=[1.0, 0.9, 0.8, 1.0, 0.5], b=[1.0, 0.0, 0.5, 0.6, 0.1], c=[0.0] * 5)
    assert study.judge(FoundIn(Found(A, "made-up"), 0.25)).verdict == "holds"
    assert study.judge(FoundIn(Found(B, "made-up"), 0.25)).verdict == "open"
    assert study.judge(FoundIn(Found(C, "made-up"), 0.75)).verdict == "fails"


def test_a_share_of_trials_reaches_enough(study: Study) -> None:
    """As above, with what the policies reach: five of five, three of five and none of five are at least 0.9."""
    study.reached(a={10: [1.0, 0.9, 0.95, 1.0, 0.91]}, b={10: [1.0, 0.9, 0.9, 0.8, 0.1]}, c={10: [0.8] * 5})
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


def test_one_trial_shows_that_a_method_can_find_it_and_many_that_it_cannot(tmp_path: Path) -> None:
    """None of 16 with 0.4 has a p of 0.0003, for one of five methods 0.0014: below the 0.005 of the last test."""
    study = Study(tmp_path)  # five runs are planned
    study.shares(a=[0.0] * 16, b=[0.0] * 15 + [0.5], c=[0.0] * 6 + [0.5])
    a, b, c = (CanFind(Found(training, "made-up"), 0.4) for training in (A, B, C))
    assert study.judge(a).verdict == "fails"
    assert study.judge(b).verdict == "holds"
    assert study.judge(c).verdict == "holds"  # though there is no test between those of 5 and of 10 runs
    assert study.judge(All((b, b, b, b, a))).verdict == "fails"
    study.shares(a=[0.0] * 7)
    assert study.judge(a).verdict == "open"


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
