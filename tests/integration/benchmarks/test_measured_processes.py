"""Benchmarks in processes of their own, as users run them. Nothing here asserts a time."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from swarmbed.benchmarks import startup
from swarmbed.cli.main import main


def test_bench_prints_a_table_and_writes_the_same_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "new" / "bench.json"
    assert main(["bench", "--quick", "--only", "matrix-product", "--json", str(path)]) == 0
    report = json.loads(path.read_text())
    assert list(report["groups"]) == ["machine"] and report["quick"] is True
    facts = report["groups"]["machine"]["rows"]["matrix-product"]
    printed = capsys.readouterr().out
    assert f"{facts['gflops']:.1f}" in printed and report["machine"]["processor"] in printed
    assert facts["gflops"] == pytest.approx(2 * 1024**3 / facts["median_seconds"] / 1e9, rel=1e-3)
    assert facts["cores"] == 1 and facts["repetitions"] == 2 and facts["peak_memory_mib"] > 12  # three 1024² arrays
    if hasattr(os, "sched_setaffinity"):
        assert len(facts["pinned"]) == 1


def test_the_modules_that_training_needs_can_be_imported() -> None:
    assert startup.imported(startup.TRAINING) > 0
    with pytest.raises(subprocess.CalledProcessError):
        startup.imported("swarmbed.nothing")
