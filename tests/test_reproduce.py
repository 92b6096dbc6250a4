"""The paper's study: the plan, and a tiny version of one method of every experiment, end to end."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from swarmbed.cli import main
from swarmbed.paper.base import Experiment
from swarmbed.reproduction import plan
from swarmbed.reproduction.budget import BUDGETS, Budget
from swarmbed.reproduction.freshness import is_up_to_date, mark_concluded
from swarmbed.reproduction.live import PlainProgress, progress_table
from swarmbed.reproduction.local import LocalPool
from swarmbed.reproduction.outcome import conclude, median_of_top
from swarmbed.reproduction.ray_pool import advance, pack, unpack
from swarmbed.reproduction.store import Store, compact_json, score
from swarmbed.run_folder import RunFolder
from swarmbed.train import Outputs, resume_run

SMALL = {
    "task": {"num_agents": 3, "horizon": 6},
    "batch": {"environments": 2, "segment": 6, "hidden": [4]},
    "algorithm": {"value_epochs": 1, "cg_steps": 1},
}
TINY = Budget("tiny", 0.01, 2, SMALL, most_seeds=1)


def one_method(experiment: Experiment) -> Experiment:
    """The experiment with its first method and smallest swarm only."""
    trainings = experiment.trainings[:1]
    contest = experiment.contest and replace(experiment.contest, trainings=trainings, agents=(3,))
    trace = experiment.trace and (experiment.trace[0], 3)
    return replace(experiment, trainings=trainings, contest=contest, trace=trace)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    folder = tmp_path_factory.mktemp("study")
    return Store(folder / "results", folder / "work")


@pytest.fixture
def short_episodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("swarmbed.reproduction.outcome.CAPTURE_EPISODES", 2)
    monkeypatch.setattr("swarmbed.reproduction.cost.CALLS", 2)
    monkeypatch.setattr("swarmbed.reproduction.outcome.make_task", _short_task)


def run_here(store: Store, job: plan.Job) -> None:
    """What a worker process does, in this one."""
    folder = store.prepare(job.training, job.seed, TINY)
    resume_run(folder.path, iterations=job.iterations, outputs=Outputs(progress=False), num_devices=1)
    store.harvest(job.training, job.seed)


@pytest.mark.parametrize("name", list(plan.experiments()))
def test_every_experiment_runs_from_training_to_figure(name: str, store: Store, short_episodes: None) -> None:
    _from_training_to_figure(one_method(plan.experiments()[name]), store)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(plan.experiments()))
def test_every_method_of_every_experiment_ends_in_a_figure(name: str, store: Store, short_episodes: None) -> None:
    experiment = plan.experiments()[name]
    contest = experiment.contest and replace(experiment.contest, agents=(3,))
    _from_training_to_figure(
        replace(experiment, contest=contest, trace=experiment.trace and (experiment.trace[0], 3)), store
    )


def _from_training_to_figure(experiment: Experiment, store: Store) -> None:
    for job in plan.missing([experiment], store, TINY, None):
        run_here(store, job)
    assert plan.missing([experiment], store, TINY, None) == []
    made = conclude(experiment, store, TINY)
    assert made
    assert all(path.stat().st_size > 100 for path in made)


def _short_task(name: str, **settings: object) -> object:
    from swarmbed.tasks import make_task

    return make_task(name, **{**settings, "horizon": 6})


def test_the_study_covers_every_experiment_in_the_stated_order() -> None:
    assert list(plan.experiments()) == list(plan.ORDER)


def test_trainings_shared_by_experiments_are_run_once(tmp_path: Path) -> None:
    empty = Store(tmp_path / "results", tmp_path / "work")
    known = plan.experiments()
    both = [known["rendezvous-global"], known["rendezvous-global-distance"]]
    assert len(plan.missing(both, empty, BUDGETS["paper"], 1)) == 5
    assert len(plan.missing(both, empty, BUDGETS["paper"], 3)) == 15


def test_the_same_name_always_means_the_same_training() -> None:
    seen: dict[str, object] = {}
    for experiment in plan.experiments().values():
        for training in experiment.trainings:
            assert seen.setdefault(training.name, training) == training


def test_the_time_left_comes_from_runs_of_the_same_task(tmp_path: Path) -> None:
    """Two iterations of five processor seconds each were recorded, and four of eight seconds by the clock."""
    store = Store(tmp_path / "results", tmp_path / "work")
    nn, rbf, *_, other = (
        t for name in ("rendezvous-global", "multi-pursuit") for t in plan.chosen([name])[0].trainings
    )
    jobs = [plan.Job(nn, 1, 10), plan.Job(rbf, 1, 20)]
    assert plan.duration(jobs, store, workers=2) is None
    _finished(store.metrics_path(nn, 0), "iteration,seconds,processor_seconds\n1,50,5\n2,90,10\n")
    assert plan.duration(jobs, store, workers=2) == (10 + 20) * 5 / 2
    _finished(store.metrics_path(rbf, 0), "iteration,seconds\n4,32\n")
    assert plan.duration(jobs, store, workers=2) == (10 * 5 + 20 * 8) / 2
    store.metrics_path(rbf, 1).write_text("iteration,seconds,processor_seconds\n4,32,12\n")
    assert plan.duration(jobs, store, workers=2) == (10 * 5 + 20 * 3) / 2
    assert plan.duration([plan.Job(other, 0, 10)], store, workers=2) is None


def _finished(path: Path, metrics: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(metrics)


def test_the_least_that_counts_is_asked_for() -> None:
    known = plan.experiments()
    for name in ("rendezvous-global", "rendezvous-local", "pursuit-global", "pursuit-local"):
        assert known[name].seeds >= 2
    pooling = known["pooling"]
    assert {plan.seeds_of(pooling, t, BUDGETS["paper"], None) for t in pooling.trainings if "pursuit" in t.name} == {4}


def test_a_killed_worker_is_taken_up_again(tmp_path: Path) -> None:
    store = Store(tmp_path / "results", tmp_path / "work")
    training = plan.experiments()["pursuit-trace"].trainings[0]
    job = plan.Job(training, 0, 400)
    killed: list[int] = []

    def kill_once(pool: LocalPool) -> None:
        rows = store.run_folder(training, 0).read_metrics()
        if pool.running and rows and not killed:
            killed.append(len(rows))
            os.kill(pool.running[0].process.pid, signal.SIGKILL)

    pool = LocalPool(store, replace(TINY, share=400 / training.iterations), 1, kill_once)
    pool.run([job])
    assert killed
    assert pool.failed == {}
    assert len(store.rows(training, 0)) == 400


def test_workers_end_with_a_pool_that_was_killed(tmp_path: Path) -> None:
    """Even by SIGKILL, which leaves the pool no time to stop them."""
    alive = tmp_path / "alive"
    worker = "import pathlib, threading, time\nfrom swarmbed.reproduction.worker import end_with_the_pool\n"
    worker += "threading.Thread(target=end_with_the_pool, daemon=True).start()\n"
    worker += f"while True: pathlib.Path({str(alive)!r}).write_text(str(time.time())); time.sleep(0.05)"
    pool = "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', sys.argv[1]], stdin=subprocess.PIPE).wait()"
    process = subprocess.Popen([sys.executable, "-c", pool, worker])
    deadline = time.monotonic() + 60
    while not alive.is_file() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.kill()
    process.wait()
    time.sleep(1.0)
    last_sign = alive.read_text()
    time.sleep(0.5)
    assert alive.read_text() == last_sign


def test_a_worker_whose_pool_is_there_ends_with_its_own_exit_code() -> None:
    for arguments, code in ((["list", "--help"], 0), (["no such command"], 2)):
        command = [sys.executable, "-m", "swarmbed.reproduction.worker", "0", *arguments]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        assert subprocess.Popen(command, stdin=subprocess.PIPE, **quiet).wait(60) == code


def test_a_study_that_is_stopped_goes_on_later(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "swarmbed", "reproduce", "rendezvous-trace", "--budget", "quick", "--workers", "1"]
    command += ["--results", str(tmp_path / "results"), "--work", str(tmp_path / "work")]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    config = tmp_path / "work" / "rendezvous-global-nn-extended" / "seed-0" / "config.toml"
    while not config.is_file() and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 130
    assert config.is_file()
    assert not list((tmp_path / "results").glob("**/*.csv"))


def test_slices_of_a_run_end_where_the_whole_run_does(tmp_path: Path) -> None:
    """What a cluster does with a run: bytes in, a few more iterations, bytes out."""
    store = Store(tmp_path / "results", tmp_path / "work")
    training = plan.experiments()["pursuit-trace"].trainings[0]
    folder = store.prepare(training, 0, TINY)
    content = pack(folder.path)
    sliced = advance(advance(content, 2), 4)
    whole = advance(content, 4)
    for name, archive in (("sliced", sliced), ("whole", whole)):
        unpack(archive, tmp_path / name)
    assert len(RunFolder(tmp_path / "sliced").read_metrics()) == 4
    one, other = (load_file(tmp_path / name / "policy.safetensors") for name in ("sliced", "whole"))
    assert all(np.array_equal(one[key], other[key]) for key in other)


def test_curves_show_the_median_of_the_best_five() -> None:
    runs = [[{"mean_return": float("nan")}, {"mean_return": float(value)}] for value in (1, 2, 3, 4, 5, 6, -100)]
    curve = median_of_top(runs)
    assert list(np.asarray(curve.x)) == [2]
    assert list(np.asarray(curve.y)) == [4.0]  # of 2, 3, 4, 5, 6
    assert score(runs[0]) == 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "experiment 'nothing' does not exist"),
        (["cost", "--seeds", "0"], "--seeds must be at least 1"),
        (["cost", "--workers", "0"], "--workers must be at least 1"),
        (["rendezvous-trace", "--on", "mars"], "--on must be local, ray or ray://HOST:PORT"),
        (["rendezvous-trace", "--redraw"], "lacks rendezvous-global-nn-extended"),
    ],
)
def test_wrong_input_is_one_sentence(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--results", str(tmp_path / "results"), "--work", str(tmp_path / "work")]
    assert main(["reproduce", *arguments, *where]) == 2
    assert message in capsys.readouterr().err


def test_the_overview_names_every_experiment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "--results", str(tmp_path / "results")]) == 0
    shown = capsys.readouterr().out
    assert all(name.split("-")[0] in shown for name in plan.experiments())


def test_finished_parts_are_not_repeated(tmp_path: Path, short_episodes: None) -> None:
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


def test_the_command_leaves_alone_what_is_up_to_date(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = Store(tmp_path / "results", tmp_path / "work")
    training = plan.experiments()["rendezvous-trace"].trainings[0]
    run_here(store, plan.Job(training, 0, 1))
    store.metrics_path(training, 0).write_text("iteration,mean_return\n" + "1,-1\n" * training.iterations)
    where = ["--results", str(store.results), "--work", str(store.work)]
    figure = store.experiment_folder("rendezvous-trace") / "figure.png"
    for arguments, drawn in (([], True), ([], False), (["--redraw"], True)):
        before = figure.stat().st_mtime_ns if figure.is_file() else 0
        assert main(["reproduce", "rendezvous-trace", *arguments, *where]) == 0
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
        f"{training.name} seed 0: done  (1 runs done, 0 waiting, 0 failed)",
        f"{training.name} seed 1: begins",
    ]
    _finished(store.run_folder(training, 1).metrics, "iteration,seconds,mean_return\n1,60,-5\n2,120,-4.5\n")
    monkeypatch.setattr("swarmbed.reproduction.live.PLAIN_EVERY", 0.0)
    show(pool)
    assert lines[3:] == [f"{training.name} seed 1: 2/8, return -4.50, 6 min left"]
    assert progress_table(pool, store).columns[1]._cells == ["2/8"]


def test_a_curve_takes_one_line_of_a_file_of_numbers() -> None:
    numbers = {"a": {"curve": [0.25, 1.0, None], "bands": [[1, 2], [3, 4]]}, "text": "x [1,  2]"}
    text = compact_json(numbers)
    assert '"curve": [ 0.25, 1.0, null ],' in text
    assert len(text.splitlines()) == 10
    assert json.loads(text) == numbers


def test_numbers_are_written_as_json(store: Store) -> None:
    path = store.write_numbers("cost", "numbers.json", {"a": 1.5})
    assert json.loads(path.read_text()) == {"a": 1.5}
