"""What the tests of the viewer and of its page share: a catalog with a policy of random weights, and a server."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("websockets")

import uvicorn

from swarmbed.policy.find import NamedController
from swarmbed.tasks import make
from swarmbed.viewer import engine, launch, server
from swarmbed.viewer.catalog import Catalog
from swarmbed.viewer.messages import Setup
from swarmbed.viewer.workshop import Workshop
from untrained import random_policy


@pytest.fixture(scope="session", autouse=True)
def quick_engines(quick_jit: Callable[..., Any]) -> Iterator[None]:
    """Engines that compile quickly; how fast they run does not matter here."""
    patch = pytest.MonkeyPatch()
    patch.setattr(engine, "jit", quick_jit)
    yield
    patch.undo()


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    offered = Catalog()
    offered.add_controller(NamedController("untrained", random_policy(make("rendezvous", num_agents=5))))
    return offered


@pytest.fixture(scope="session")
def workshop() -> Iterator[Workshop]:
    shared = Workshop()
    yield shared
    shared.close()


@pytest.fixture(scope="session")
def address(catalog: Catalog) -> Iterator[str]:
    """A server that shows one evader and six pursuers that do not think; its host and port."""
    listener = launch.open_port(0)
    app = server.make_app(catalog, Setup("pursuit-global", "random", None, 6, 1))
    running = uvicorn.Server(launch.config_for(app))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    yield f"127.0.0.1:{listener.getsockname()[1]}"
    running.should_exit = True
    thread.join(10)
