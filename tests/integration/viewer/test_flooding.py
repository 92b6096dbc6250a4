"""A page that is closed because it floods the server costs nothing from then on, however long it goes on sending."""

import base64
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from websockets.frames import Frame, Opcode
from websockets.sync.client import ClientConnection, connect

from swarmbed.viewer import wire

SECONDS = 6.0
FEWEST_FRAMES = 40  # a page that plays gets up to 60 per second


class Flood:
    """Sends steps as fast as they are taken, and never looks whether it was closed."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.lasted = 0.0

    def run(self) -> None:
        steps = Frame(Opcode.TEXT, b'{"type": "step"}').serialize(mask=True) * 10_000
        started, sent = time.monotonic(), 0
        with open_page(self.address) as page:
            while self.lasted < SECONDS:
                try:
                    sent += page.send(steps[sent % len(steps) :])
                except TimeoutError:
                    pass  # taken slowly
                except OSError:
                    return
                self.lasted = time.monotonic() - started


@contextmanager
def open_page(address: str) -> Iterator[socket.socket]:
    """A bare socket on which messages may be sent: a library's client stops once it is closed."""
    host, port = address.split(":")
    with socket.create_connection((host, int(port)), timeout=5) as page:
        key = base64.b64encode(os.urandom(16)).decode()
        page.sendall(
            f"GET /live HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        assert page.recv(1024).startswith(b"HTTP/1.1 101")
        yield page


def shows_time_passing(page: ClientConnection) -> bool:
    """Whether the next message is a frame of a swarm that moves."""
    received = page.recv(timeout=60)
    return isinstance(received, bytes) and wire.unpack(received)["arenas"][0]["step"] > 0


def test_others_get_their_frames_while_a_closed_page_goes_on_sending(address: str) -> None:
    flood = Flood(address)
    flooding = threading.Thread(target=flood.run)
    with connect(f"ws://{address}/live", open_timeout=30) as good:
        good.send('{"type": "loop", "on": true}')
        good.send('{"type": "play"}')
        while not shows_time_passing(good):
            pass
        flooding.start()
        end, frames = time.monotonic() + SECONDS, 0
        while time.monotonic() < end:
            frames += shows_time_passing(good)
        flooding.join()
    assert frames >= FEWEST_FRAMES
    assert flood.lasted < SECONDS / 2
