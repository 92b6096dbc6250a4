"""Training runs: what they write, and that nothing is lost or overwritten."""

import errno
import os
from pathlib import Path

import pytest

from swarmbed.cli.main import main
from swarmbed.run.folder import RunFolder, is_flat
from swarmbed.run.settings import Outputs, RunSettings
from swarmbed.run.train import free_folder, learner_from
from swarmbed.run.trainer import Trainer
from swarmbed.spec import config, files
from tiny_training import copy_run, resume, run_tiny, same_policy

pytestmark = pytest.mark.usefixtures("toy_programs_are_kept")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of six iterations, never interrupted."""
    out = tmp_path_factory.mktemp("runs") / "whole"
    assert run_tiny(out, "--iterations", "6", "--seed", "5") == 0
    return out


def test_a_run_writes_what_the_contract_lists(finished: Path) -> None:
    header, *rows = (finished / "metrics.csv").read_text().splitlines()
    wanted = "iteration,env_steps,samples,seconds,mean_return,mean_length,kl,surrogate,entropy,explained_variance"
    assert header.startswith(wanted)
    assert "captured" in header.split(",")
    assert len(rows) == 6
    assert rows[-1].startswith("6,192,384,")  # 6 iterations × 4 swarms × 8 steps, × 2 agents
    assert (finished / "policy.safetensors").is_file()
    assert (finished / "best_policy.safetensors").is_file()
    assert [p.name for p in sorted((finished / "checkpoints").iterdir())] == [
        "000002.safetensors", "000004.safetensors", "000006.safetensors",
    ]  # fmt: skip


def test_two_processes_do_not_train_in_one_folder(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (finished / "metrics.csv").read_bytes()
    with RunFolder(finished).held():
        assert main(["train", "--resume", str(finished), "--iterations", "7", "--devices", "1", "--no-progress"]) == 2
    assert f"another process is training in folder {finished}" in capsys.readouterr().err
    assert (finished / "metrics.csv").read_bytes() == before
    with RunFolder(finished).held():
        pass  # the refused one left no lock behind


def test_a_new_run_keeps_out_of_a_folder_in_which_another_process_trains(
    finished: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.read_bytes() for path in finished.rglob("*") if path.is_file()}
    with RunFolder(finished).held():
        assert run_tiny(finished, "--iterations", "1", "--overwrite") == 2
    assert f"another process is training in folder {finished}" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in finished.rglob("*") if path.is_file()} == before


def test_the_written_configuration_runs_the_same_again(finished: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    quiet = ["--no-video", "--no-curve", "--no-progress", "--devices", "1"]
    assert main(["train", "--config", str(finished / "config.toml"), "--out", str(again), *quiet]) == 0
    assert same_policy(finished, again)


def test_another_seed_gives_another_policy(finished: Path, tmp_path: Path) -> None:
    assert run_tiny(tmp_path / "other", "--iterations", "6", "--seed", "6") == 0
    assert not same_policy(finished, tmp_path / "other")


def test_a_resumed_run_goes_on_from_its_newest_checkpoint(
    finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = copy_run(finished, tmp_path / "part", iterations=4)
    learner = learner_from({k: v for k, v in config.read(out / "config.toml").items() if k != "run"})
    trainer = Trainer(learner, RunSettings(seed=5), RunFolder(out), Outputs(progress=False), 1)
    assert trainer.newest().iteration == 4
    assert capsys.readouterr().err == ""
    assert resume(out) == 0
    assert capsys.readouterr().err == ""
    assert same_policy(finished, out)


def test_a_damaged_newest_checkpoint_is_reported_and_the_one_before_is_used(
    finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = copy_run(finished, tmp_path / "damaged", iterations=4)
    newest = out / "checkpoints" / "000004.safetensors"
    content = bytearray(newest.read_bytes())
    content[-3] ^= 0xFF
    newest.write_bytes(bytes(content))
    assert resume(out) == 0
    assert "000004.safetensors is damaged" in capsys.readouterr().err
    assert same_policy(finished, out)


def test_a_checkpoint_cut_short_is_passed_over_too(finished: Path, tmp_path: Path) -> None:
    out = copy_run(finished, tmp_path / "short", iterations=4)
    newest = out / "checkpoints" / "000004.safetensors"
    newest.write_bytes(newest.read_bytes()[:1000])
    assert resume(out) == 0
    assert same_policy(finished, out)


def test_a_finished_run_can_go_on_for_longer(finished: Path, tmp_path: Path) -> None:
    out = copy_run(finished, tmp_path / "longer", iterations=6)
    assert resume(out, "--iterations", "8") == 0
    assert len(RunFolder(out).read_metrics()) == 8
    assert config.read(out / "config.toml")["run"]["iterations"] == 8


def test_a_folder_that_holds_a_run_is_refused_unless_told(
    finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = copy_run(finished, tmp_path / "taken", iterations=6)
    before = (out / "config.toml").read_text()
    assert run_tiny(out, "--iterations", "1") == 2
    assert "holds another run" in capsys.readouterr().err
    assert (out / "config.toml").read_text() == before
    assert run_tiny(out, "--iterations", "1", "--overwrite") == 0
    assert len(RunFolder(out).read_metrics()) == 1


def test_a_folder_with_other_files_is_never_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    assert run_tiny(tmp_path, "--iterations", "1", "--overwrite") == 2
    assert "will not touch it" in capsys.readouterr().err
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_a_full_disk_stops_the_run_with_one_sentence_and_keeps_the_last_checkpoint(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = copy_run(finished, tmp_path / "full", iterations=4)
    real = os.fsync

    def full(handle: int) -> None:
        if "000006" in str(Path(f"/proc/self/fd/{handle}").readlink()):
            raise OSError(errno.ENOSPC, "No space left on device")
        real(handle)

    monkeypatch.setattr(files.os, "fsync", full)
    assert resume(out) == 2
    assert "the disk is full" in capsys.readouterr().err
    assert sorted(p.name for p in (out / "checkpoints").iterdir()) == ["000002.safetensors", "000004.safetensors"]
    monkeypatch.undo()
    assert resume(out) == 0
    assert same_policy(finished, out)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no-such-task"], "choose one of: "),
        (["pursuit", "--embedding", "none"], "embedding 'none' does not exist"),
        (["pursuit", "--algorithm", "dqn"], "choose one of: analytic, ppo, trpo"),
        (["pursuit", "--iterations", "0"], "iterations must be"),
        (["pursuit", "--kl-bound", "-1"], "--kl-bound must be a number above 0"),
        (["pursuit", "--agentss", "4"], "did you mean --agents?"),
        (["pursuit", "--agents", "many"], "must be a whole number, a range such as 5..20"),
        (["pursuit", "--preset", "magic"], "preset 'magic' does not exist"),
        (["pursuit", "--init", "nobody"], "not a run folder, policy file"),
        (["--resume", "nowhere"], "nowhere does not exist"),
        (["--resume", "."], "it has no config.toml"),
        (["--resume", "pyproject.toml"], "pyproject.toml is a file, not the folder of a training run"),
        (["--resume", "nowhere", "--seed", "3"], "leave seed out"),
        (["--config", "nowhere.toml"], "does not exist"),
        (["pursuit", "--processes", "2"], "--coordinator"),
        (["pursuit", "--devices", "1000"], "devices must lie between"),
    ],
)
def test_wrong_input_is_one_sentence_and_exit_code_2(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    extra = [] if "--resume" in arguments else ["--out", str(tmp_path / "run")]
    assert main(["train", *arguments, *extra]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error
    assert len(error.strip().splitlines()) == 1
    assert not (tmp_path / "run").exists()


def test_tensorboard_gets_the_same_metrics(tmp_path: Path) -> None:
    pytest.importorskip("tensorboardX")
    assert run_tiny(tmp_path / "run", "--iterations", "2", "--tensorboard") == 0
    assert list((tmp_path / "run" / "tensorboard").glob("events.*"))


def test_a_curve_is_flat_when_the_last_two_fifths_agree() -> None:
    rising = [-100.0 + i for i in range(100)]
    assert not is_flat(rising)
    assert is_flat(rising[:60] + [-40.0] * 40)
    assert not is_flat([-40.0] * 20)  # too short to tell


def test_free_folders_are_numbered(tmp_path: Path) -> None:
    learner = learner_from({"task": {"name": "pursuit"}})
    assert free_folder(learner, tmp_path).name == "pursuit-neural-extended"
    (tmp_path / "pursuit-neural-extended").mkdir()
    assert free_folder(learner, tmp_path).name == "pursuit-neural-extended-2"
