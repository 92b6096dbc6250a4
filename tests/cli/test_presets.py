"""--preset on the command line."""

from pathlib import Path

import pytest

from swarmbed.cli.main import main
from swarmbed.run.folder import RunFolder

DRIFT = Path(__file__).parents[1] / "toy_task.py"
TINY = [
    "--environments", "2", "--segment", "8", "--sampled-agents", "2", "--embedding", "moments", "--hidden", "4",
    "--iterations", "1", "--no-video", "--no-curve", "--no-progress",
]  # fmt: skip
pytestmark = pytest.mark.usefixtures("plugins_leave_no_trace")


@pytest.mark.parametrize("algorithm", ["trpo", "ppo"])
def test_a_preset_holds_for_whichever_algorithm_is_named(algorithm: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    task = ["toy_task", "--plugin", str(DRIFT)]
    assert main(["train", *task, "--preset", "calm", "--algorithm", algorithm, "--out", str(out), *TINY]) == 0
    section = RunFolder(out).read_config()["algorithm"]
    assert (section["name"], section["initial_log_std"]) == (algorithm, -0.7)
