"""Signals that ask a run to stop: it finishes the iteration, writes a checkpoint and says how to resume.

Python runs its own handlers only between two instructions, and an iteration is one long call. So a thread listens on a
pipe that the interpreter writes to as soon as a signal arrives: it answers at once, and a second signal ends the
process at once.
"""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)  # Windows has no SIGHUP


class Interrupted(KeyboardInterrupt):
    """A run that was asked to stop has stopped, with everything written."""

    def __init__(self, number: int, words: str) -> None:
        super().__init__(words)
        self.exit_code = 128 + number


@dataclass
class Requests:
    """Whether a stop was requested, and with which signal."""

    number: int | None = None


@contextmanager
def heard() -> Iterator[Requests]:
    """Inside, the first signal is a request and the second one the end. Signals that were ignored stay so (nohup)."""
    requests = Requests()
    if threading.current_thread() is not threading.main_thread():
        yield requests  # only the main thread may say what happens to signals
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    wanted = [number for number, handler in before.items() if handler not in (signal.SIG_IGN, None)]
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    outer = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    for number in wanted:
        signal.signal(number, _do_nothing)  # a handler of Python's own is what makes the interpreter write to the pipe
    ears = threading.Thread(target=_listen, args=(reader, requests, wanted), daemon=True)
    ears.start()
    try:
        yield requests
    finally:
        signal.set_wakeup_fd(outer)
        for number in wanted:
            signal.signal(number, before[number])
        os.close(writer)
        ears.join(timeout=1.0)
        os.close(reader)


def _do_nothing(number: int, frame: object) -> None:
    pass


def _listen(reader: int, requests: Requests, wanted: list[int]) -> None:
    while content := os.read(reader, 1):
        number = content[0]
        if number not in wanted:
            continue
        if requests.number is not None:
            os._exit(128 + number)
        requests.number = number
        print(
            "\nswarmbed: stopping after this iteration, with a checkpoint; press again to stop at once",
            file=sys.stderr,
            flush=True,
        )
