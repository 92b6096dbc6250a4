"""How long runs will take, from hand-made records of earlier ones."""

from pathlib import Path

import pytest

from metrics_files import write_metrics
from swarmbed import __version__
from swarmbed.study import plan
from swarmbed.study.experiments.base import Training
from swarmbed.study.pace import Pace
from swarmbed.study.store import Store

CLOCK, PROCESSOR = "seconds", "processor_seconds"
NN, RBF, HIST, *_, OTHER = (
    training for name in ("rendezvous-global", "multi-pursuit") for training in plan.chosen([name])[0].trainings
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "results", tmp_path / "work")


def record(store: Store, training: Training, seed: int, seconds: float, version: str = __version__) -> None:
    """A run of two iterations that took so many processor seconds each."""
    path = store.metrics_path(training, seed)
    write_metrics(path, *({CLOCK: 99.0 * number, PROCESSOR: seconds * number} for number in (1, 2)))
    path.with_suffix(".toml").write_text(f"# swarmbed {version}, commit 0123abc, generation 1\n")


def test_the_time_left_comes_from_runs_of_the_same_task(store: Store) -> None:
    """Two iterations of five processor seconds each were recorded, and four of eight seconds by the clock."""
    jobs = [plan.Job(NN, 1, 10), plan.Job(RBF, 1, 20)]
    assert Pace(store).duration(jobs, workers=2) is None
    write_metrics(store.metrics_path(NN, 0), {CLOCK: 50.0, PROCESSOR: 5.0}, {CLOCK: 90.0, PROCESSOR: 10.0})
    assert Pace(store).duration(jobs, workers=2) == (10 + 20) * 5 / 2
    by_the_clock = [{CLOCK: 8.0 * number} for number in range(1, 5)]
    write_metrics(store.metrics_path(RBF, 0), *by_the_clock)
    assert Pace(store).duration(jobs, workers=2) == (10 * 5 + 20 * 8) / 2
    write_metrics(store.metrics_path(RBF, 1), *(row | {PROCESSOR: row[CLOCK] * 3 / 8} for row in by_the_clock))
    assert Pace(store).duration(jobs, workers=2) == (10 * 5 + 20 * 3) / 2
    assert Pace(store).duration([plan.Job(OTHER, 0, 10)], workers=2) is None


def test_the_last_seed_counts(store: Store) -> None:
    """Ten seeds: the tenth comes after the third, though not in the order of the alphabet."""
    record(store, NN, 2, 7.0)
    record(store, NN, 10, 4.0)
    assert Pace(store).seconds_per_iteration(NN) == 4.0


def test_runs_of_a_slower_version_are_scaled(store: Store) -> None:
    """Both versions trained NN (10 and 12 against 4 seconds) and RBF (8 against 2); only the older one HIST (9). The
    ratios are 4/11 and 2/8, their median 27/88."""
    for seed, seconds in enumerate((10.0, 12.0)):
        record(store, NN, seed, seconds, "0.0.1")
    record(store, NN, 2, 4.0)
    record(store, RBF, 0, 8.0, "0.0.1")
    record(store, RBF, 1, 2.0)
    record(store, HIST, 0, 9.0, "0.0.1")
    pace = Pace(store)
    assert pace.seconds_per_iteration(NN) == 4.0
    assert pace.seconds_per_iteration(HIST) == pytest.approx(9 * (4 / 11 + 2 / 8) / 2)


def test_nothing_to_compare_with_leaves_them_as_they_are(store: Store) -> None:
    record(store, HIST, 0, 9.0, "0.0.1")
    assert Pace(store).seconds_per_iteration(HIST) == 9.0
