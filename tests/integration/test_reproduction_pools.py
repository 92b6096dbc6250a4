"""Runs in processes of their own: what is killed is taken up again, and nothing outlives its pool."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from swarmbed.run.folder import RunFolder
from swarmbed.run.stopping import Interrupted
from swarmbed.study import plan
from swarmbed.study.local import LocalPool
from swarmbed.study.ray_pool import advance, pack, unpack
from swarmbed.study.store import Store
from tiny_study import TINY


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


def test_a_free_worker_asks_for_more_and_evaluations_run_like_trainings(tmp_path: Path) -> None:
    store = Store(tmp_path / "results", tmp_path / "work")
    training = plan.experiments()["pursuit-trace"].trainings[0]
    ahead: list[plan.Work] = [plan.Job(training, 0, 1), plan.Evaluation("pursuit-trace"), plan.Evaluation("nothing")]
    seen: list[int] = []

    def more(under_way: Sequence[plan.Work]) -> plan.Work | None:
        seen.append(len(under_way))
        return ahead.pop(0) if ahead else None

    pool = LocalPool(store, replace(TINY, name="quick"), 1)
    pool.run([], more)
    assert [str(work) for work in pool.finished] == [f"{training.name} seed 0", "evaluation of pursuit-trace"]
    assert "'nothing' does not exist" in pool.failed["evaluation of nothing"]  # after three attempts
    assert seen == [0] * 4
    assert store.metrics_path(training, 0).is_file()


def test_a_pool_that_is_asked_to_stop_leaves_a_checkpoint_of_the_last_iteration(tmp_path: Path) -> None:
    store = Store(tmp_path / "results", tmp_path / "work")
    training = plan.experiments()["pursuit-trace"].trainings[0]
    asked: list[bool] = []

    def ask_once(pool: LocalPool) -> None:
        if store.run_folder(training, 0).read_metrics() and not asked:
            asked.append(True)
            os.kill(os.getpid(), signal.SIGTERM)

    pool = LocalPool(store, replace(TINY, share=1.0), 1, ask_once)
    with pytest.raises(Interrupted, match="the same command resumes the runs") as stopped:
        pool.run([plan.Job(training, 0, 100_000)])
    assert stopped.value.exit_code == 143
    folder = store.run_folder(training, 0)
    done = len(folder.read_metrics())
    assert (folder.checkpoints / f"{done:06d}.safetensors").is_file()
    assert f"stopped after iteration {done}; resume with" in (folder.path / "log.txt").read_text()


def test_workers_end_with_a_pool_that_was_killed(tmp_path: Path) -> None:
    """Even by SIGKILL, which leaves the pool no time to stop them."""
    alive = tmp_path / "alive"
    worker = "import pathlib, threading, time\nfrom swarmbed.study.worker import end_with_the_pool\n"
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
        command = [sys.executable, "-m", "swarmbed.study.worker", "0", *arguments]
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
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:  # Python loses an interrupt that comes while it cleans up an object
        process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
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
