"""The command in a process of its own, on several devices."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from swarmbed.evaluation.evaluate import evaluate
from swarmbed.tasks import make


def test_the_command_writes_what_the_function_finds_on_however_many_devices(tmp_path: Path) -> None:
    path = tmp_path / "new" / "random.json"
    flags = ["--agents", "3", "--horizon", "12", "--episodes", "37", "--seed", "5", "--json", str(path)]
    options = {"XLA_FLAGS": "--xla_force_host_platform_device_count=3", "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, "-m", "swarmbed", "evaluate", "random", *flags]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | options, check=True)
    task = make("rendezvous", num_agents=3, horizon=12)
    ours = evaluate("random", task, episodes=37, seed=5).summary()
    theirs = json.loads(path.read_text())
    assert theirs["mean_distance"] == pytest.approx(ours["mean_distance"], rel=1e-5)
    assert theirs["return_mean_ci"] == pytest.approx(ours["return_mean_ci"], rel=1e-4)
    assert theirs.keys() == ours.keys()
    assert "random on rendezvous: 3 agents, 37 episodes, seed 5, greedy" in done.stdout
    assert "mean distance after 12" in done.stdout
    assert done.stderr == ""
