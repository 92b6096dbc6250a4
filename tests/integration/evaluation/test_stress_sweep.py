"""A whole sweep: equal starts, strength 0, what is kept on disk, the command around it."""

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
from swarmbed.evaluation.stress import stress
from swarmbed.evaluation.stress_card import StressCard
from swarmbed.tasks.disturbances.settings import BY_NAME

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


def test_another_gain_is_measured_anew(card: StressCard, folder: Path) -> None:
    changed = stress({"consensus": Consensus(single_position_gain=0.1)}, TASK, out=folder, **HOW)
    assert changed.undisturbed["consensus"].value != card.undisturbed["consensus"].value


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
