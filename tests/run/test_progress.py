"""What a training run shows while it runs, in wide and narrow terminals and without one."""

import math
import re

import pytest

from swarmbed.run.progress import TrainingProgress
from swarmbed.tasks.metric import Metric

ROW = {"iteration": 1, "mean_return": -40.98, "mean_distance": 45.2, "kl": math.nan, "accepted": 1, "seconds": 2.0}
METRIC = Metric("mean_distance", "mean distance", unit="units", better="lower")


def shown(columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> str:
    for name, value in {"COLUMNS": str(columns), "FORCE_COLOR": "1", "TERM": "xterm"}.items():
        monkeypatch.setenv(name, value)
    with TrainingProgress("first", 300, 0, METRIC) as progress:
        progress.running()
        progress.iteration(ROW, 1890.0)
    last = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().err).replace("\r", "\n").strip()
    return last.splitlines()[-1]


def test_a_wide_terminal_shows_everything(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    line = shown(120, capsys, monkeypatch)
    assert line.startswith("first ━")
    assert "1/300  return   -40.98  mean distance 45.2 units  1,890 steps/s" in line


def test_forty_columns_show_the_return_and_cut_nothing_off(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    line = shown(40, capsys, monkeypatch)
    assert line.startswith("first 1/300  return   -40.98 ")
    assert "…" not in line


def test_without_a_terminal_there_are_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with TrainingProgress("first", 300, 0, METRIC) as progress:
        progress.iteration(ROW, 1890.0)
    assert capsys.readouterr().err == (
        "first  1/300  return   -40.98  mean distance 45.2 units  1,890 steps/s  598 s left\n"
    )
