"""Whole runs that begin with several starts."""

from pathlib import Path
from typing import Any

import pytest

import swarmbed
from swarmbed import BatchSettings
from swarmbed.algorithms.trpo import Trpo
from swarmbed.embeddings.moments import Moments
from swarmbed.networks.perceptron import Perceptron
from swarmbed.run import starts
from swarmbed.run.folder import RunFolder
from swarmbed.run.settings import RunSettings
from toy_task import Drift

SMALL: dict[str, Any] = {
    "batch": BatchSettings(environments=4, segment=12, sampled_agents=2), "network": Perceptron((4,)),
    "embedding": Moments(), "algorithm": Trpo(value_epochs=1, cg_steps=2, line_search_steps=2), "progress": False,
}  # fmt: skip
pytestmark = pytest.mark.usefixtures("plugins_leave_no_trace", "toy_programs_are_kept")


def test_the_run_goes_on_where_the_most_promising_start_ended(tmp_path: Path) -> None:
    result = swarmbed.train(Drift(), iterations=4, starts="3:2", out=tmp_path / "run", **SMALL)
    folders = [RunFolder(tmp_path / "run" / "starts" / str(number)) for number in range(3)]
    tables = [folder.read_metrics() for folder in folders]
    assert [len(table) for table in tables] == [2, 2, 2]
    best = max(tables, key=lambda table: sum(row["explained_variance"] for row in table))
    assert [row["mean_return"] for row in result.metrics[:2]] == [row["mean_return"] for row in best]
    # 4 environments × 12 steps; two starts of two iterations came before.
    assert [row["env_steps"] for row in result.metrics] == [48 * n for n in (5, 6, 7, 8)]
    assert result.metrics[-1]["samples"] == 2 * 48 * 8
    again = swarmbed.train(Drift(), iterations=4, starts="3:2", out=tmp_path / "again", **SMALL)
    assert RunFolder(again.folder).policy.read_bytes() == RunFolder(result.folder).policy.read_bytes()
    longer = swarmbed.train(resume=tmp_path / "run", iterations=5, progress=False)
    assert [row["env_steps"] for row in longer.metrics] == [48 * n for n in (5, 6, 7, 8, 9)]


def test_a_search_that_was_stopped_ends_like_one_that_was_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = swarmbed.train(Drift(), iterations=3, starts="3:2", out=tmp_path / "whole", **SMALL)
    real = starts.settings_of

    def fail_at_the_last(run: RunSettings, number: int) -> RunSettings:
        if number == 2:
            raise KeyboardInterrupt
        return real(run, number)

    monkeypatch.setattr(starts, "settings_of", fail_at_the_last)
    with pytest.raises(KeyboardInterrupt):
        swarmbed.train(Drift(), iterations=3, starts="3:2", out=tmp_path / "parts", **SMALL)
    monkeypatch.undo()
    resumed = swarmbed.train(resume=tmp_path / "parts", progress=False)
    assert RunFolder(resumed.folder).policy.read_bytes() == RunFolder(whole.folder).policy.read_bytes()
    assert [row["env_steps"] for row in resumed.metrics] == [row["env_steps"] for row in whole.metrics]


def test_a_folder_with_starts_can_be_overwritten(tmp_path: Path) -> None:
    swarmbed.train(Drift(), iterations=2, starts="2:1", out=tmp_path / "run", **SMALL)
    logged = tmp_path / "run" / "starts" / "0" / "tensorboard"
    logged.mkdir()
    swarmbed.train(Drift(), iterations=1, out=tmp_path / "run", overwrite=True, **SMALL)
    assert list((tmp_path / "run" / "starts").rglob("*")) == [logged.parent, logged]  # what loggers wrote stays
    logged.rmdir()
    swarmbed.train(Drift(), iterations=2, starts="2:1", out=tmp_path / "run", overwrite=True, **SMALL)
    swarmbed.train(Drift(), iterations=1, out=tmp_path / "run", overwrite=True, **SMALL)
    assert not (tmp_path / "run" / "starts").exists()
