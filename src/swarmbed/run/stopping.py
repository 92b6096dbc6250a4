"""Signals that ask a run to stop: it finishes the iteration, writes a checkpoint and says how to resume. Commands
without checkpoints stop at once (``obeyed``).

Python runs its own handlers only between two instructions, and an iteration is one long call. So a thread listens on a
connection that the interpreter writes to as soon as a signal arrives: it answers at once, and a second signal ends the
process at once. The handler notes the request as well: on a busy machine it may be the first of the two.
"""

import os
import select
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import cast

SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)  # Windows has no SIGHUP

PATIENCE = 1.5  # seconds in which a command may end by itself
REMINDER = 0.1  # seconds after which the main thread is sent the signal again


class Interrupted(KeyboardInterrupt):
    """A run that was asked to stop has stopped, with everything written."""

    def __init__(self, number: int, words: str) -> None:
        super().__init__(words)
        self.exit_code = 128 + number


@dataclass
class Requests:
    """Whether a stop was requested, and with which signal."""

    number: int | None = None

    def note(self, number: int) -> None:
        if self.number is None:
            self.number = number


@contextmanager
def heard() -> Iterator[Requests]:
    """Inside, the first signal is a request and the second one the end. Signals that were ignored stay so (nohup)."""
    requests = Requests()
    with _ears(lambda number, frame: requests.note(number), lambda *ears: _listen(requests, *ears)):
        yield requests


@contextmanager
def obeyed(words: str = "stopped") -> Iterator[None]:
    """Inside, a signal ends the work with :class:`Interrupted`, so that what is half done is removed. Where that is not
    heard soon, as inside a compiled program, or a second signal comes, it ends the process."""

    asked = Requests()

    def stop(number: int, frame: object) -> None:
        if asked.number is None:  # cleaning up is not interrupted
            asked.note(number)
            raise Interrupted(number, words)

    def swallowed(report: "sys.UnraisableHookArgs") -> None:
        # Python drops what is raised while it collects garbage. The thread that listens will insist.
        if not isinstance(report.exc_value, Interrupted):
            outer(report)

    outer, sys.unraisablehook = sys.unraisablehook, swallowed
    try:
        with _ears(stop, lambda *ears: _insist(words, *ears)):
            yield
    finally:
        sys.unraisablehook = outer


@contextmanager
def _ears(handler: Callable[[int, object], None], listen: Callable[[socket.socket, list[int]], None]) -> Iterator[None]:
    """Inside, signals go to a handler in the main thread, and as soon as they arrive to a thread that listens."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may say what happens to signals
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    wanted = [number for number, current in before.items() if current not in (signal.SIG_IGN, None)]
    reader, writer = socket.socketpair()  # a pipe could not be waited for on Windows
    writer.setblocking(False)
    outer = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    for number in wanted:
        # A handler of Python's own is what makes the interpreter write to the connection.
        signal.signal(number, handler)
    ears = threading.Thread(target=listen, args=(reader, wanted), daemon=True)
    ears.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(outer)
        for number in wanted:
            signal.signal(number, before[number])
        writer.close()
        ears.join(timeout=1.0)
        reader.close()


def _insist(words: str, reader: socket.socket, wanted: list[int]) -> None:
    """Either the work ends, and the connection with it, or there is a second signal, or neither in time."""
    while content := reader.recv(1):
        if (number := content[0]) not in wanted:
            continue
        if not _readable(reader, REMINDER):
            _wake(number)
            if _readable(reader, REMINDER) and not reader.recv(1):
                return
        if not _readable(reader, PATIENCE) or reader.recv(1):
            print(f"\nswarmbed: {words}", file=sys.stderr, flush=True)
            os._exit(128 + number)
        return


def _readable(reader: socket.socket, seconds: float) -> bool:
    """Whether there is something to read in time: another signal, or the end of the connection."""
    return bool(select.select([reader], [], [], seconds)[0])


def _wake(number: int) -> None:
    """Send the main thread a signal that any thread may have received: it would sleep on."""
    if hasattr(signal, "pthread_kill"):  # not on Windows, where only the main thread receives them
        signal.pthread_kill(cast(int, threading.main_thread().ident), number)


def _listen(requests: Requests, reader: socket.socket, wanted: list[int]) -> None:
    asked = False
    while content := reader.recv(1):
        number = content[0]
        if number not in wanted:
            continue
        if asked:
            os._exit(128 + number)
        asked = True
        requests.note(number)
        print(
            "\nswarmbed: stopping after this iteration, with a checkpoint; press Ctrl-C again to stop at once",
            file=sys.stderr,
            flush=True,
        )
