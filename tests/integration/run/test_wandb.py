"""Weights & Biases, which starts a process of its own for every run."""

from pathlib import Path

import pytest

from tiny_training import run_tiny


def test_weights_and_biases_is_written_offline_without_a_login(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("wandb")
    monkeypatch.delenv("WANDB_API_KEY", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))  # no login of the user who runs the tests
    monkeypatch.setenv("WANDB_SILENT", "true")
    assert run_tiny(tmp_path / "run", "--iterations", "2", "--wandb") == 0
    assert list((tmp_path / "run" / "wandb").glob("offline-run-*/run-*.wandb"))
