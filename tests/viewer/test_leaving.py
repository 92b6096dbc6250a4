"""A page that goes away waits for nothing, keeps nobody else out, and what only it wanted is not made."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack
from typing import Any

import pytest
import uvicorn
from websockets.sync.client import connect

from swarmbed.controllers.random import Random
from swarmbed.tasks import make
from swarmbed.viewer import launch, server, workshop
from swarmbed.viewer.catalog import Catalog
from swarmbed.viewer.messages import Setup
from swarmbed.viewer.workshop import Workshop

PURSUIT, NOBODY = make("pursuit"), Random()


class Bench:
    """Stands in for compiling: lasts until it may end, and knows what was made."""

    def __init__(self) -> None:
        self.may_end, self.made = threading.Event(), list[int]()

    def build(self, engine: Any) -> Any:
        assert self.may_end.wait(30)
        self.made.append(engine.slots)
        return engine


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    slow = Bench()
    monkeypatch.setattr(workshop, "_build", slow.build)
    yield slow
    slow.may_end.set()


def test_who_waits_for_an_engine_of_a_page_that_left_is_told_at_once(bench: Bench) -> None:
    page = Workshop().for_page()
    order = page.order(PURSUIT, NOBODY, 5)
    threading.Timer(0.05, page.leave).start()
    with pytest.raises(CancelledError):
        order.result(timeout=10)
    with pytest.raises(CancelledError):
        page.order(PURSUIT, NOBODY, 5).result(timeout=10)  # a thread that was on its way to order


def test_what_only_a_page_that_left_wanted_is_not_made(bench: Bench) -> None:
    floor = Workshop()
    gone, stays = floor.for_page(), floor.for_page()
    gone.order(PURSUIT, NOBODY, 5)  # 8 slots: begun, so it is made
    gone.order(PURSUIT, NOBODY, 20)  # 32
    gone.order(PURSUIT, NOBODY, 60)  # 64
    kept = stays.order(PURSUIT, NOBODY, 60)
    gone.leave()
    bench.may_end.set()
    assert kept.result(timeout=10).slots == 64
    assert bench.made == [8, 64]


def test_what_was_taken_back_can_be_ordered_again(bench: Bench) -> None:
    floor = Workshop()
    first, gone = floor.for_page(), floor.for_page()
    first.order(PURSUIT, NOBODY, 5)
    gone.order(PURSUIT, NOBODY, 20)
    gone.leave()
    again = first.order(PURSUIT, NOBODY, 20)
    bench.may_end.set()
    assert again.result(timeout=10).slots == 32


def test_closed_pages_make_room_within_a_second_whatever_they_wait_for(bench: Bench) -> None:
    listener = launch.open_port(0)
    catalog = Catalog()
    catalog.names = ["random"]  # loading every shipped policy takes longer than the rest of this
    app = server.make_app(catalog, Setup("pursuit-global", "random", None, 6, 1))
    running = uvicorn.Server(launch.config_for(app))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    where = f"ws://127.0.0.1:{listener.getsockname()[1]}/live"
    with ExitStack() as pages:
        for _ in range(server.MOST_PAGES):
            page = pages.enter_context(connect(where, open_timeout=30))
            assert "hello" in str(page.recv(timeout=30))  # and now waits for an engine that takes its time
        with connect(where) as ninth:
            assert "pages are open already" in str(ninth.recv(timeout=30))
    time.sleep(1.0)
    with connect(where, open_timeout=30) as good:
        assert "hello" in str(good.recv(timeout=30))
        bench.may_end.set()
        while '"type":"scene"' not in str(good.recv(timeout=30)):
            pass
    running.should_exit = True
    thread.join(10)
