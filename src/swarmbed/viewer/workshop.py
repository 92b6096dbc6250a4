"""Where engines are compiled: in the background, each once, so that nothing that moves has to wait for it."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import fields
from typing import Any

from swarmbed.controllers.base import Controller
from swarmbed.tasks.base import Task
from swarmbed.viewer.engine import BUCKETS, Engine, respects_absence, slots_for

KEPT = 64  # engines; the one ordered longest ago goes first


class Workshop:
    """Engines by task, controller and number of slots. Shared by all pages, so it is safe to use from any thread."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, "compile")
        self._lock = threading.Lock()
        self._orders: dict[tuple[Task, Controller, int], Future[Engine]] = {}
        self._eyes: dict[Engine, Future[Any]] = {}
        self._padded: dict[Any, bool] = {}

    def is_padded(self, task: Task, controller: Controller) -> bool:
        """Whether one engine serves several sizes."""
        settings = tuple(getattr(task, f.name) for f in fields(task) if f.name != "num_agents")
        key = (type(task), settings, controller)
        if key not in self._padded:
            self._padded[key] = respects_absence(task, controller)
        return self._padded[key]

    def order(self, task: Task, controller: Controller, count: int) -> "Future[Engine]":
        """Have the engine for so many agents compiled, unless it is already."""
        slots = slots_for(count) if self.is_padded(task, controller) else count
        key = (task.resized(slots), controller, slots)
        with self._lock:
            if key not in self._orders:
                self._orders[key] = self._pool.submit(_build, Engine(key[0], controller))
                for oldest in list(self._orders)[:-KEPT]:
                    done = self._orders.pop(oldest)
                    self._eyes = {engine: eye for engine, eye in self._eyes.items() if not _is(engine, done)}
            return self._orders[key]

    def ready(self, task: Task, controller: Controller, count: int) -> Engine | None:
        """The smallest compiled engine that holds so many agents, if there is one."""
        sizes = [slots for slots in BUCKETS if slots >= count] if self.is_padded(task, controller) else [count]
        for slots in sizes:
            order = self._orders.get((task.resized(slots), controller, slots))
            if order is not None and order.done():
                return order.result()
        return None

    def can_look(self, engine: Engine) -> bool:
        """Whether the engine's eye is compiled. If not, it is being compiled from now on."""
        with self._lock:
            if engine not in self._eyes:
                self._eyes[engine] = self._pool.submit(lambda: engine.look)
            return self._eyes[engine].done()

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


def _is(engine: Engine, order: "Future[Engine]") -> bool:
    return order.done() and order.result() is engine


def _build(engine: Engine) -> Engine:
    _ = engine.advance
    return engine
