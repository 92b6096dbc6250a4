"""Two processes on this machine train as one."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from swarmbed.run import distributed
from swarmbed.run.distributed import Cluster
from swarmbed.run.folder import RunFolder
from swarmbed.spec.errors import SwarmbedError

TINY = [
    "--agents", "3", "--horizon", "12", "--environments", "4", "--segment", "8", "--sampled-agents", "2",
    "--features", "8", "--hidden", "8", "--value-epochs", "1", "--no-video", "--no-curve", "--no-progress",
    "--checkpoint-every", "1",
]  # fmt: skip


def free_port() -> int:
    """A port such that the next one is free too: the watch uses it."""
    for port in range(21000, 40000, 7):
        try:
            with socket.create_server(("127.0.0.1", port)), socket.create_server(("127.0.0.1", port + 1)):
                return port
        except OSError:
            continue
    raise RuntimeError("no free ports")


def start(arguments: list[str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "swarmbed", "train", *arguments]
    environment = os.environ | {"XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false"}
    return subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=environment)


def start_two(arguments: list[str]) -> list[subprocess.Popen[str]]:
    where = ["--coordinator", f"127.0.0.1:{free_port()}", "--processes", "2"]
    return [start([*arguments, *where, "--process-id", str(i)]) for i in range(2)]


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("cluster") / "two"
    processes = start_two(["pursuit", *TINY, "--iterations", "3", "--out", str(out)])
    for process in processes:
        _, error = process.communicate(timeout=300)
        assert process.returncode == 0, error
    return out


def test_two_processes_give_the_metrics_of_one_with_two_devices(together: Path, tmp_path: Path) -> None:
    alone = start(["pursuit", *TINY, "--iterations", "3", "--devices", "2", "--out", str(tmp_path / "one")])
    _, error = alone.communicate(timeout=300)
    assert alone.returncode == 0, error
    one, two = RunFolder(tmp_path / "one").read_metrics(), RunFolder(together).read_metrics()
    assert len(one) == len(two) == 3
    for mine, theirs in zip(one, two, strict=True):
        for name in mine:
            if name not in ("seconds", "processor_seconds"):
                assert mine[name] == pytest.approx(theirs[name], rel=1e-4, abs=1e-5, nan_ok=True), name


def test_a_process_that_dies_ends_the_run_with_a_sentence_and_the_run_can_go_on(together: Path, tmp_path: Path) -> None:
    out = tmp_path / "dies"
    first, second = start_two(["pursuit", *TINY, "--iterations", "100000", "--out", str(out)])
    deadline = time.monotonic() + 240
    while not list((out / "checkpoints").glob("0*.safetensors")) and time.monotonic() < deadline:
        time.sleep(0.05)
    second.send_signal(signal.SIGKILL)
    killed = time.monotonic()
    try:
        _, error = first.communicate(timeout=60)
    finally:
        first.kill()
    assert time.monotonic() - killed < 60
    assert first.returncode == 2
    assert "process 1 has died" in error
    done = len(RunFolder(out).read_metrics())
    target = str(done + 2)
    again = start_two(["--resume", str(out), "--iterations", target, "--no-video", "--no-curve", "--no-progress"])
    for process in again:
        _, error = process.communicate(timeout=300)
        assert process.returncode == 0, error
        # Process 0 may have ended between a row and its checkpoint, which it says; but every checkpoint is whole.
        assert "trying the one before" not in error
        assert "damaged" not in error
    assert [row["iteration"] for row in RunFolder(out).read_metrics()] == list(range(1, done + 3))


def test_programs_that_jax_has_kept_take_collectives_in_the_same_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At a size at which the processes do not wait for each other by chance."""
    monkeypatch.setenv("SWARMBED_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("JAX_COMPILATION_CACHE_DIR", raising=False)
    monkeypatch.delenv("SWARMBED_COMPILE")
    quiet = ["--no-video", "--no-curve", "--no-progress"]
    run = [["pursuit", "--environments", "40", "--iterations", "1", "--out", str(tmp_path / "run")]]
    run += [["--resume", str(tmp_path / "run"), "--iterations", "5"]]
    for arguments in run:
        for process in start_two([*arguments, *quiet]):
            _, error = process.communicate(timeout=300)
            assert process.returncode == 0, error


def test_strangers_at_the_port_are_sent_away(monkeypatch: pytest.MonkeyPatch) -> None:
    watched: list[int] = []
    monkeypatch.setattr(distributed, "_start_watching", lambda connection, peer: watched.append(peer))
    with socket.create_server(("127.0.0.1", 0)) as server:
        clients = [socket.create_connection(server.getsockname()) for _ in range(3)]
        for client, hello in zip(clients, (b"GET ", (7).to_bytes(4, "big"), (1).to_bytes(4, "big")), strict=True):
            client.sendall(hello)
        distributed._accept(server, {1})
        assert watched == [1]
        assert [client.recv(1) for client in clients[:2]] == [b"", b""]
        for client in clients:
            client.close()


def test_a_process_that_does_not_come_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distributed, "SILENCE_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as server, pytest.raises(SwarmbedError, match="from process 1, 2"):
        distributed._accept(server, {1, 2})


def test_a_cluster_needs_an_address_and_a_place_in_it() -> None:
    with pytest.raises(SwarmbedError, match="--coordinator HOST:PORT"):
        Cluster(processes=2)
    with pytest.raises(SwarmbedError, match="--process-id must lie between"):
        Cluster("localhost:1", processes=2, process_id=2)
