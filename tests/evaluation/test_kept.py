"""Outcomes on disk: measured once for everything they depend on, and again where a file is damaged."""

from pathlib import Path

from swarmbed.evaluation.kept import Kept


def test_the_same_is_not_measured_twice_and_anything_else_is(tmp_path: Path) -> None:
    kept, measured = Kept(tmp_path), []
    look = lambda seed: kept.outcome("who", ["task", seed], lambda: measured.append(seed) or [seed])  # noqa: E731
    assert [look(0), look(0), look(1)] == [[0], [0], [1]] and measured == [0, 1]


def test_another_name_for_the_same_is_not_measured_again(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    assert [kept.outcome(name, [1], lambda name=name: name) for name in ("who", "other")] == ["who", "who"]


def test_a_damaged_file_is_measured_again(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept.outcome("who", [1], lambda: [1.5])
    (file,) = tmp_path.iterdir()
    file.write_text("[1.")
    assert kept.outcome("who", [1], lambda: [2.5]) == [2.5] and file.read_text() == "[2.5]"


def test_what_is_not_enough_is_measured_again(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    look = lambda count: kept.outcome("who", [1], lambda: [0] * count, lambda found: len(found) >= count)  # noqa: E731
    assert [len(look(2)), len(look(1)), len(look(3)), len(look(2))] == [2, 2, 3, 3]


def test_a_name_with_slashes_stays_in_the_folder(tmp_path: Path) -> None:
    Kept(tmp_path).outcome("runs/a/b", [1], lambda: 1)
    assert [file.name.split("-")[0] for file in tmp_path.iterdir()] == ["runs_a_b"]


def test_without_a_folder_nothing_is_kept() -> None:
    assert [Kept(None).outcome("who", [1], lambda value=value: value) for value in (1, 2)] == [1, 2]
