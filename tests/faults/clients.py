"""Clients that mean no good: malformed messages, foreign origins, floods, pages that come and go."""

import json
import random
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator

import uvicorn
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import ClientConnection, connect

from faults.campaign import Outcome, described
from faults.values import NUMBERS, WORDS
from swarmbed.viewer import gate, launch, server, wire
from swarmbed.viewer.catalog import Catalog
from swarmbed.viewer.messages import KINDS, LARGEST, Setup

FIELDS = ("x", "y", "agent", "arena", "number", "what", "steps", "count", "seed", "task", "who", "on", "a" * 300)
ASK_EVERY = 50  # messages between looks whether the server still answers


def hostile_clients(chance: random.Random) -> Iterator[Outcome]:
    gate.PER_SECOND, gate.BURST = 1e9, 1e9  # the limit has its own test; here every message is to be read
    gate.RateLimit.__init__.__defaults__ = (1e9, 1e9)
    catalog = Catalog()
    catalog.names = ["random", "consensus"]
    listener = launch.open_port(0)
    running = uvicorn.Server(launch.config_for(server.make_app(catalog, Setup("pursuit-global", "random", None, 6, 1))))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    address = f"127.0.0.1:{listener.getsockname()[1]}"
    try:
        while True:
            yield from _one_page(chance, address)
            yield _strangers(chance, address)
    finally:
        running.should_exit = True
        thread.join(10)


def _one_page(chance: random.Random, address: str) -> Iterator[Outcome]:
    """A page that says a few hundred strange things, and gets an answer to a good one in between."""
    too_long = False  # said something so long that the connection is to be closed
    try:
        with connect(f"ws://{address}/live", open_timeout=30) as page:
            _until(page, "frame")
            for number in range(chance.choice((100, 400))):
                message = _message(chance)
                too_long = too_long or len(message) > 4 * LARGEST
                page.send(message)
                if number % ASK_EVERY == 0:
                    page.send('{"type": "step"}')
                    _until(page, "frame")
                yield None
            page.send('{"type": "pause"}')
            _until(page, "frame")
    except ConnectionClosed as error:
        yield None if too_long else f"a page that talks nonsense was closed: {described(error)}"
    except Exception as error:
        yield f"a page that talks nonsense: {described(error)}"


def _until(page: ClientConnection, kind: str) -> None:
    while kind_of(page.recv(timeout=60)) != kind:
        pass


def kind_of(received: str | bytes) -> str:
    """What sort of message a page was sent."""
    message = wire.unpack(received) if isinstance(received, bytes) else json.loads(received)
    return str(message["type"])


def _message(chance: random.Random) -> str | bytes:
    """Anything but a message that sets up another simulation, which would only cost time."""
    kinds = [name for name in KINDS if name not in ("setup", "agents", "play", "loop")]
    values = [*NUMBERS[:-1], *WORDS[:-1], None, True, [], {}, [1], {"a": 1}]
    name = chance.choice([*kinds, "nonsense", "", "__class__", 3, None])
    message = {"type": name} | {
        chance.choice(FIELDS): chance.choice(values) for _ in range(chance.randrange(4))
    }  # fmt: skip
    text = json.dumps(message)
    match chance.randrange(8):
        case 0:
            return text[: chance.randrange(len(text))]
        case 1:
            return chance.randbytes(chance.randrange(200))
        case 2:
            return chance.choice(("[" * 1500, "null", "3", '"x"', "[]", "", "\x00", '{"type":' * 100, "x" * 3000))
        case _:
            return text


def _strangers(chance: random.Random, address: str) -> Outcome:
    """Foreign origins, foreign hosts and files that are not the page's are all refused."""
    origin = chance.choice(
        ("http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1", "file://", "http://localhost.evil")
    )
    try:
        with connect(f"ws://{address}/live", origin=origin, open_timeout=30):  # type: ignore[arg-type]
            return f"origin {origin} was let in"
    except (InvalidHandshake, ConnectionClosed):
        pass
    path = chance.choice(("/server.py", "/../x", "/%2e%2e/x", "/%00", "/" + "a" * 5000, "//evil/"))
    host = chance.choice(("evil.example", "127.0.0.1.evil.example", "", "[::1", address))
    try:
        urllib.request.urlopen(urllib.request.Request(f"http://{address}{path}", headers={"Host": host}), timeout=30)
        return f"{path} was served to host {host!r}"
    except urllib.error.HTTPError as refused:
        return None if refused.code in (400, 404, 421) else f"{path}: {refused.code}"
    except Exception as error:
        return f"{path}: {described(error)}"
