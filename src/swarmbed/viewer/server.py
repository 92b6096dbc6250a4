"""The web server: the page, its files, and one socket per page. It listens on this machine only."""

import mimetypes
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from swarmbed.draw.page_files import page_files
from swarmbed.viewer import gate
from swarmbed.viewer.catalog import Catalog
from swarmbed.viewer.connection import Connection
from swarmbed.viewer.messages import Setup
from swarmbed.viewer.session import Session
from swarmbed.viewer.workshop import Workshop

MOST_PAGES = 8
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-cache",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
TYPES = {".js": "text/javascript", ".html": "text/html", ".css": "text/css", ".svg": "image/svg+xml"}


def make_app(catalog: Catalog, first: Setup) -> Starlette:
    """The application; every page starts with ``first``."""
    files = page_files()
    workshop = Workshop()
    threads = ThreadPoolExecutor(2, "simulate")
    pages: set[Connection] = set()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        workshop.close()
        threads.shutdown(wait=False, cancel_futures=True)

    async def file(request: Request) -> Response:
        if not gate.is_local(request.headers.get("host")):
            return PlainTextResponse("this server answers to 127.0.0.1 and localhost only", 421, HEADERS)
        name = request.path_params.get("name", "index.html")
        if name not in files:
            return PlainTextResponse("there is no such file", 404, HEADERS)
        suffix = name[name.rfind(".") :]
        kind = TYPES.get(suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
        return Response(files[name], headers=HEADERS, media_type=kind)

    async def live(socket: WebSocket) -> None:
        if not gate.is_same_origin(socket.headers.get("origin"), socket.headers.get("host")):
            await socket.close(1008, "foreign origin")  # before accept(): the browser gets a 403
            return
        await socket.accept()
        if len(pages) >= MOST_PAGES:
            await socket.send_json({"type": "error", "message": f"{MOST_PAGES} pages are open already; close one"})
            await socket.close(1013)
            return
        connection = Connection(socket, Session(catalog, workshop.for_page()), threads)
        pages.add(connection)
        try:
            await connection.run(first)
        finally:
            pages.discard(connection)

    routes = [Route("/", file), Route("/{name}", file), WebSocketRoute("/live", live)]
    return Starlette(routes=routes, lifespan=lifespan)
