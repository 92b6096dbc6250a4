"""Outcomes on disk: measured once for everything they depend on, and again where a file is damaged."""

from pathlib import Path

import pytest

import swarmbed
from swarmbed.controllers.consensus import Consensus
from swarmbed.evaluation import kept as kept_outcomes
from swarmbed.evaluation.kept import Kept, fingerprint, task_fingerprint
from swarmbed.policy.find import NamedController
from toy_task import Constant, Drift


def test_the_same_is_not_measured_twice_and_anything_else_is(tmp_path: Path) -> None:
    kept, measured = Kept(tmp_path), []
    look = lambda seed: kept.outcome("who", ["task", seed], lambda: measured.append(seed) or [seed])  # noqa: E731
    assert [look(0), look(0), look(1)] == [[0], [0], [1]] and measured == [0, 1]


def test_other_code_is_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    task, controller = swarmbed.make("rendezvous"), NamedController("consensus", Consensus())
    before = [task_fingerprint(task), fingerprint(controller)]
    assert [task_fingerprint(swarmbed.make("rendezvous")), fingerprint(controller)] == before
    monkeypatch.setattr(kept_outcomes.programs, "source_of", lambda *folders: "newer")
    after = [task_fingerprint(task), fingerprint(controller)]
    assert all(new != old for new, old in zip(after, before, strict=True))


def test_somebodys_own_classes_are_known_by_their_source() -> None:
    assert "x′ = x + a" in str(task_fingerprint(Drift()))
    assert "The same action for everybody" in fingerprint(NamedController("constant", Constant()))
    reward = Drift().with_reward(lambda state, action, next_state: 0.0)
    assert kept_outcomes.THIS_PROCESS in str(task_fingerprint(reward))


def test_another_name_for_the_same_is_not_measured_again(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    assert [kept.outcome(name, [1], lambda name=name: name) for name in ("who", "other")] == ["who", "who"]


@pytest.mark.parametrize(
    ("old", "new"),
    [("1.5", "1.25"), ("1.5", "1."), ("1.5]}", ""), ("[1.5]", "1.5"), ("outcome", "outcame"), ("sha256", "sha255")],
)
def test_a_damaged_file_is_said_and_measured_again(
    old: str, new: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    kept = Kept(tmp_path)
    kept.outcome("who", [1], lambda: [1.5])
    (file,) = tmp_path.iterdir()
    whole = file.read_text()
    file.write_text(whole.replace(old, new))
    assert kept.outcome("who", [1], lambda: [2.5]) == [2.5]
    assert "is damaged" in (said := capfd.readouterr().err) and "it is measured again" in said
    assert kept.outcome("who", [1], lambda: [3.5]) == [2.5] and capfd.readouterr().err == ""


@pytest.mark.parametrize("content", [b"", b"\xff", b"[1.5]", b"[" * 100_000, b"null"])
def test_a_file_of_something_else_is_measured_again(content: bytes, tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept.outcome("who", [1], lambda: [1.5])
    (file,) = tmp_path.iterdir()
    file.write_bytes(content)
    assert kept.outcome("who", [1], lambda: [2.5]) == [2.5]


def test_a_name_may_be_longer_than_that_of_a_file(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    assert [kept.outcome("x" * 1000, [1], lambda value=value: value) for value in (1, 2)] == [1, 1]


def test_what_is_not_enough_is_measured_again(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    look = lambda count: kept.outcome("who", [1], lambda: [0] * count, lambda found: len(found) >= count)  # noqa: E731
    assert [len(look(2)), len(look(1)), len(look(3)), len(look(2))] == [2, 2, 3, 3]


def test_a_name_with_slashes_stays_in_the_folder(tmp_path: Path) -> None:
    Kept(tmp_path).outcome("runs/a/b", [1], lambda: 1)
    assert [file.name.split("-")[0] for file in tmp_path.iterdir()] == ["runs_a_b"]


def test_without_a_folder_nothing_is_kept() -> None:
    assert [Kept(None).outcome("who", [1], lambda value=value: value) for value in (1, 2)] == [1, 2]
