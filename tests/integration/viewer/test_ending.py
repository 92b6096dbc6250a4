"""Ctrl-C ends the viewer soon and without a traceback, whatever it is doing."""

import signal
import subprocess
import sys
import time

import pytest
from websockets.sync.client import connect

SET_UP = '{"type": "setup", "task": "rendezvous-global", "who": "consensus", "agents": 33, "seed": 1}'


@pytest.mark.parametrize("message", [None, '{"type": "play"}', SET_UP], ids=["nobody", "playing", "compiling"])
def test_ctrl_c_ends_the_viewer(message: str | None) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a process inherits what is ignored
    command = [sys.executable, "-m", "swarmbed", "view", "consensus", "--no-browser", "--port", "0"]
    viewer = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    signal.signal(signal.SIGINT, before)
    try:
        assert viewer.stdout is not None
        address = viewer.stdout.readline().split()[2].removeprefix("http://")
        if message is None:
            _ended(viewer)
        else:
            with connect(f"ws://{address}live", open_timeout=60) as page:
                page.recv(timeout=60)
                page.send(message)
                _ended(viewer)
    finally:
        viewer.kill()
        viewer.communicate()


def _ended(viewer: "subprocess.Popen[str]") -> None:
    began = time.monotonic()
    viewer.send_signal(signal.SIGINT)
    said = viewer.communicate(timeout=60)[1]
    assert time.monotonic() - began < 10  # two seconds on an idle machine
    assert viewer.returncode == 130
    assert said == "swarmbed: stopped\n"
