"""Which evaluations of runs count: those of the policies that the runs have now."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from study_files import ONE_ITERATION, A, Study

from swarmbed.study import each_run
from swarmbed.study.claim_kinds import Within
from swarmbed.study.experiments.base import Contest
from swarmbed.study.readings import Reached, Returned
from swarmbed.tasks import make

CAUGHT = [0.2, 0.25, 0.3, 0.2, 0.22]
BELOW_HALF = Within(Reached(A, "made-up", 10, 10), below=0.5)


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study(tmp_path)


def trained_again(study: Study, seed: int) -> None:
    study.store.run_policy_path(A, seed).write_text("another policy")


def evaluated(study: Study) -> tuple[str, int, int]:
    """The verdict, by how many runs, and how many are trained."""
    judged = study.judge(BELOW_HALF)
    (count,) = judged.counts
    return judged.verdict.value, count.runs, count.trained


def test_a_run_that_was_trained_again_waits_for_its_evaluation(study: Study) -> None:
    study.reached(a={10: CAUGHT})
    assert evaluated(study) == ("holds", 5, 5)
    for seed in (1, 2, 4):
        trained_again(study, seed)
    assert evaluated(study) == ("open", 2, 5)
    judged = study.judge(BELOW_HALF)
    assert judged.missing == "an evaluation of every run of A"
    assert all(part.waits_for_evaluation for part in judged.parts)


def test_its_return_in_the_contest_does_not_count_either(study: Study) -> None:
    study.returned(-12.0, a=[-11.1, -11.2, -11.0])
    trained_again(study, 1)
    judged = study.judge(Within(Returned(A, "made-up", 10), above=-12.0))
    assert [(count.runs, count.trained) for count in judged.counts] == [(2, 3)]


def test_an_evaluation_of_a_run_that_is_gone_does_not_count(study: Study) -> None:
    study.reached(a={10: CAUGHT})
    study.store.metrics_path(A, 0).unlink()
    study.store.run_policy_path(A, 1).unlink()
    assert evaluated(study) == ("open", 3, 4)


def test_a_policy_that_moved_is_still_the_same(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    study.reached(a={10: CAUGHT})
    ship(study, 2, monkeypatch)
    assert evaluated(study) == ("holds", 5, 5)


def ship(study: Study, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Move the policy of a run of A to where policies ship."""
    shipped = study.store.results / "shipped" / "made-up.safetensors"
    shipped.parent.mkdir()
    study.store.own_policy_path(A, seed).rename(shipped)
    find = study.store.run_policy_path
    monkeypatch.setattr(
        study.store, "run_policy_path", lambda method, s: shipped if (method, s) == (A, seed) else find(method, s)
    )


def test_an_evaluation_that_does_not_name_its_policies_does_not_count(study: Study) -> None:
    study.reached(a={10: CAUGHT})
    made = json.loads(study.each_run_path.read_text())
    study.each_run({key: value for key, value in made.items() if key != "policies"})
    assert evaluated(study) == ("open", 0, 5)


def test_a_policy_that_is_replaced_while_it_is_evaluated_waits_for_its_evaluation(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three runs are evaluated at two sizes of swarm; the second is trained again between its two evaluations."""
    task = make("pursuit-global", horizon=10)
    contest = Contest("pursuit-global", (A,), (("random", "random"),), (5, 10))
    study.experiment = replace(study.experiment, contest=contest)
    study.policies(A, 3)
    replaced = study.store.run_policy_path(A, 1)

    def evaluate(who: Any, task: Any, num_agents: int, **_: Any) -> SimpleNamespace:
        if who == replaced and num_agents == 5:
            trained_again(study, 1)
        return SimpleNamespace(task=task, curves={"captured_by": np.full((2, 11), 0.25)}, returns=np.zeros(2))

    monkeypatch.setattr(each_run, "evaluate", evaluate)
    study.each_run(each_run.evaluate_each_run(contest, task, study.store, ONE_ITERATION, {}))
    for agents in (5, 10):
        judged = study.judge(Within(Reached(A, "made-up", agents, 10), below=0.5))
        assert [(count.runs, count.trained) for count in judged.counts] == [(2, 3)]


class Evaluations:
    """Stands in for evaluations: counts who is run with how many agents, and finds what it is told to."""

    def __init__(self, study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
        self.study, self.ran, self.share = study, [], 0.25
        monkeypatch.setattr(each_run, "evaluate", self.evaluate)

    def evaluate(self, who: Any, task: Any, num_agents: int, **_: Any) -> SimpleNamespace:
        self.ran.append((Path(who).stem, num_agents))
        curves = {"captured_by": np.full((2, task.horizon + 1), self.share)}
        return SimpleNamespace(task=task, curves=curves, returns=np.full(2, self.share))

    def again(self, earlier: dict[str, Any], sizes: tuple[int, ...] = (5,), horizon: int = 10) -> dict[str, Any]:
        """Another evaluation of all runs, which knows an earlier one."""
        self.ran.clear()
        task = make("pursuit-global", horizon=horizon)
        contest = Contest("pursuit-global", (A,), (("random", "random"),), sizes)
        return each_run.evaluate_each_run(contest, task, self.study.store, ONE_ITERATION, earlier)


@pytest.fixture
def evaluations(study: Study, monkeypatch: pytest.MonkeyPatch) -> Evaluations:
    study.policies(A, 2)
    return Evaluations(study, monkeypatch)


def test_a_run_whose_policy_was_evaluated_before_is_not_run_again(study: Study, evaluations: Evaluations) -> None:
    first = evaluations.again({})
    assert evaluations.ran == [("seed-0", 5), ("seed-1", 5), ("random", 5)]
    study.policies(A, 3)
    trained_again(study, 1)
    evaluations.share = 0.75
    second = evaluations.again(first)
    assert evaluations.ran == [("seed-1", 5), ("seed-2", 5), ("random", 5)]
    assert second["runs"][A.name]["5"] == {"0": [0.25, 0.25], "1": [0.75, 0.75], "2": [0.75, 0.75]}
    assert second["returns"][A.name]["5"] == {"0": 0.25, "1": 0.75, "2": 0.75}
    assert evaluations.again(second) == second


def test_other_sizes_and_other_tasks_are_run_again(evaluations: Evaluations) -> None:
    first = evaluations.again({})
    evaluations.again(first, sizes=(5, 7))
    assert evaluations.ran == [("seed-0", 7), ("seed-1", 7), ("random", 5), ("random", 7)]
    evaluations.again(first, horizon=20)
    assert evaluations.ran == [("seed-0", 5), ("seed-1", 5), ("random", 5)]


def test_what_is_damaged_is_run_again(evaluations: Evaluations) -> None:
    first = evaluations.again({})
    first["runs"][A.name]["5"]["0"] = "lost"
    del first["returns"]
    evaluations.again(first)
    assert evaluations.ran == [("seed-0", 5), ("seed-1", 5), ("random", 5)]
