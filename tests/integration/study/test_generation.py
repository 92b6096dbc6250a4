"""The results test: today's code learns what the first code of its generation learned.

The numbers in tests/data/generation-1 were written by version 0.1.0. If a change alters them on purpose, keep new ones
in a folder of their own and count up ``GENERATION``: the runs of the study then no longer count as today's.
"""

from pathlib import Path

import pytest

from swarmbed.cli.main import main
from swarmbed.run.folder import RunFolder
from swarmbed.spec import table
from swarmbed.study.generation import GENERATION

KEPT = Path(__file__).parents[2] / "data" / f"generation-{GENERATION}"
FLAGS = {
    "rendezvous": ["--observe", "extended"],
    "pursuit-local": ["--observe", "comm"],
    "multi-pursuit": ["--evaders", "2", "--embedding", "rbf", "--observe", "basic"],
}
SIZE = [
    "--agents", "5", "--horizon", "24", "--environments", "8", "--segment", "32", "--sampled-agents", "4",
    "--iterations", "4", "--seed", "3", "--devices", "1", "--preset", "paper", "--no-video", "--no-curve",
    "--no-progress",
]  # fmt: skip


@pytest.mark.parametrize("task", FLAGS)
def test_a_few_iterations_are_those_that_were_kept(task: str, tmp_path: Path) -> None:
    assert main(["train", task, *FLAGS[task], *SIZE, "--out", str(tmp_path / "run")]) == 0
    found = RunFolder(tmp_path / "run").read_metrics()
    kept = table.read(KEPT / f"{task}.csv").rows
    assert [row["iteration"] for row in found] == [row["iteration"] for row in kept] == [1, 2, 3, 4]
    for new, old in zip(found, kept, strict=True):
        assert new["mean_return"] == pytest.approx(old["mean_return"], rel=1e-3)
        # Rounding, which differs between processors, grows: an evader turns at once where its nearest pursuer changes.
        tolerance, error = (0.005, 1e-3) if new["iteration"] == 1 else (0.1, 0.02)
        assert new["kl"] == pytest.approx(old["kl"], rel=tolerance)
        assert new["surrogate"] == pytest.approx(old["surrogate"], rel=tolerance)
        assert new["explained_variance"] == pytest.approx(old["explained_variance"], abs=error)
