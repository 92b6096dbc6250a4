"""Runs spread over a real Ray cluster of two nodes on this machine."""

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from swarmbed.run.folder import RunFolder
from swarmbed.spec.errors import SwarmbedError
from swarmbed.study import plan
from swarmbed.study.budget import Budget
from swarmbed.study.ray_pool import RayPool, advance, pack, unpack
from swarmbed.study.store import Store

ray = pytest.importorskip("ray")
TRAINING = plan.experiments()["pursuit-trace"].trainings[0]
ITERATIONS = 60
SMALL = Budget(
    "small",
    ITERATIONS / TRAINING.iterations,
    2,
    {
        "task": {"num_agents": 3, "horizon": 6},
        "network": {"hidden": [4]},
        "batch": {"environments": 2, "segment": 6},
        "algorithm": {"value_epochs": 1, "cg_steps": 1},
    },
)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A cluster of two nodes with one core each."""
    from ray.cluster_utils import Cluster

    os.environ["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    cluster.add_node(num_cpus=1)
    yield cluster.address
    ray.shutdown()
    cluster.shutdown()


def workers() -> list[int]:
    """Processes that advance a run at this moment; Ray names them after the function."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            title = (folder / "cmdline").read_bytes()
        except OSError:  # it ended meanwhile
            continue
        if title.startswith(b"ray::advance"):
            found.append(int(folder.name))
    return found


def test_runs_are_spread_over_nodes_and_survive_a_killed_worker(address: str, tmp_path: Path) -> None:
    store = Store(tmp_path / "results", tmp_path / "work")
    jobs = [plan.Job(TRAINING, seed, ITERATIONS) for seed in (0, 1)]
    killed: list[int] = []
    most_at_once = 0

    def kill_one(pool: RayPool) -> None:
        nonlocal most_at_once
        busy = workers()
        most_at_once = max(most_at_once, len(busy))
        if len(busy) == 2 and not killed:
            killed.append(busy[0])
            os.kill(busy[0], signal.SIGKILL)

    pool = RayPool(store, SMALL, address, kill_one, slice_iterations=30)
    pool.run(jobs)
    assert killed, "no worker was seen at work"
    assert most_at_once == 2
    assert pool.failed == {}
    assert {job.seed for job in pool.finished} == {0, 1}
    fresh = Store(tmp_path / "other", tmp_path / "fresh")
    for job in jobs:
        assert len(store.rows(TRAINING, job.seed)) == ITERATIONS
        alone = tmp_path / f"alone-{job.seed}"
        unpack(advance(pack(fresh.prepare(TRAINING, job.seed, SMALL).path), ITERATIONS), alone)
        # Ray gives its workers one thread, so that sums may be rounded otherwise than here: the first iterations agree.
        ours, theirs = (
            RunFolder(path).read_metrics()[:2] for path in (alone, store.run_folder(TRAINING, job.seed).path)
        )
        assert [row["kl"] for row in ours] == pytest.approx([row["kl"] for row in theirs], rel=1e-2)


def test_a_free_core_asks_for_more_and_evaluations_run_here(address: str, tmp_path: Path) -> None:
    store = Store(tmp_path / "results", tmp_path / "work")
    ahead: list[plan.Work] = [plan.Evaluation("nothing"), plan.Job(TRAINING, 0, 1), plan.Evaluation("pursuit-trace")]
    pool = RayPool(store, replace(SMALL, name="quick", share=1 / TRAINING.iterations), address)
    pool.run([], lambda under_way: ahead.pop(0) if ahead else None)
    assert sorted(map(str, pool.finished)) == ["evaluation of pursuit-trace", f"{TRAINING.name} seed 0"]
    assert "'nothing' does not exist" in pool.failed["evaluation of nothing"]


def test_a_run_that_cannot_go_on_is_reported_and_the_others_finish(address: str, tmp_path: Path) -> None:
    store = Store(tmp_path / "results", tmp_path / "work")
    broken = store.prepare(TRAINING, 0, SMALL)
    settings = broken.read_config()
    broken.write_config(settings | {"task": {"name": "no such task"}})
    pool = RayPool(store, replace(SMALL, share=2 / TRAINING.iterations), address)
    pool.run([plan.Job(TRAINING, seed, 2) for seed in (0, 1)])
    assert list(pool.failed) == [f"{TRAINING.name} seed 0"]
    assert "no such task" in pool.failed[f"{TRAINING.name} seed 0"]
    assert [job.seed for job in pool.finished] == [1]


def test_a_cluster_that_does_not_answer_gives_one_sentence(tmp_path: Path) -> None:
    pool = RayPool(Store(tmp_path / "results", tmp_path / "work"), SMALL, "127.0.0.1:1")
    with pytest.raises(SwarmbedError, match=r"no Ray cluster answers at 127\.0\.0\.1:1"):
        pool.run([plan.Job(TRAINING, 0, 1)])
