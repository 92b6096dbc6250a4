"""From an application to a page in the browser: find a port, serve, open."""

import errno
import socket
import threading
import webbrowser
from typing import Any

import uvicorn

from swarmbed.spec.errors import SwarmbedError
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

    browser_url: str | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and self.browser_url is not None:
            # A browser may take its time, or block until it is closed.
            threading.Thread(target=webbrowser.open, args=(self.browser_url,), daemon=True).start()


def config_for(app: Any) -> uvicorn.Config:
    """How the application is served: messages have a maximum size, and shutdown does not wait for open pages."""
    return uvicorn.Config(
        app,
        log_level="warning",
        ws_max_size=4 * LARGEST,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=1,
        server_header=False,
    )


def serve(app: Any, listener: socket.socket, *, browser: bool) -> None:
    """Serve until interrupted."""
    url = f"http://{HOST}:{listener.getsockname()[1]}/"
    server = Server(config_for(app))
    server.browser_url = url if browser else None
    print(f"swarmbed viewer: {url}  (Ctrl-C stops it)", flush=True)
    server.run(sockets=[listener])
