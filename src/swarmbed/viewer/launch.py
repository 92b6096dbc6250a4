"""From an application to a page in the browser: find a port, serve, open."""

import errno
import signal
import socket
import threading
import webbrowser
from types import FrameType
from typing import Any

import uvicorn

from swarmbed.run.stopping import Interrupted
from swarmbed.spec.errors import SwarmbedError
from swarmbed.viewer.closing import prompt_protocol
from swarmbed.viewer.messages import LARGEST

HOST = "127.0.0.1"
USUAL_PORT = 8765
TRIES = 20


def open_port(port: int | None) -> socket.socket:
    """A socket that listens on this machine only: on ``port``, or on the first free one from 8765 on."""
    for candidate in [port] if port is not None else range(USUAL_PORT, USUAL_PORT + TRIES):
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, candidate))
            listener.listen()
            return listener
        except OSError as error:
            listener.close()
            if error.errno == errno.EACCES:
                raise SwarmbedError(f"port {candidate} is reserved for the system; use one above 1023") from error
            if error.errno != errno.EADDRINUSE:
                raise
            if port is not None:
                raise SwarmbedError(f"port {port} is taken; give another one with --port, or 0 for any") from error
    last = USUAL_PORT + TRIES - 1
    raise SwarmbedError(f"ports {USUAL_PORT} to {last} are all taken; give a free one with --port, or 0 for any")


class Server(uvicorn.Server):
    """Says where it is once it can be reached, and opens a browser there."""

    url = ""
    browser = False

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.started:
            return
        print(f"swarmbed viewer: {self.url}  (Ctrl-C stops it)", flush=True)
        if self.browser:
            # A browser may take its time, or block until it is closed.
            threading.Thread(target=webbrowser.open, args=(self.url,), daemon=True).start()


def config_for(app: Any) -> uvicorn.Config:
    """How the application is served: messages have a maximum size, and shutdown does not wait for open pages."""
    return uvicorn.Config(
        app,
        log_level="warning",
        ws=prompt_protocol,  # type: ignore[arg-type]
        ws_max_size=4 * LARGEST,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=1,
        server_header=False,
    )


def serve(app: Any, listener: socket.socket, *, browser: bool) -> None:
    """Serve until interrupted. The server itself hears Ctrl-C and SIGTERM, but not that its terminal was closed."""
    server = Server(config_for(app))
    server.url, server.browser = f"http://{HOST}:{listener.getsockname()[1]}/", browser
    hang_up = getattr(signal, "SIGHUP", None)  # Windows has none
    if hang_up is None or signal.getsignal(hang_up) is signal.SIG_IGN:  # nohup
        server.run(sockets=[listener])
        return
    closed = []

    def close(number: int, frame: FrameType | None) -> None:
        closed.append(number)
        server.should_exit = True

    before = signal.signal(hang_up, close)
    try:
        server.run(sockets=[listener])
    finally:
        signal.signal(hang_up, before)
    if closed:
        raise Interrupted(closed[0], "stopped")
