"""A signal to a command that has no checkpoints: it stops at once, even inside a compiled program, and cleans up."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

BEGIN = """
import hashlib, sys, time
from pathlib import Path
from swarmbed.run.stopping import Interrupted, obeyed
from swarmbed.spec import files
"""
PLAIN = """
from swarmbed.run import stopping
stopping.PATIENCE = 20  # a busy machine may need its time to remove a file
try:
    with obeyed("stopped, so to say"), files.whole(Path(sys.argv[1])) as unfinished:
        unfinished.write_text("half")
        print("ready", flush=True)
        time.sleep(100)
except Interrupted as stopped:
    print(stopped, file=sys.stderr)
    sys.exit(stopped.exit_code)
"""
# One call that lasts for minutes, as a compiled program does: Python's handlers do not run until it returns.
DEAF = """
with obeyed("stopped, so to say"):
    print("ready", flush=True)
    hashlib.pbkdf2_hmac("sha256", b"", b"", 10**9)
"""
# Python drops what is raised in a finalizer, and would print a traceback.
SWALLOWED = """
class Slow:
    def __del__(self):
        print("ready", flush=True)
        while True:
            time.sleep(0.01)
with obeyed("stopped, so to say"):
    Slow()
    time.sleep(100)
"""
# The system may give a signal to any thread; only the main one raises, and it is asleep.
ELSEWHERE = PLAIN.replace(
    "time.sleep(100)",
    """import signal, threading
        threading.Timer(0.5, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGTERM)).start()
        time.sleep(100)""",
)
SIGNALS = [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)]


def stopped(program: str, *signals: int, pause: float = 0.0, argument: str = "") -> tuple[int, str, float]:
    """The exit code and words of a program that is sent signals once it is ready, and the seconds until it ended."""
    ignored = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGINT, signal.SIGHUP)}
    process = subprocess.Popen(
        [sys.executable, "-c", BEGIN + program, argument], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    for number, handler in ignored.items():
        signal.signal(number, handler)
    try:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        began = time.monotonic()
        for number in signals:
            time.sleep(pause)
            process.send_signal(number)
        words = process.communicate(timeout=30)[1]
        return process.returncode, words, time.monotonic() - began
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_what_is_half_done_is_removed(number: int, code: int, tmp_path: Path) -> None:
    assert stopped(PLAIN, number, argument=str(tmp_path / "film.mp4"))[:2] == (code, "stopped, so to say\n")
    assert list(tmp_path.iterdir()) == []


def test_a_signal_that_another_thread_received_wakes_the_main_one(tmp_path: Path) -> None:
    ended, words, seconds = stopped(ELSEWHERE, argument=str(tmp_path / "film.mp4"))
    assert (ended, words) == (143, "stopped, so to say\n")
    assert list(tmp_path.iterdir()) == []
    assert seconds < 10


@pytest.mark.parametrize("program", [DEAF, SWALLOWED], ids=["deaf", "swallowed"])
@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_a_program_that_does_not_hear_ends_all_the_same(program: str, number: int, code: int) -> None:
    ended, words, seconds = stopped(program, number, pause=0.5)  # by then it is inside the call
    assert (ended, words) == (code, "\nswarmbed: stopped, so to say\n")
    assert 1 < seconds < 10  # it had a second and a half to end by itself


def test_a_second_signal_does_not_wait() -> None:
    ended, _, seconds = stopped(DEAF, signal.SIGINT, signal.SIGINT, pause=0.2)
    assert ended == 130
    assert seconds < 1.4


def test_a_signal_that_was_ignored_stays_so() -> None:
    """As with nohup."""
    program = "import signal\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\n" + PLAIN.replace("100", "0.5")
    assert stopped(program, signal.SIGHUP, argument="/dev/null")[0] == 0
