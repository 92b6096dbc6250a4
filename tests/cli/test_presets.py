"""--preset on the command line."""

from pathlib import Path

import pytest

from swarmbed.cli.main import main
from swarmbed.run.folder import RunFolder

TINY = [
    "--agents", "2", "--horizon", "8", "--environments", "2", "--segment", "8", "--sampled-agents", "2", "--embedding",
    "moments", "--iterations", "1", "--no-video", "--no-curve", "--no-progress",
]  # fmt: skip


@pytest.mark.parametrize("algorithm", ["trpo", "ppo"])
def test_a_preset_holds_for_whichever_algorithm_is_named(algorithm: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    assert main(["train", "pursuit", "--preset", "calm", "--algorithm", algorithm, "--out", str(out), *TINY]) == 0
    section = RunFolder(out).read_config()["algorithm"]
    assert (section["name"], section["initial_log_std"]) == (algorithm, -0.7)
