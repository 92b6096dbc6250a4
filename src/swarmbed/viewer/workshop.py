"""Where engines are compiled: in the background, each once, so nothing that moves has to wait for it.

Pages share one floor, on which each engine is compiled once. A page that leaves cancels its orders: nothing waits for
them any longer, and what no other page wants is not compiled.
"""

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import fields
from typing import Any

from swarmbed.controllers.base import Controller
from swarmbed.learn import estimate
from swarmbed.tasks.base import Task
from swarmbed.viewer import disturbing
from swarmbed.viewer.engine import BUCKETS, Engine, respects_absence, slots_for

KEPT = 64  # engines; the one ordered longest ago goes first

Key = tuple[Task, Controller, int]


class Floor:
    """What all pages share: engines by task, controller and number of slots, the inspector of each, and the thread that
    compiles them."""

    def __init__(self) -> None:
        self.pool = ThreadPoolExecutor(1, "compile")
        self.lock = threading.RLock()
        self.engines: dict[Key, Future[Engine]] = {}
        self.looks: dict[Engine, Future[Any]] = {}
        self.padded: dict[Any, bool] = {}
        self._wanted: dict[Key | Engine, set[Workshop]] = {}

    def engine(self, key: Key, page: "Workshop") -> "Future[Engine]":
        with self.lock:
            self._wanted.setdefault(key, set()).add(page)
            if key not in self.engines:
                self.engines[key] = self.pool.submit(_build, Engine(key[0], key[1]))
                for oldest in list(self.engines)[:-KEPT]:
                    self._wanted.pop(oldest, None)
                    done = self.engines.pop(oldest)
                    self.looks = {engine: look for engine, look in self.looks.items() if not _is(engine, done)}
            return self.engines[key]

    def look(self, engine: Engine, page: "Workshop") -> "Future[Any]":
        with self.lock:
            self._wanted.setdefault(engine, set()).add(page)
            if engine not in self.looks:
                self.looks[engine] = self.pool.submit(lambda: engine.look)
            return self.looks[engine]

    def leave(self, page: "Workshop") -> None:
        """Take back what only this page ordered, unless it is being made or made already."""
        with self.lock:
            for what, pages in list(self._wanted.items()):
                pages.discard(page)
                if not pages:
                    del self._wanted[what]
                    made: dict[Any, Future[Any]] = self.looks if isinstance(what, Engine) else self.engines  # type: ignore[assignment]
                    if what in made and made[what].cancel():
                        del made[what]


class Workshop:
    """What one page orders from. Safe to use from any thread; :meth:`for_page` opens the same floor to another page."""

    def __init__(self, floor: Floor | None = None) -> None:
        self._floor = floor or Floor()
        self._waiting: set[Future[Engine]] = set()
        self._left = False

    def for_page(self) -> "Workshop":
        return Workshop(self._floor)

    def is_padded(self, task: Task, controller: Controller) -> bool:
        """Whether one engine serves several sizes."""
        task = disturbing.plain(task)  # whether anything is disturbed makes no difference
        settings = tuple(getattr(task, f.name) for f in fields(task) if f.name != "num_agents")
        key = (type(task), settings, controller)
        if key not in self._floor.padded:
            self._floor.padded[key] = respects_absence(task, controller)
        return self._floor.padded[key]

    def slots(self, task: Task, controller: Controller, count: int) -> int:
        """In how many slots so many agents live."""
        return slots_for(count) if self.is_padded(task, controller) else count

    def order(self, task: Task, controller: Controller, count: int) -> "Future[Engine]":
        """Have the engine for so many agents compiled, unless it is already. A page that leaves waits no longer."""
        slots = self.slots(task, controller, count)
        estimate.check_swarm(task.resized(slots))
        mine: Future[Engine] = Future()
        with self._floor.lock:
            if self._left:
                mine.cancel()
                return mine
            self._waiting.add(mine)
            shared = self._floor.engine((task.resized(slots), controller, slots), self)
        shared.add_done_callback(lambda done: self._deliver(done, mine))
        return mine

    def ready(self, task: Task, controller: Controller, count: int) -> Engine | None:
        """The smallest compiled engine that holds so many agents, if there is one."""
        sizes = [slots for slots in BUCKETS if slots >= count] if self.is_padded(task, controller) else [count]
        for slots in sizes:
            order = self._floor.engines.get((task.resized(slots), controller, slots))
            if order is not None and order.done() and not order.cancelled() and order.exception() is None:
                return order.result()
        return None

    def can_look(self, engine: Engine) -> bool:
        """Whether the engine's inspector is compiled. If not, compilation starts now."""
        return self._floor.look(engine, self).done()

    def leave(self) -> None:
        """The page has gone: everything that waits for one of its orders is notified at once."""
        with self._floor.lock:
            self._left = True
            waiting, self._waiting = self._waiting, set()
            self._floor.leave(self)
        for order in waiting:
            order.cancel()

    def close(self) -> None:
        self._floor.pool.shutdown(wait=False, cancel_futures=True)

    def _deliver(self, shared: "Future[Engine]", mine: "Future[Engine]") -> None:
        with self._floor.lock:
            self._waiting.discard(mine)
        if shared.cancelled() or not mine.set_running_or_notify_cancel():
            mine.cancel()
        elif (error := shared.exception()) is not None:
            mine.set_exception(error)
        else:
            mine.set_result(shared.result())


def _is(engine: Engine, order: "Future[Engine]") -> bool:
    return order.done() and not order.cancelled() and order.exception() is None and order.result() is engine


def _build(engine: Engine) -> Engine:
    _ = engine.advance
    if engine.is_disturbed:
        _ = engine.disturbance
    return engine
