"""What is not repeated, and what one sees while the study runs."""

from dataclasses import replace
from pathlib import Path

import pytest

from metrics_files import write_metrics
from swarmbed.cli.main import main
from swarmbed.study import plan
from swarmbed.study.freshness import is_up_to_date, mark_concluded
from swarmbed.study.live import PlainProgress, progress_table
from swarmbed.study.outcome import conclude, evaluate_runs
from swarmbed.study.store import Store
from tiny_study import TINY, one_method, run_here


def test_finished_parts_are_not_repeated(tmp_path: Path) -> None:
    store = Store(tmp_path / "results", tmp_path / "work")
    experiment = one_method(plan.experiments()["rendezvous-trace"])
    training = experiment.trainings[0]
    run_here(store, plan.Job(training, 0, 1))
    assert not is_up_to_date(experiment, store, TINY)
    (figure,) = made = conclude(experiment, store, TINY)
    mark_concluded(experiment, store, TINY, made)
    assert is_up_to_date(experiment, store, TINY)
    assert is_up_to_date(replace(experiment, title="other words"), store, TINY)
    assert not is_up_to_date(replace(experiment, trace=(training, 4)), store, TINY)
    assert not is_up_to_date(experiment, store, replace(TINY, episodes=3))
    figure.rename(figure.with_suffix(".old"))
    assert not is_up_to_date(experiment, store, TINY)
    figure.with_suffix(".old").rename(figure)
    assert is_up_to_date(experiment, store, TINY)
    run_here(store, plan.Job(training, 1, 1))
    assert not is_up_to_date(experiment, store, TINY)


def test_policies_that_were_compared_are_not_compared_again_unless_asked_for(tmp_path: Path) -> None:
    store = Store(tmp_path / "results", tmp_path / "work")
    experiment = one_method(plan.experiments()["rendezvous-local-distance"])
    run_here(store, plan.Job(experiment.trainings[0], 0, 1))
    figure = store.experiment_folder(experiment.name) / "figure.png"
    drawn = []
    for again in (False, False, True):
        conclude(experiment, store, TINY, again=again)
        drawn.append(figure.stat().st_mtime_ns)
    assert drawn[0] == drawn[1] < drawn[2]
    store.own_policy_path(experiment.trainings[0], 0).unlink()
    run_here(store, plan.Job(experiment.trainings[0], 0, 2))
    conclude(experiment, store, TINY)
    assert figure.stat().st_mtime_ns > drawn[2]


def test_runs_are_evaluated_for_claims_without_figures(tmp_path: Path) -> None:
    store = Store(tmp_path / "results", tmp_path / "work")
    experiment = plan.experiments()["rendezvous-trace"]
    where = ["--results", str(store.results), "--work", str(store.work)]
    assert main(["reproduce", experiment.name, "--evaluate", *where]) == 0  # nothing to evaluate
    contest = one_method(plan.experiments()["rendezvous-local-distance"])
    run_here(store, plan.Job(contest.trainings[0], 0, 1))
    (made,) = evaluate_runs(contest, store, TINY)
    assert list(store.experiment_folder(contest.name).iterdir()) == [made]
    assert list(store.read_numbers(contest.name, made.name)["runs"]) == [contest.trainings[0].name]
    curves = one_method(plan.experiments()["rendezvous-local"])
    (made,) = evaluate_runs(curves, store, TINY)
    assert list(store.experiment_folder(curves.name).iterdir()) == [made]


def test_the_command_leaves_alone_what_is_up_to_date(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = Store(tmp_path / "results", tmp_path / "work")
    training = plan.experiments()["rendezvous-trace"].trainings[0]
    run_here(store, plan.Job(training, 0, 1))
    write_metrics(store.metrics_path(training, 0), *[{"mean_return": -1.0}] * training.iterations)
    where = ["--results", str(store.results), "--work", str(store.work)]
    figure = store.experiment_folder("rendezvous-trace") / "figure.png"
    for arguments, drawn in (([], True), ([], False), (["--redraw"], True)):
        before = figure.stat().st_mtime_ns if figure.is_file() else 0
        assert main(["reproduce", "rendezvous-trace", "--seeds", "1", *arguments, *where]) == 0
        assert (figure.stat().st_mtime_ns > before) == drawn
        assert ("figure.png" if drawn else "up to date") in capsys.readouterr().out


class FakePool:
    """A pool as the views see it."""

    def __init__(self, waiting: list[plan.Job]) -> None:
        self.waiting = waiting
        self.jobs_under_way: list[plan.Job] = []
        self.finished: list[plan.Job] = []
        self.failed: dict[str, str] = {}


def test_a_log_names_runs_as_they_begin_and_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path / "results", tmp_path / "work")
    training = plan.experiments()["rendezvous-trace"].trainings[0]
    first, second = plan.Job(training, 0, 8), plan.Job(training, 1, 8)
    pool, lines = FakePool([second]), []
    show = PlainProgress(store, lines.append)
    pool.jobs_under_way = [first]
    show(pool)
    show(pool)
    assert lines == [f"{training.name} seed 0: begins"]
    pool.finished, pool.jobs_under_way, pool.waiting = [first], [second], []
    show(pool)
    assert lines[1:] == [
        f"{training.name} seed 0: done  (1 done, 0 waiting, 0 failed)",
        f"{training.name} seed 1: begins",
    ]
    rows = {"seconds": 60.0, "mean_return": -5.0}, {"seconds": 120.0, "mean_return": -4.5}
    write_metrics(store.run_folder(training, 1).metrics, *rows)
    monkeypatch.setattr("swarmbed.study.live.PLAIN_EVERY", 0.0)
    show(pool)
    assert lines[3:] == [f"{training.name} seed 1: 2/8, return -4.50, 6 min left"]
    assert progress_table(pool, store).columns[1]._cells == ["2/8"]
