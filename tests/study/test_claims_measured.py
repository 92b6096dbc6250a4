"""Claims about measurements, controllers and all runs of a study: what holds, fails or stays open."""

from pathlib import Path

import numpy as np
import pytest
from study_files import A, B, C, Study

from swarmbed.study.experiments.base import Training
from swarmbed.study.measured_kinds import ControllerWithin, EveryRun, Measured

ABOVE_40_HOURS = EveryRun("hours: above 40", "made-up", lambda numbers: numbers.get("hours", {}), 40.0)


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study(tmp_path)


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

    If these are all runs of the study, a side may err with 0.005. If they are three of 5 · 3 runs, there are twelve
    looks before the last, and a side may err with 0.0025 / 12 = 0.00021.
    """
    judged = {}
    for planned, trainings in ((3, (A,)), (5, (A, B, C))):
        study = Study(tmp_path / str(planned), planned=planned, trainings=trainings)
        took(study, A, [50.0, 51.0, 52.0])
        judged[len(trainings) * planned] = study.judge(ABOVE_40_HOURS)
    assert {planned: found.verdict.value for planned, found in judged.items()} == {3: "holds", 15: "open"}
    parts = {planned: found.parts[0] for planned, found in judged.items()}
    assert {planned: part.error for planned, part in parts.items()} == pytest.approx({3: 0.01, 15: 0.005 / 12})
    for part in parts.values():
        assert part.evidence is not None
        assert part.evidence.p_holds == pytest.approx((1 - np.sqrt(363 / 365)) / 2)
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
