"""What the viewer's tests share: a catalog with a policy of random weights, a server, a browser."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("websockets")

import uvicorn
from browser import Browser, find_chromium
from untrained import random_policy

from swarmbed.policy.find import Contestant
from swarmbed.tasks import make
from swarmbed.viewer import engine, launch, server
from swarmbed.viewer.catalog import Catalog
from swarmbed.viewer.messages import Setup
from swarmbed.viewer.workshop import Workshop


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
    offered.add_contestant(Contestant("untrained", random_policy(make("rendezvous", num_agents=5))))
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


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = find_chromium()
    if program is None:
        pytest.skip("Chromium is not installed")
    profile: Path = tmp_path_factory.mktemp("profile")
    with Browser(program, profile) as opened:
        yield opened


@pytest.fixture
def page(browser: Browser, address: str) -> Browser:
    """The page, loaded and paused at the start of an episode."""
    browser.complaints.clear()
    browser.requests.clear()
    browser.open(f"http://{address}/", width=1280, height=800)
    browser.wait("Boolean(Swarmbed.app && Swarmbed.app.frame)", 180)
    return browser
