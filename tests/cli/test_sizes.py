"""--agents takes a number, a range or a list; sizes are drawn anew for every episode."""

from pathlib import Path

import pytest

from swarmbed.cli.main import main
from swarmbed.run.folder import RunFolder

TINY = [
    "--horizon", "8", "--environments", "4", "--segment", "8", "--sampled-agents", "2", "--embedding", "moments",
    "--iterations", "1", "--no-video", "--no-curve", "--no-progress",
]  # fmt: skip


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


@pytest.mark.parametrize("text", ["few", "5..", "7..5", "0..3", "3,,4"])
def test_anything_else_is_one_sentence(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "rendezvous", "--agents", text]) == 2
    words = f"must be a whole number, a range such as 5..20 or a list such as 5,10,20, not {text!r}"
    assert words in capsys.readouterr().err
