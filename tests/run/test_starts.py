"""Several short starts of which the most promising goes on."""

from pathlib import Path
from typing import Any

import pytest

import swarmbed
from swarmbed import BatchSettings, SwarmbedError
from swarmbed.algorithms.analytic import Analytic
from swarmbed.algorithms.trpo import Trpo
from swarmbed.embeddings.moments import Moments
from swarmbed.networks.perceptron import Perceptron
from swarmbed.run import starts
from swarmbed.run.checkpoint import Checkpoint
from swarmbed.run.folder import RunFolder
from swarmbed.run.settings import RunSettings
from toy_task import Drift

SMALL: dict[str, Any] = {
    "batch": BatchSettings(environments=4, segment=12, sampled_agents=2), "network": Perceptron((4,)),
    "embedding": Moments(), "algorithm": Trpo(value_epochs=1, cg_steps=2, line_search_steps=2), "progress": False,
}  # fmt: skip
pytestmark = pytest.mark.usefixtures("plugins_leave_no_trace", "toy_programs_are_kept")


def point(explained: list[float], steps: float = 0.0, seconds: float = 0.0) -> Checkpoint:
    rows = [
        {"iteration": float(i + 1), "explained_variance": value, "mean_return": -value, "offset": value}
        | {"env_steps": steps * (i + 1), "samples": 2 * steps * (i + 1), "seconds": seconds, "processor_seconds": 1.0}
        for i, value in enumerate(explained)
    ]
    return Checkpoint(len(rows), seconds, None, None, 0.0, rows)  # type: ignore[arg-type]


def test_starts_that_cannot_be_compared_are_an_error() -> None:
    nothing = [point([float("nan")]), point([float("nan")])]
    with pytest.raises(SwarmbedError, match="no start has a value of explained_variance yet"):
        starts.winner(nothing, "explained_variance", Drift())


def test_a_criterion_that_the_algorithm_does_not_measure_is_refused(tmp_path: Path) -> None:
    settings = SMALL | {"algorithm": Analytic()}
    with pytest.raises(SwarmbedError, match="does not measure explained_variance"):
        swarmbed.train(Drift(), iterations=2, starts="2:1", out=tmp_path / "run", **settings)


def test_a_start_is_judged_by_its_last_five_iterations() -> None:
    rows = point([9.0, 0.1, 0.2, 0.3, 0.4, 0.5]).rows or []
    assert starts.promise(rows, "explained_variance", Drift()) == pytest.approx(0.3)
    assert starts.promise([{"explained_variance": float("nan")}], "explained_variance", Drift()) == float("-inf")


@pytest.mark.parametrize(("criterion", "chosen"), [("explained_variance", 1), ("mean_return", 0), ("offset", 0)])
def test_the_largest_wins_or_the_smallest_where_the_task_says_that_lower_is_better(criterion: str, chosen: int) -> None:
    assert starts.winner([point([0.2]), point([0.7]), point([0.5])], criterion, Drift()) == chosen


def test_a_start_is_called_by_the_number_of_its_folder() -> None:
    said: list[str] = []
    starts.report([point([0.2]), point([0.7])], 1, RunSettings(starts="2:1"), Drift(), said.append)
    assert said == ["explained_variance of start 0: 0.2, start 1: 0.7; start 1 continues"]
    run = RunFolder(Path("runs") / "mine")
    assert (run.title, RunFolder(run.starts / "1").title) == ("mine", "start 1")


def test_what_the_other_starts_cost_is_counted_before_the_chosen_one() -> None:
    taken = starts.adopted([point([0.1, 0.1], 10, 3.0), point([0.9, 0.9], 10, 4.0), point([0.2, 0.2], 10, 5.0)], 1)
    # The others made 20 steps each, in 3 and 5 seconds.
    assert [row["env_steps"] for row in taken.rows or []] == [50, 60]
    assert [row["samples"] for row in taken.rows or []] == [100, 120]
    assert taken.seconds == 12.0
    assert (taken.rows or [])[0]["processor_seconds"] == 3.0


def test_starts_have_seeds_of_their_own_and_the_first_has_that_of_the_run() -> None:
    seeds = {
        starts.settings_of(RunSettings(seed=seed, starts="4:30"), number).seed
        for seed in range(8)
        for number in range(4)
    }
    assert len(seeds) == 32
    assert starts.settings_of(RunSettings(seed=5, starts="4:30"), 0).seed == 5


@pytest.mark.parametrize("text", ["4", "4:", ":30", "1:30", "4:0", "a:b", "4:30:2", "-4:30", "4.5:30"])
def test_anything_but_a_count_and_iterations_is_one_sentence(text: str) -> None:
    with pytest.raises(SwarmbedError, match="starts must be COUNT:ITERATIONS"):
        starts.parse(text)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"starts": "2:9"}, "starts must not be longer than the run's 2 iterations"),
        ({"starts": "many"}, "starts must be COUNT:ITERATIONS"),
    ],
)
def test_starts_that_cannot_be_are_one_sentence(settings: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(SwarmbedError, match=message):
        swarmbed.train(Drift(), iterations=2, out=tmp_path / "run", **settings, **SMALL)


def test_a_criterion_that_no_column_has_is_one_sentence() -> None:
    with pytest.raises(SwarmbedError, match="start_criterion must be one of mean_return, not 'luck'"):
        starts.check(RunSettings(starts="2:3", start_criterion="luck"), ("mean_return",))
