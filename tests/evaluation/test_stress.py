"""The sweep: equal starts, strength 0, what is kept on disk, policies from outside, the command around it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import swarmbed
from swarmbed.cli.main import main
from swarmbed.controllers.consensus import Consensus
from swarmbed.evaluation import stress as stress_module
from swarmbed.evaluation.evaluate import evaluate
from swarmbed.evaluation.stress import applying, strengths, stress
from swarmbed.evaluation.stress_card import StressCard
from swarmbed.tasks.base import Task
from swarmbed.tasks.disturbances.settings import BY_NAME, KINDS

pytestmark = pytest.mark.usefixtures("short_compilations")
TASK = swarmbed.make("rendezvous-local", num_agents=4, horizon=20)
HOW: dict[str, Any] = {"disturbances": ["message_loss"], "episodes": 4, "progress": False}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("stress")


@pytest.fixture(scope="module")
def card(folder: Path) -> StressCard:
    return stress({"consensus": Consensus()}, TASK, out=folder, **HOW)


def test_undisturbed_returns_are_those_of_an_evaluation(card: StressCard) -> None:
    wanted = evaluate(Consensus(), TASK, episodes=4, progress=False).returns.mean()
    assert card.undisturbed["consensus"].value == pytest.approx(wanted, rel=1e-6)
    assert card.floor == pytest.approx(evaluate("random", TASK, episodes=4, progress=False).returns.mean(), rel=1e-6)


def test_a_strength_of_the_sweep_is_the_setting_with_that_value(card: StressCard) -> None:
    sweep = card.sweeps["message_loss"]["consensus"]
    task = swarmbed.make("rendezvous-local", num_agents=4, horizon=20, message_loss=sweep.strengths[-1])
    wanted = evaluate(Consensus(), task, episodes=4, progress=False).returns.mean()
    assert sweep.returns[-1] == pytest.approx(wanted, rel=1e-5)
    assert sweep.strengths == (0.0, *BY_NAME["message_loss"].sweep)


def test_consensus_that_hears_next_to_nothing_has_lost(card: StressCard) -> None:
    kept = [estimate.value for estimate in card.sweeps["message_loss"]["consensus"].kept]
    assert kept[0] == 1 and kept[-1] < 0.8 < kept[1]


def test_a_card_is_a_picture_a_page_and_numbers(card: StressCard, folder: Path) -> None:
    assert json.loads((folder / "card.json").read_text())["task"] == "rendezvous"
    assert (folder / "card.png").stat().st_size > 1000 and "<svg" in (folder / "card.html").read_text()


def test_what_was_measured_is_not_measured_again(
    card: StressCard, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stress_module, "returns_runner", lambda *_: pytest.fail("it was run again"))
    assert stress({"consensus": Consensus()}, TASK, out=folder, **HOW).summary() == card.summary()


@pytest.mark.parametrize("content", [b"", b"[1.0", b"[[1.0]]", b"\xff", b"{}", b"[NaN]"])
def test_what_was_measured_and_damaged_is_measured_again(content: bytes, card: StressCard, folder: Path) -> None:
    part = min((folder / "parts").glob("consensus-message_loss-*.json"))
    before = part.read_bytes()
    part.write_bytes(content)
    assert stress({"consensus": Consensus()}, TASK, out=folder, **HOW).summary() == card.summary()
    assert part.read_bytes() == before


@pytest.mark.parametrize("how", [{"num_agents": 10**9}, {"episodes": 10**12}])
def test_what_no_machine_holds_is_refused_with_an_estimate(how: dict[str, int]) -> None:
    with pytest.raises(swarmbed.SwarmbedError, match=r"needs about .*B of memory|would take about .* hours"):
        stress({"consensus": Consensus()}, TASK, progress=False, **how)


def test_another_gain_is_measured_anew(card: StressCard, folder: Path) -> None:
    changed = stress({"consensus": Consensus(single_position_gain=0.1)}, TASK, out=folder, **HOW)
    assert changed.undisturbed["consensus"].value != card.undisturbed["consensus"].value


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


def test_the_command_prints_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "card"
    # The very task and number of episodes that were compiled for above.
    flags = ["--task", "rendezvous-local", "--agents", "4", "--horizon", "20", "--episodes", "4", "--quick"]
    assert main(["stress", "consensus", *flags, "--only", "message_loss", "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "half lost at" in printed and "messages lost" in printed
    report = json.loads((out / "card.json").read_text())
    assert report["settings"]["horizon"] == 20 and report["settings"]["num_agents"] == 4
    assert np.isfinite(report["random_return"])
