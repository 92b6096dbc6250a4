"""What else a run writes: the metrics of a task of one's own; Weights & Biases, with a process of its own."""

from pathlib import Path

import pytest

from tiny_training import run_tiny

DRIFT = Path(__file__).parents[2] / "toy_task.py"


def test_the_columns_are_the_tasks_own_metrics(tmp_path: Path, plugins_leave_no_trace: None) -> None:
    assert run_tiny(tmp_path / "run", "--iterations", "1", "--plugin", str(DRIFT), task="toy_task") == 0
    header = (tmp_path / "run" / "metrics.csv").read_text().splitlines()[0].split(",")
    assert "offset" in header and "captured" not in header


def test_weights_and_biases_is_written_offline_without_a_login(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("wandb")
    monkeypatch.delenv("WANDB_API_KEY", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))  # no login of the user who runs the tests
    monkeypatch.setenv("WANDB_SILENT", "true")
    assert run_tiny(tmp_path / "run", "--iterations", "2", "--wandb") == 0
    assert list((tmp_path / "run" / "wandb").glob("offline-run-*/run-*.wandb"))
