"""The sweep: which tasks and strengths it runs, and what it refuses."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import swarmbed
from swarmbed.cli.main import main
from swarmbed.controllers.consensus import Consensus
from swarmbed.evaluation import stress as stress_module
from swarmbed.evaluation.stress import applying, strengths, stress
from swarmbed.tasks.base import Task
from swarmbed.tasks.disturbances.settings import BY_NAME, KINDS

TASK = swarmbed.make("rendezvous-local", num_agents=4, horizon=20)
HOW: dict[str, Any] = {"disturbances": ["message_loss"], "episodes": 4, "progress": False}


@pytest.mark.parametrize("how", [{"num_agents": 10**9}, {"episodes": 10**12}])
def test_what_no_machine_holds_is_refused_with_an_estimate(how: dict[str, int]) -> None:
    with pytest.raises(swarmbed.SwarmbedError, match=r"needs about .*B of memory|would take about .* hours"):
        stress({"consensus": Consensus()}, TASK, progress=False, **how)


def test_one_alone_gets_no_messages() -> None:
    left_out = set(KINDS) - set(applying(swarmbed.make("pursuit", num_agents=1)))
    assert {kind.name for kind in left_out} == {"message_loss", "message_delay"}


def test_at_most_half_of_the_agents_are_contrary() -> None:
    kind = BY_NAME["contrary_agents"]
    assert strengths(kind, swarmbed.make("pursuit", num_agents=6)) == (1, 2, 3)
    assert strengths(kind, swarmbed.make("pursuit", num_agents=1)) == (1,)
    assert strengths(kind, swarmbed.make("pursuit", num_agents=6, sizes=(4, 6))) == (1, 2)


@pytest.fixture
def tasks_run(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The tasks that a sweep runs, none of which is run: each policy's returns are its number among the runs."""
    found: list[Any] = []

    def runner(task: Task, *_: Any) -> Any:
        found.append(task)
        number = float(len(found))
        return lambda index, *_, on_progress: np.full(len(index), number)

    monkeypatch.setattr(stress_module, "returns_runner", runner)
    return found


def test_a_task_of_mixed_sizes_keeps_them_and_the_card_says_so(tasks_run: list[Any]) -> None:
    mixed = swarmbed.make("rendezvous-local", num_agents=4, sizes=(2, 4))
    card = stress({"consensus": Consensus()}, mixed, **HOW)
    assert {task.sizes for task in tasks_run} == {(2, 4)}
    assert card.title.startswith("rendezvous under stress: 2,4 agents, ")


def test_one_size_can_be_chosen_of_a_task_of_mixed_sizes(tasks_run: list[Any]) -> None:
    mixed = swarmbed.make("rendezvous-local", num_agents=4, sizes=(2, 4))
    card = stress({"consensus": Consensus()}, mixed, num_agents=3, **HOW)
    assert {(task.num_agents, task.sizes) for task in tasks_run} == {(3, ())}
    assert card.title.startswith("rendezvous under stress: 3 agents, ")


def test_who_cannot_run_under_a_disturbance_is_refused_before_anything_runs(
    tmp_path: Path, tasks_run: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    who, out = "rendezvous-global-concatenation-extended", str(tmp_path / "card")
    assert main(["stress", who, "--only", "action_noise", "message_loss", "--out", out]) == 2
    assert f"{who} under message_loss: concatenation needs a task" in capsys.readouterr().err
    assert tasks_run == []


def test_a_task_that_takes_no_disturbances_is_refused() -> None:
    from toy_task import Constant, Drift

    with pytest.raises(swarmbed.SwarmbedError, match="takes no disturbances"):
        stress([Constant(0.0)], Drift(), progress=False)


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ([], "name at least one policy"),
        (["consensus", "--only", "noise"], "invalid choice"),
        (["voronoi_pursuit", "--task", "rendezvous"], "does not fit"),
        (["consensus", "--message-loss", "0.1"], "is not an option here"),
    ],
)
def test_a_wrong_call_is_one_sentence(argv: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stress", *argv, "--out", "never"]) == 2
    assert words in capsys.readouterr().err and not Path("never").exists()
