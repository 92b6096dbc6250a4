"""A run whose process is killed."""

import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from swarmbed.run.folder import RunFolder
from tiny_training import TINY, resume, run_tiny, same_policy


def test_a_run_killed_without_warning_ends_as_if_nothing_had_happened(tmp_path: Path) -> None:
    finished = tmp_path / "whole"
    assert run_tiny(finished, "--iterations", "6", "--seed", "5") == 0
    out = tmp_path / "killed"
    command = [sys.executable, "-m", "swarmbed", "train", "pursuit", *TINY, "--iterations", "6", "--seed", "5"]
    process = subprocess.Popen([*command, "--out", str(out)], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 600
    while not list((out / "checkpoints").glob("0*.safetensors")) and time.monotonic() < deadline:
        time.sleep(0.001)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    rows = RunFolder(out).read_metrics()
    assert 2 <= len(rows) <= 6
    assert resume(out) == 0
    assert same_policy(finished, out)
    assert same_policy(finished, out, "best_policy.safetensors")
    columns = [name for name in rows[0] if name not in ("seconds", "processor_seconds")]
    for mine, theirs in zip(RunFolder(out).read_metrics(), RunFolder(finished).read_metrics(), strict=True):
        assert all(mine[c] == theirs[c] or (math.isnan(mine[c]) and math.isnan(theirs[c])) for c in columns)
