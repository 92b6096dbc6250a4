"""Policies with swarms of other sizes: equal starts, worlds that grow, budgets, what is kept, the command around it."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import swarmbed
from swarmbed.cli.main import main
from swarmbed.embeddings.concatenation import Concatenation
from swarmbed.evaluation import transfer as transfer_module
from swarmbed.evaluation.evaluate import evaluate
from swarmbed.evaluation.transfer import episodes_of, mean_estimate, task_of, transfer
from swarmbed.evaluation.transfer_matrix import TransferMatrix
from toy_task import Constant, Drift
from untrained import random_policy

pytestmark = pytest.mark.usefixtures("short_compilations")
STILL, MOVING = Constant(0.0), Constant(0.5)
HOW: dict[str, Any] = {"num_agents": [2, 5], "episodes": 4, "progress": False}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("transfer")


@pytest.fixture(scope="module")
def matrix(folder: Path) -> TransferMatrix:
    return transfer({"still": STILL, "both": [STILL, MOVING]}, Drift(), out=folder, **HOW)


def test_a_cell_is_an_evaluation_with_that_many_agents(matrix: TransferMatrix) -> None:
    wanted = evaluate(STILL, Drift(num_agents=5), episodes=4, progress=False)
    cell = matrix.cells["still"][5]
    assert cell.returns.value == pytest.approx(wanted.returns.mean())
    assert cell.final is not None and cell.final.value == pytest.approx(wanted.curves["offset"][:, -1].mean())
    floor = evaluate("random", Drift(num_agents=2), episodes=4, progress=False).returns.mean()
    assert matrix.floor[2].returns.value == pytest.approx(floor)


def test_several_trainings_are_one_row_with_their_mean(matrix: TransferMatrix) -> None:
    cell = matrix.cells["both"][2]
    moving = evaluate(MOVING, Drift(num_agents=2), episodes=4, progress=False).returns.mean()
    assert cell.return_of_runs == pytest.approx((matrix.cells["still"][2].returns.value, moving))
    assert cell.returns.value == pytest.approx(sum(cell.return_of_runs) / 2)


def test_what_was_measured_is_not_measured_again(
    matrix: TransferMatrix, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfer_module, "evaluate", lambda *_, **__: pytest.fail("it was run again"))
    again = transfer({"still": STILL, "both": [STILL, MOVING]}, Drift(), out=folder, **HOW)
    assert again.summary() == matrix.summary()


def test_fewer_episodes_are_the_first_of_what_was_measured(
    matrix: TransferMatrix, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(folder / "parts", tmp_path / "parts")
    wanted = evaluate(STILL, Drift(num_agents=5), episodes=2, progress=False).returns.mean()
    monkeypatch.setattr(transfer_module, "evaluate", lambda *_, **__: pytest.fail("it was run again"))
    fewer = transfer({"still": STILL}, Drift(), out=tmp_path, **HOW | {"episodes": 2})
    assert fewer.cells["still"][5].returns.value == pytest.approx(wanted) and fewer.episodes == {2: 2, 5: 2}


def test_what_there_is_so_far_is_shown_without_measuring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    how = HOW | {"out": tmp_path}
    transfer({"still": STILL}, Drift(), **how)
    transfer({"moving": MOVING}, Drift(), **how | {"num_agents": [5]})
    monkeypatch.setattr(transfer_module, "evaluate", lambda *_, **__: pytest.fail("it was run"))
    rows = {"still": STILL, "moving": MOVING, "never": Constant(0.1)}
    found = transfer(rows, Drift(), **how | {"num_agents": [2, 5, 9], "so_far": True})
    assert found.sizes == [2, 5] and {name: list(row) for name, row in found.cells.items()} == {
        "still": [2, 5],
        "moving": [5],
    }
    assert "moving: not measured yet" in str(found) and "cannot run" not in str(found)


def test_where_nothing_was_measured_that_is_said(tmp_path: Path) -> None:
    with pytest.raises(swarmbed.SwarmbedError, match="nothing was measured in"):
        transfer([STILL], Drift(), **HOW | {"out": tmp_path, "so_far": True})


def test_a_matrix_is_a_picture_numbers_and_text(matrix: TransferMatrix, folder: Path) -> None:
    report = json.loads((folder / "transfer.json").read_text())
    assert [column["agents"] for column in report["columns"]] == [2, 5]
    assert report["rows"]["still"]["cells"]["2"]["return_mean"] == pytest.approx(
        matrix.cells["still"][2].returns.value, rel=1e-6
    )
    assert (folder / "transfer.png").stat().st_size > 1000
    assert "mean coordinate after 12" in (folder / "transfer.txt").read_text()


def test_progress_ends_with_all_of_the_work() -> None:
    # 4 episodes of 2 and of 5 agents, for one policy and the floor.
    told: list[int] = []
    transfer([STILL], Drift(), **HOW | {"progress": told.append})
    assert told[-1] == 4 * (2 + 5) * 2 and told == sorted(told)


def test_at_constant_density_the_area_grows_with_the_swarm() -> None:
    base = swarmbed.make("rendezvous-local", num_agents=20, width=100, height=50)
    grown = task_of(base, 80, "constant")
    assert (grown.num_agents, grown.width, grown.height) == (80, 200.0, 100.0)
    kept = task_of(base, 80, "growing")
    assert (kept.num_agents, kept.width, kept.height) == (80, 100.0, 50.0)


def test_a_task_without_a_world_has_no_constant_density() -> None:
    with pytest.raises(swarmbed.SwarmbedError, match="has no width and height"):
        transfer([STILL], Drift(), density="constant", **HOW)


@pytest.mark.parametrize(("agents", "wanted"), [(1, 100), (20, 50), (50, 20), (1000, 8)])
def test_large_swarms_get_the_episodes_that_a_budget_allows(agents: int, wanted: int) -> None:
    # 12,000 agent-steps, episodes of 12 steps: 1000 / agents of them, at most 100 and at least 8.
    assert episodes_of(Drift(num_agents=agents), 100, 12_000) == wanted


def test_fewer_episodes_than_the_least_can_be_asked_for() -> None:
    assert episodes_of(Drift(num_agents=1000), 3, 12_000) == 3


def test_a_size_that_a_policy_cannot_run_with_is_an_empty_cell() -> None:
    task = swarmbed.make("rendezvous", num_agents=3, horizon=3)
    policy = random_policy(task, Concatenation(units=4))
    matrix = transfer({"concatenation": policy}, task, num_agents=[3, 4], episodes=2, progress=False)
    assert list(matrix.cells["concatenation"]) == [3] and list(matrix.missing["concatenation"]) == [4]
    assert "cannot run" in str(matrix) and matrix.summary()["rows"]["concatenation"]["cells"].keys() == {"3"}


def test_a_policy_that_fits_no_size_is_refused_with_the_reason() -> None:
    task = swarmbed.make("rendezvous", num_agents=3, horizon=3)
    with pytest.raises(swarmbed.SwarmbedError, match="concatenation: "):
        transfer({"concatenation": random_policy(task, Concatenation(units=4))}, task, **HOW)


def test_all_of_a_few_episodes_leave_room_for_doubt_about_a_share() -> None:
    # Wilson, 8 of 8: 1 / (1 + 1.96² / 8) = 0.676.
    found = mean_estimate(np.ones((1, 8)), is_share=True)
    assert (found.value, found.high) == (1.0, 1.0) and found.low == pytest.approx(0.676, abs=1e-3)
    assert mean_estimate(np.ones((1, 8))).low == 1.0


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ([], "name at least one policy"),
        (["consensus", "--density", "falling"], "invalid choice"),
        (["consensus", "--agents", "0"], "at least 1"),
        (["consensus", "--iterations", "5"], "--iterations goes with --train"),
        (["consensus", "--observe", "comm", "--task", "rendezvous"], "goes with --train"),
        (["--train", "5..x", "--task", "rendezvous"], "a range such as 5..20"),
        (["--train", "5"], "--train needs --task"),
        (["--train", "5", "--task", "rendezvous", "--so-far"], "--so-far measures and trains nothing"),
        (["consensus", "consensus"], "two policies are called 'consensus'"),
        (["voronoi_pursuit", "--task", "rendezvous"], "does not fit"),
    ],
)
def test_a_wrong_call_is_one_sentence(argv: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["transfer", *argv, "--out", "never"]) == 2
    assert words in capsys.readouterr().err and not Path("never").exists()


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Settings of a training that is over at once."""
    path = tmp_path / "small.toml"
    path.write_text("[batch]\nenvironments = 2\nsegment = 4\nsampled_agents = 2\n[embedding]\nfeatures = [4]\n")
    return path


