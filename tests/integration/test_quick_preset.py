"""The preset of a first training: another algorithm, an observation set, a schedule."""

from pathlib import Path

from swarmbed.cli.main import main
from swarmbed.run.folder import RunFolder

TINY = [
    "--agents", "2", "--horizon", "8", "--environments", "2", "--segment", "4", "--embedding", "moments",
    "--hidden", "4", "--iterations", "2", "--no-video", "--no-curve", "--no-progress", "--devices", "1",
]  # fmt: skip


def test_the_quick_preset_differentiates_through_the_swarm_and_lowers_its_rate(tmp_path: Path) -> None:
    out = tmp_path / "run"
    assert main(["train", "rendezvous", "--preset", "quick", "--out", str(out), *TINY]) == 0
    settings = RunFolder(out).read_config()
    assert settings["algorithm"]["name"] == "analytic"
    assert settings["task"]["observation"] == "displacement"
    assert settings["run"]["schedule"] == ["learning_rate=0.005:0,0.0005:60"]
    assert settings["algorithm"]["episodes"] == "continued"
    rows = RunFolder(out).read_metrics()
    assert [row["accepted"] for row in rows] == [1, 1]
