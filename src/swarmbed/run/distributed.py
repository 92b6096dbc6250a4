"""Several processes, on one machine or many, as one trainer; and a watch that notices when one of them dies.

Without the watch the others would wait inside a collective operation, some of them forever. It is a thread per
connection between process 0 and each other process: both send a byte every few seconds, and a connection that breaks or
falls silent ends the run with a sentence. Checkpoints make that harmless.
"""

import atexit
import os
import socket
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import jax

from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.settings import Spec, setting

PING_SECONDS = 2.0
SILENCE_SECONDS = 30.0
COMPILE_SECONDS = 1800.0  # how long the fastest process waits for the slowest to compile
WATCH_SECONDS = 2.0  # how long a failed process waits for the watch to report
GOODBYE = b"q"
_leaving = threading.Event()


@dataclass(frozen=True)
class Cluster(Spec):
    """Who takes part. All three are needed for more than one process."""

    coordinator: str | None = setting(None, "HOST:PORT of process 0, for training on several machines")
    processes: int = setting(1, "number of processes that train one policy together", at_least=1)
    process_id: int = setting(0, "number of this process, from 0", at_least=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.process_id >= self.processes:
            raise SwarmbedError(
                f"--process-id must lie between 0 and --processes − 1, not {self.process_id} of {self.processes}"
            )
        if self.processes > 1 and not (self.coordinator and self.coordinator.rpartition(":")[2].isdigit()):
            raise SwarmbedError("--processes needs --coordinator HOST:PORT, the address of process 0")


def join(cluster: Cluster) -> None:
    """Wait for the other processes, then see all their devices as one machine's."""
    if cluster.processes == 1 or cluster.coordinator is None:
        return
    # Collectives of several devices in one process can wait for each other in different orders; one device cannot.
    jax.config.update("jax_num_cpu_devices", 1)
    # JAX keeps what process 0 compiled. Read from there, a program no longer takes its collectives in the order in
    # which the other processes, which compile it anew, take them.
    jax.config.update("jax_enable_compilation_cache", False)
    jax.distributed.initialize(
        cluster.coordinator, cluster.processes, cluster.process_id, heartbeat_timeout_seconds=int(4 * SILENCE_SECONDS)
    )
    host, _, port = cluster.coordinator.rpartition(":")
    _watch(host.strip("[]"), int(port) + 1, cluster.processes, cluster.process_id)
    atexit.register(leave)


@contextmanager
def ends_together(cluster: Cluster) -> Iterator[None]:
    """An error in one of several processes ends it at once. The usual exit would wait for the others to finish."""
    try:
        yield
    except BaseException as error:
        if cluster.processes == 1:
            raise
        words = f"swarmbed: {error}"
        if not isinstance(error, SwarmbedError):
            words = traceback.format_exc()
            # The death of a peer breaks a collective as well as its connection: the watch names it and ends us first.
            time.sleep(WATCH_SECONDS)
        print(words, file=sys.stderr, flush=True)
        os._exit(2)


def is_first_process() -> bool:
    """Whether this process is the one that writes and draws."""
    return jax.process_index() == 0


def wait_for_all(what: str) -> None:
    """Until every process has come here. Collectives themselves give up after half a minute."""
    if jax.process_count() > 1:
        from jax._src import distributed

        distributed.global_state.client.wait_at_barrier(what, timeout_in_ms=int(1000 * COMPILE_SECONDS))  # type: ignore[union-attr]


def _watch(host: str, port: int, processes: int, process_id: int) -> None:
    """Connect to process 0 (or, as process 0, to all others) and watch each connection."""
    if process_id == 0:
        # On all interfaces, as JAX's own service: a machine may know itself by another address than the others do.
        with socket.create_server(("", port)) as server:
            _accept(server, set(range(1, processes)))
        return
    deadline = time.monotonic() + SILENCE_SECONDS
    while True:
        try:
            connection = socket.create_connection((host, port), timeout=SILENCE_SECONDS)
            break
        except OSError:
            if time.monotonic() > deadline:
                raise SwarmbedError(f"process 0 cannot be reached at {host}:{port}") from None
            time.sleep(0.1)
    connection.sendall(process_id.to_bytes(4, "big"))
    _start_watching(connection, 0)


def _accept(server: socket.socket, expected: set[int]) -> None:
    """Wait for the other processes. A connection that does not begin with the number of one is somebody else's."""
    deadline = time.monotonic() + SILENCE_SECONDS
    while expected:
        server.settimeout(max(0.1, deadline - time.monotonic()))
        try:
            connection, _ = server.accept()
            connection.settimeout(PING_SECONDS)
            peer = int.from_bytes(connection.recv(4), "big")
        except OSError:
            if time.monotonic() > deadline:
                missing = ", ".join(map(str, sorted(expected)))
                raise SwarmbedError(f"no connection from process {missing} within {SILENCE_SECONDS:.0f} s") from None
            continue
        if peer not in expected:
            connection.close()
            continue
        expected.remove(peer)
        _start_watching(connection, peer)


def _start_watching(connection: socket.socket, peer: int) -> None:
    connection.settimeout(SILENCE_SECONDS)
    threading.Thread(target=_send, args=(connection,), daemon=True).start()
    threading.Thread(target=_listen, args=(connection, peer), daemon=True).start()


def _send(connection: socket.socket) -> None:
    try:
        while not _leaving.wait(PING_SECONDS):
            connection.sendall(b".")
        connection.sendall(GOODBYE)
    except OSError:
        return  # the thread that listens on this connection reports what happened


def _listen(connection: socket.socket, peer: int) -> None:
    try:
        while content := connection.recv(64):
            if GOODBYE in content:
                return
    except OSError:
        pass  # silence and a broken connection mean the same
    if not _leaving.is_set():
        print(
            f"swarmbed: process {peer} has died, so the run stops here; its checkpoints are intact: "
            "start all processes again with --resume",
            file=sys.stderr,
            flush=True,
        )
        os._exit(2)


def leave() -> None:
    """Say goodbye, or the others would take the end for a crash."""
    if jax.process_count() > 1:
        _leaving.set()
        time.sleep(0.5)  # the senders wake at once; this lets their last byte out
