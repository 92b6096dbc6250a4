"""Whole runs: with sizes that change, with agents that come and go, and of an earlier version."""

import math
import shutil
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from safetensors.numpy import load_file

import swarmbed
from swarmbed.cli.main import main
from swarmbed.run.folder import RunFolder

OLD = Path(__file__).parents[2] / "data" / "version-0.1.0"

TINY = [
    "--horizon", "8", "--environments", "4", "--segment", "8", "--sampled-agents", "2", "--embedding", "moments",
    "--iterations", "1", "--no-video", "--no-curve", "--no-progress",
]  # fmt: skip

BATCH = swarmbed.BatchSettings(environments=4, segment=16, sampled_agents=2)


@pytest.mark.parametrize(
    ("text", "agents", "sizes"),
    [("2..4", 4, [2, 3, 4]), ("4,2", 4, [4, 2]), ("3", 3, [])],
    ids=["range", "list", "one"],
)
def test_a_run_is_trained_with_these_sizes(text: str, agents: int, sizes: list[int], tmp_path: Path) -> None:
    assert main(["train", "rendezvous", "--agents", text, "--out", str(tmp_path / "run"), *TINY]) == 0
    task = RunFolder(tmp_path / "run").read_config()["task"]
    assert (task["num_agents"], list(task["sizes"])) == (agents, sizes)


def test_one_number_takes_the_place_of_a_policys_sizes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "rendezvous", "--agents", "2..4", "--out", str(tmp_path / "run"), *TINY]) == 0
    assert main(["evaluate", str(tmp_path / "run"), "--agents", "6", "--episodes", "2"]) == 0
    assert "6 agents" in capsys.readouterr().out


def test_a_policy_trained_at_one_size_starts_a_run_at_another(tmp_path: Path) -> None:
    first, second = tmp_path / "smaller", tmp_path / "larger"
    assert main(["train", "pursuit", "--agents", "3", "--out", str(first), *TINY]) == 0
    assert main(["train", "pursuit", "--agents", "5", "--init", str(first), "--out", str(second), *TINY]) == 0
    started, trained = load_file(second / "best_policy.safetensors"), load_file(first / "policy.safetensors")
    assert all(np.array_equal(started[key], trained[key]) for key in trained)  # best = what it began with


def test_a_swarm_that_comes_and_goes_trains(tmp_path: Any) -> None:
    result = swarmbed.train(
        swarmbed.make("rendezvous", num_agents=4, sizes=(2, 4), loss_rate=1.0, join_rate=1.0, horizon=8),
        embedding="moments", batch=BATCH,
        iterations=2, out=tmp_path / "run", progress=False,
    )  # fmt: skip
    assert np.isfinite([row["mean_return"] for row in result.metrics]).all()


def test_a_run_of_version_0_1_goes_on(tmp_path: Path) -> None:
    # That version made six iterations; this one repeats the fifth from the fourth checkpoint. Later ones would differ
    # by more than rounding: the evader turns at once where its nearest pursuer changes.
    shutil.copytree(OLD, tmp_path / "run")
    before = RunFolder(OLD).read_metrics()
    result = swarmbed.train(resume=tmp_path / "run", iterations=5, progress=False)
    assert len(result.metrics) == 5
    assert result.metrics[-1]["mean_return"] == pytest.approx(before[4]["mean_return"], rel=1e-2)
    assert result.metrics[-1]["kl"] == pytest.approx(before[4]["kl"], rel=0.1)
    assert math.isnan(result.metrics[0]["evader_distance"])  # it was not measured then


def test_two_rewards_of_a_built_in_task_are_not_mixed_up(tmp_path: Path) -> None:
    """Neither in a compiled program that was kept, nor in what a folder says it was trained on."""
    task = swarmbed.make("rendezvous", num_agents=2, horizon=6)
    for number in (1.0, 2.0):
        reward = task.with_reward(lambda state, action, next_state, number=number: number)
        result = swarmbed.train(reward, iterations=1, out=tmp_path / f"{number}", embedding="moments", batch=BATCH)
        assert result.metrics[-1]["mean_return"] == pytest.approx(6 * number)
    policy = swarmbed.load_policy(tmp_path / "1.0")
    step = policy.task.step(jax.random.key(0), policy.task.initial(jax.random.key(0)), jnp.zeros((2, 2)))
    assert float(step.reward) == 1.0
