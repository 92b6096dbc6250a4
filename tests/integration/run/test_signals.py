"""Commands as processes that get signals: exit codes, words, and what is left."""

import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from swarmbed.cli.main import main
from swarmbed.run.folder import RunFolder

TINY = shlex.split(
    "rendezvous --agents 3 --horizon 12 --embedding moments --environments 4 --segment 8 --sampled-agents 2 "
    "--value-epochs 1 --iterations 1000000 --devices 1 --no-progress --no-video --no-curve"
)
LONG = [*TINY, "--segment", "100000"]  # an iteration of minutes


def training(*arguments: str) -> AbstractContextManager["subprocess.Popen[str]"]:
    return swarmbed_at(Path.cwd(), "train", *arguments)


@contextmanager
def swarmbed_at(where: Path, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    # Whatever started the tests may ignore signals, and a process would inherit that.
    heard = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGINT, signal.SIGHUP)}
    process = subprocess.Popen(
        [sys.executable, "-m", "swarmbed", *arguments], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        cwd=where,
    )  # fmt: skip
    for number, handler in heard.items():
        signal.signal(number, handler)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_for(what: Path, lines: int) -> None:
    deadline = time.monotonic() + 300
    while not (what.is_file() and len(what.read_text().splitlines()) >= lines):
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize(("name", "code"), [("SIGTERM", 143), ("SIGINT", 130), ("SIGHUP", 129)])
def test_a_signal_leaves_a_checkpoint_and_the_command_that_goes_on(name: str, code: int, tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "a run")
    with training(*TINY, "--out", str(folder.path)) as process:
        wait_for(folder.metrics, 3)
        process.send_signal(getattr(signal, name))
        said = process.communicate(timeout=60)[1].splitlines()
    assert process.returncode == code
    assert "Traceback" not in "".join(said)
    done = len(folder.read_metrics())
    assert said[-1].startswith(f"swarmbed: stopped after iteration {done}; resume with: ")
    assert (folder.checkpoints / f"{done:06d}.safetensors").is_file()
    typed = shlex.split(said[-1].split("resume with: ")[1])
    quiet = ["--iterations", str(done + 1), "--no-progress", "--no-video", "--no-curve", "--devices", "1"]
    assert main([*typed[1:], *quiet]) == 0
    assert len(folder.read_metrics()) == done + 1


def test_a_second_signal_ends_the_run_at_once_in_the_middle_of_an_iteration(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    with training(*LONG, "--out", str(folder.path)) as process:
        assert process.stderr is not None
        wait_for(folder.metrics, 1)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        while "again to stop at once" not in process.stderr.readline():
            assert process.poll() is None
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert time.monotonic() - began < 2
        assert "Traceback" not in process.stderr.read()
    assert folder.read_metrics() == []


CONSENSUS = shlex.split("consensus --task rendezvous --agents 5")
COMMANDS = {  # a command, and the file or folder whose appearance says that it is in the middle of its work
    "stress": (["stress", *CONSENSUS, "--episodes", "2000", "--out", "card"], "card/parts/*.json"),
    "transfer": (["transfer", *CONSENSUS[:3], "--agents", "5", "500", "--out", "matrix"], "matrix/parts/*.json"),
    "render": (["render", *CONSENSUS, "--steps", "5000", "--out", "film.mp4"], ".film.mp4.*"),
    "reproduce": (
        shlex.split("reproduce pursuit-trace --budget quick --workers 1 --results results --work work"),
        "work/*/*/metrics.csv",
    ),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("name", "code"), [("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_signal_stops_other_commands_too(command: str, name: str, code: int, tmp_path: Path) -> None:
    arguments, begun = COMMANDS[command]
    with swarmbed_at(tmp_path, *arguments) as process:
        deadline = time.monotonic() + 300
        while not list(tmp_path.glob(begun)):
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(getattr(signal, name))
        said = process.communicate(timeout=120)[1]
    assert process.returncode == code
    assert "Traceback" not in said
    assert said.splitlines()[-1].startswith("swarmbed: stopped")
    assert [path for path in tmp_path.rglob(".*") if path.name.endswith(".unfinished")] == []
    assert command == "render" or "the same command resumes" in said


@pytest.mark.parametrize(("name", "code"), [("SIGTERM", 143), ("SIGINT", 130), ("SIGHUP", 129)])
def test_a_signal_ends_the_viewer(name: str, code: int, tmp_path: Path) -> None:
    with swarmbed_at(tmp_path, "view", "consensus", "--no-browser", "--port", "0") as process:
        assert process.stdout is not None and "viewer: http://127.0.0.1:" in process.stdout.readline()
        began = time.monotonic()
        process.send_signal(getattr(signal, name))
        assert process.communicate(timeout=60)[1] == "swarmbed: stopped\n"
        assert time.monotonic() - began < 2
    assert process.returncode == code