def command_of(folder: Path, settings: Path, *sizes: str) -> list[str]:
    start = ["transfer", "--task", "rendezvous-local", "--horizon", "4", "--config", str(settings), "--iterations", "1"]
    return [*start, "--train", *sizes, "--agents", "2", "3", "--episodes", "2", "--out", str(folder / "out")]


def test_the_command_trains_evaluates_and_goes_on(
    tmp_path: Path, small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = command_of(tmp_path, small, "2", "2..4")
    assert main(command) == 0
    printed = capsys.readouterr().out
    assert "trained 2..4" in printed and "mean distance after 4" in printed
    trained = tmp_path / "out" / "trained" / "2..4" / "seed-0" / "policy.safetensors"
    before = trained.stat().st_mtime_ns
    assert main(command) == 0 and capsys.readouterr().out == printed
    report = json.loads((tmp_path / "out" / "transfer.json").read_text())
    assert report["rows"]["trained 2..4"]["trained_with"] == "2..4" and trained.stat().st_mtime_ns >= before


def test_trainings_with_other_settings_are_not_taken_for_ours(
    tmp_path: Path, small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = command_of(tmp_path, small, "2")
    assert main(command) == 0
    capsys.readouterr()
    assert main([*command, "--width", "50"]) == 2
    assert "was trained with width = 100.0, not 50.0; choose another --out" in capsys.readouterr().err


def test_a_training_goes_on_to_more_iterations_and_never_back(
    tmp_path: Path, small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = command_of(tmp_path, small, "2")
    metrics = tmp_path / "out" / "trained" / "2" / "seed-0" / "metrics.csv"
    assert main([*command, "--iterations", "2"]) == 0 and len(metrics.read_text().splitlines()) == 3
    assert main([*command, "--iterations", "3"]) == 0 and len(metrics.read_text().splitlines()) == 4
    capsys.readouterr()
    assert main(command) == 2
    assert "was trained with iterations = 3, not 1" in capsys.readouterr().err
