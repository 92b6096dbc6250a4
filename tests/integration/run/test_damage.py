"""A run whose texts were damaged says so, keeps the rest, and never goes on with other settings."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import swarmbed
from swarmbed.algorithms.trpo import Trpo
from swarmbed.run.folder import RunFolder, checkpoint_files, read_rows
from swarmbed.spec import config
from toy_task import Drift

pytestmark = pytest.mark.usefixtures("toy_programs_are_kept")

SMALL: dict[str, Any] = {
    "embedding": "moments", "batch": swarmbed.BatchSettings(environments=4, segment=8, sampled_agents=2),
    "algorithm": Trpo(value_epochs=1, cg_steps=2, line_search_steps=2), "progress": False,
}  # fmt: skip


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("whole") / "run"
    swarmbed.train(Drift(), iterations=3, out=out, **SMALL)
    return out


@pytest.fixture
def run(whole_run: Path, tmp_path: Path) -> RunFolder:
    """A run of three iterations, to be damaged."""
    return RunFolder(Path(shutil.copytree(whole_run, tmp_path / "run")))


def resumed(run: RunFolder) -> list[dict[str, float]]:
    rows: list[dict[str, float]] = swarmbed.train(resume=run.path, iterations=4, progress=False).metrics
    return rows


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\n2,", "\n7,"),
        ("\n2,", "\nx,"),
        ("\n2,", '\n"2,'),
        ("iteration,", "iterXtion,"),
        ("episodes", "epis\x00des"),
        ("\n3,96,", "\n3,97,"),
        ("\n1,", "\n\xff1,"),
        ("\n1,", "\n"),
    ],
)
def test_a_damaged_row_is_noticed_and_mended_from_the_checkpoint(
    old: str, new: str, run: RunFolder, capfd: pytest.CaptureFixture[str]
) -> None:
    whole = run.metrics.read_text()
    run.metrics.write_bytes(whole.replace(old, new, 1).encode("latin-1"))
    resumed(run)
    assert "metrics.csv is damaged" in capfd.readouterr().err
    assert run.metrics.read_text().startswith(whole)


@pytest.mark.parametrize("content", [None, b"", b"\x00" * 500])
def test_a_table_that_is_lost_is_written_anew_from_the_checkpoint(
    content: bytes | None, run: RunFolder, capfd: pytest.CaptureFixture[str]
) -> None:
    whole = run.metrics.read_text()
    run.metrics.unlink() if content is None else run.metrics.write_bytes(content)
    resumed(run)
    assert "the rows of iterations 1, 2, 3 differ from the checkpoint's" in capfd.readouterr().err
    assert run.metrics.read_text().startswith(whole)


@pytest.mark.parametrize("more", [b"4", b"4,128", b"4,128,", b"-", b"4," + b"1," * 20 + b"1\n"])
def test_whatever_follows_the_checkpoint_is_said_and_removed(
    more: bytes, run: RunFolder, capfd: pytest.CaptureFixture[str]
) -> None:
    whole = run.metrics.read_bytes()
    run.metrics.write_bytes(whole + more)
    swarmbed.train(resume=run.path, progress=False)  # it is finished: nothing is written after it
    assert "metrics.csv" in (said := capfd.readouterr().err) and said.count("\n") == 1
    assert run.metrics.read_bytes() == whole


def test_rows_after_the_checkpoint_are_said_and_trained_again(
    run: RunFolder, capfd: pytest.CaptureFixture[str]
) -> None:
    """As a crash between two checkpoints leaves them."""
    resumed(run)
    rows = run.read_metrics()
    max(run.checkpoints.iterdir()).unlink()
    again = resumed(run)
    assert "goes on after the checkpoint of iteration 3" in capfd.readouterr().err
    assert [row["entropy"] for row in again] == [row["entropy"] for row in rows]


def test_rows_without_any_checkpoint_are_said(run: RunFolder, capfd: pytest.CaptureFixture[str]) -> None:
    for path in run.checkpoints.iterdir():
        path.unlink()
    resumed(run)
    assert "metrics.csv goes on after the beginning" in capfd.readouterr().err


@pytest.mark.parametrize(("old", "new"), [("\n2,64,", "\n2,064,"), ("\n2,64,", "\n2,64.0,")])
def test_damage_that_leaves_every_number_as_it_was_is_noticed_too(
    old: str, new: str, run: RunFolder, capfd: pytest.CaptureFixture[str]
) -> None:
    whole = run.metrics.read_text()
    assert old in whole
    run.metrics.write_text(whole.replace(old, new))
    resumed(run)
    assert "metrics.csv is damaged" in capfd.readouterr().err
    assert run.metrics.read_text().startswith(whole)


def test_a_run_that_was_not_damaged_says_nothing(run: RunFolder, capfd: pytest.CaptureFixture[str]) -> None:
    assert [row["iteration"] for row in resumed(run)] == [1, 2, 3, 4]
    assert capfd.readouterr().err == ""


def test_a_damaged_table_is_reported_and_the_rest_is_read(run: RunFolder, capfd: pytest.CaptureFixture[str]) -> None:
    run.metrics.write_text(run.metrics.read_text().replace("\n2,", "\n2;"))
    assert [row["iteration"] for row in read_rows(run.metrics)] == [1, 3]
    assert "line 3 of" in capfd.readouterr().err


def test_a_configuration_carries_a_checksum_that_survives_reading_and_writing(run: RunFolder) -> None:
    assert run.config_is_as_written() is True
    run.write_config(run.read_config())
    assert run.config_is_as_written() is True


def test_the_checksum_of_a_configuration_is_of_the_text_below_it() -> None:
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"  # sha256 of nothing
    assert config.sealed("") == f"{config.SEAL} {empty}\n"
    assert config.seal_holds(config.sealed("a = 1\n")) is True
    assert config.seal_holds(config.sealed("a = 1\n").replace("1", "2", 1)) is False
    assert config.seal_holds("a = 1\n") is None


def test_a_change_that_no_checkpoint_knows_is_said(run: RunFolder, capfd: pytest.CaptureFixture[str]) -> None:
    run.config.write_text(run.config.read_text().replace("checkpoint_every = 5", "checkpoint_every = 1"))
    resumed(run)
    assert "config.toml was changed" in capfd.readouterr().err


def test_a_change_before_the_first_checkpoint_is_refused(run: RunFolder) -> None:
    for path in run.checkpoints.iterdir():
        path.unlink()
    run.config.write_text(altered := run.config.read_text().replace("seed = 0", "seed = 1"))
    with pytest.raises(swarmbed.SwarmbedError, match="its checksum does not match, and there is no checkpoint"):
        resumed(run)
    assert run.config.read_text() == altered


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xfe",
        b"a = " + b"[" * 100_000,
        b"[task]\nnum_agents = " + b"9" * 5000,
        b"[task]\nnum_agents = 0x" + b"f" * 5000,
        b"task = 3",
        b"[task]\nname = [1]\n[embedding]\n[algorithm]\n[batch]\n[run]",
        b"[task]\nhorizon = 1979-05-27\n[embedding]\n[algorithm]\n[batch]\n[run]",
    ],
)
def test_a_configuration_that_is_none_is_one_sentence(content: bytes, run: RunFolder) -> None:
    run.config.write_bytes(content)
    with pytest.raises(swarmbed.SwarmbedError):
        resumed(run)
    assert run.config.read_bytes() == content


def test_a_file_of_yours_among_the_checkpoints_is_neither_read_nor_deleted(run: RunFolder) -> None:
    newest = max(run.checkpoints.iterdir())
    mine = [run.checkpoints / name for name in ("before-the-change.safetensors", "zzz.safetensors")]
    for path in mine:
        path.write_bytes(newest.read_bytes())
    resumed(run)
    assert all(path.is_file() for path in mine)


def test_checkpoints_that_cannot_be_listed_are_not_taken_for_none(
    run: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {path: path.read_bytes() for path in run.path.rglob("*") if path.is_file()}
    really = os.scandir, os.listdir

    def refuse(plain: Any) -> Any:
        def asked(path: Any = ".") -> Any:
            if str(path) == str(run.checkpoints):
                raise PermissionError(13, "Permission denied", str(path))
            return plain(path)

        return asked

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", refuse(really[0]))
        patch.setattr(os, "listdir", refuse(really[1]))
        with pytest.raises(PermissionError):
            swarmbed.train(resume=run.path, progress=False)
    assert {path: path.read_bytes() for path in run.path.rglob("*") if path.is_file()} == before


def test_checkpoints_are_ordered_by_iteration_and_not_by_letters(tmp_path: Path) -> None:
    for name in ("999999", "1000000", "000005", "notes"):
        (tmp_path / f"{name}.safetensors").touch()
    assert [path.stem for path in checkpoint_files(tmp_path)] == ["1000000", "999999", "000005"]


def test_a_run_whose_checkpoints_are_on_another_disk_can_be_overwritten(run: RunFolder, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    run.checkpoints.rename(elsewhere)
    run.checkpoints.symlink_to(elsewhere)
    swarmbed.train(Drift(), iterations=1, out=run.path, overwrite=True, **SMALL)
    assert run.checkpoints.is_symlink() and [path.stem for path in elsewhere.iterdir()] == ["000001"]


def test_a_folder_that_is_named_like_a_leftover_is_left_alone(run: RunFolder) -> None:
    (run.path / ".mine.unfinished").mkdir()
    resumed(run)
    assert (run.path / ".mine.unfinished").is_dir()
