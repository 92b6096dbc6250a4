"""One live swarm: it moves, grows, shrinks, and its agents can be dragged."""

import jax
import numpy as np
from jaxtyping import Bool, Int
from numpy import ndarray

from swarmbed.draw.story import Story
from swarmbed.policy.find import NamedController
from swarmbed.tasks.base import State, Task
from swarmbed.viewer import disturbing, slots
from swarmbed.viewer.disturbing import Asked
from swarmbed.viewer.engine import NO_GRIP, Engine, Grip, Moment, View, slots_for
from swarmbed.viewer.places import NOBODY, Newcomers, joined, start
from swarmbed.viewer.workshop import Workshop


class LiveSwarm:
    """The agents of one policy or controller on one task. Agents keep their id for as long as they exist.

    ``engine`` has at least as many slots as there are agents; ``ids`` says which agent is in which slot, −1 is none.
    ``asked`` holds the disturbances set on the page; all others are as the task itself has them.
    """

    engine: Engine

    def __init__(self, workshop: Workshop, named: NamedController, task: Task, asked: Asked | None = None) -> None:
        self.workshop, self.named, self.task = workshop, named, task
        self.asked = asked or Asked()
        self.ids = np.zeros(0, int)

    def lay_out(self, seed: int, count: int) -> None:
        """The start of the first episode that ``render`` and ``evaluate`` run with this seed. Nothing is compiled."""
        start_key, self._run_key = (jax.random.fold_in(key, 0) for key in jax.random.split(jax.random.key(seed)))
        self.moment: Moment | None = None
        self._start_key, self._own_values = start_key, disturbing.own_values(self.task, start_key)
        self._start = start(disturbing.plain(self.task), start_key, count)
        self.step, self.total_return, self.ended_at = 0, 0.0, -1
        self.story = Story(self.task)
        self.grip = NO_GRIP
        self.ids, self._next_id = np.arange(count), count

    def restart(self, seed: int, count: int) -> None:
        """At that start, ready to move; waits for the engine if it has to."""
        self.lay_out(seed, count)
        wanted, controller = self.task_for(count), self.named.controller
        is_alive = hasattr(self, "engine")  # whatever else is still being compiled, it can go on as it is
        engine = self.workshop.ready(wanted, controller, count) or (self._ready(count) if is_alive else None)
        self.engine = engine or self.workshop.order(wanted, controller, count).result()
        self._settle(self._start, np.arange(count))

    @property
    def count(self) -> int:
        """How many agents the swarm has; the task may let some of them be absent."""
        return int((self.ids >= 0).sum())

    @property
    def state(self) -> State:
        return self._start if self.moment is None else self.moment.state

    @property
    def present(self) -> Bool[ndarray, " slots"]:
        """The agents that are present."""
        return np.asarray((self.ids >= 0) & self.state.present)

    def advance(self) -> None:
        """One step, unless the task has reached its end."""
        if self.ended_at >= 0:
            return
        self.moment = moment = self._run(self.state, moves=True)
        self.step += 1
        self.total_return += float(moment.reward)
        self._tell(moment, moved=True)

    # Presence.

    def can_hold(self, count: int) -> bool:
        """Whether so many agents fit at once. If not, the engine for them is being compiled from now on."""
        task, controller = self.task_for(count), self.named.controller
        order = self.workshop.order(task, controller, count)
        if order.done() and not order.cancelled():
            order.result()  # or what went wrong
        return self.workshop.ready(task, controller, count) is not None

    def tighten(self) -> None:
        """Move into an engine that suits better if there is one by now: smaller, or with what is to be disturbed."""
        if self.engine.slots == slots_for(self.count) and not self.is_behind:
            return
        best = self.workshop.ready(self.task_for(self.count), self.named.controller, self.count)
        if best is not None and best is not self.engine:
            self._settle(*self._population())

    def remove(self, ids: Int[ndarray, " K"]) -> None:
        """Take agents away."""
        state, known = self._population()
        (stays,) = np.nonzero(~np.isin(known, ids))
        self._settle(slots.taken(state, self._axes_of(state), stays), known[stays])

    def add(self, newcomers: Newcomers) -> None:
        """Let agents join, at rest."""
        self._settle(*self._population(), newcomers)

    def newest(self, many: int) -> Int[ndarray, " many"]:
        """The agents that came last."""
        return np.sort(self.ids[self.ids >= 0])[self.count - many :]

    def inside(self, across: tuple[float, float], up: tuple[float, float]) -> Int[ndarray, " K"]:
        """The agents in a rectangle, borders included."""
        place = np.asarray(self.state.agents.position)
        (low_x, high_x), (low_y, high_y) = sorted(across), sorted(up)
        within = (low_x <= place[:, 0]) & (place[:, 0] <= high_x) & (low_y <= place[:, 1]) & (place[:, 1] <= high_y)
        return np.asarray(self.ids[within & self.present])

    # Disturbances.

    @property
    def values(self) -> dict[str, float | bool]:
        """Strengths and terms of all disturbances, by the names of their settings."""
        return self._own_values | self.asked.values

    def why_not(self, count: int) -> str | None:
        """Why so many agents cannot be disturbed; None if they can be."""
        slots = self.workshop.slots(disturbing.plain(self.task), self.named.controller, count)
        return self.asked.refused or disturbing.why_not(self.task, slots)

    def task_for(self, count: int) -> Task:
        """What so many agents live in: the task open to all disturbances while one is on and can be, else without."""
        is_open = disturbing.is_on(self.values) and self.why_not(count) is None
        return disturbing.opened(self.task) if is_open else disturbing.plain(self.task)  # type: ignore[arg-type]

    @property
    def is_behind(self) -> bool:
        """Whether it waits for an engine with what is to be disturbed, or for one without."""
        return self.engine.is_disturbed != bool(getattr(self.task_for(self.count), "ranges", None))

    def prepare(self) -> None:
        """Have the engine for disturbances compiled before it is needed."""
        if self.why_not(self.count) is None:
            task = disturbing.opened(self.task)  # type: ignore[arg-type]
            self.workshop.order(task, self.named.controller, self.count)

    def retune(self) -> None:
        """Take over what was asked for; in an engine without disturbances there is nothing to take over."""
        if self.state.disturbance is not None:
            self._measure(disturbing.tuned(self.state, self.values))

    # Dragging.

    def hold_agent(self, number: int, place: tuple[float, float]) -> None:
        slot = self.slot_of(number)
        if slot is not None:
            self._hold(NO_GRIP._replace(agent=np.int32(slot), place=np.array(place, np.float32)))  # type: ignore[arg-type]

    def hold_evader(self, index: int, place: tuple[float, float]) -> None:
        evaders = self.state.evaders
        if evaders is not None and index < len(evaders):
            self._hold(NO_GRIP._replace(evader=np.int32(index), place=np.array(place, np.float32)))  # type: ignore[arg-type]

    def release(self) -> None:
        self.grip = NO_GRIP

    def slot_of(self, number: int) -> int | None:
        found = np.flatnonzero(self.ids == number)
        return int(found[0]) if len(found) else None

    def look(self, number: int) -> View | None:
        """What an agent senses now; None if it is not there."""
        slot = self.slot_of(number)
        if slot is None:
            return None
        where = np.int32(self.step), np.int32(slot)
        return jax.device_get(self.engine.look(self.state, self._run_key, *where))  # type: ignore[no-any-return, arg-type]

    def _hold(self, grip: Grip) -> None:
        self.grip = grip
        self._measure(self.state)

    def _population(self) -> tuple[State, Int[ndarray, " k"]]:
        """The swarm without empty slots."""
        (taken,) = np.nonzero(self.ids >= 0)
        state = disturbing.without_terms(self.state)
        return slots.taken(state, self._axes_of(state), taken), self.ids[taken]

    def _kind_of(self, state: State) -> Task:
        """The task of which this is a state."""
        return disturbing.plain(self.task) if state.disturbance is None else disturbing.opened(self.task)  # type: ignore[arg-type]

    def _axes_of(self, state: State) -> slots.Axes:
        return slots.axes_of(self._kind_of(state))

    def _ready(self, count: int) -> Engine | None:
        """An engine for so many agents, with disturbances or without like the present one."""
        return self.workshop.ready(self.engine.task, self.named.controller, count)

    def _settle(self, state: State, ids: Int[ndarray, " k"], newcomers: Newcomers = NOBODY) -> None:
        """Put a population, and any newcomers, into the smallest engine that is ready for all of them."""
        held_id = self.ids[self.grip.agent] if int(self.grip.agent) >= 0 else None
        stay, join = len(ids), len(newcomers.heading)
        wanted = self.task_for(stay + join)
        engine = self.workshop.ready(wanted, self.named.controller, stay + join) or self._ready(stay + join)
        assert engine is not None, "can_hold() comes before a change of size"
        self.engine = engine
        room = slots.empty(self._kind_of(state).resized(engine.slots))
        state = slots.moved_into(state, room, self._axes_of(state), np.arange(stay))
        self.ids = np.full(engine.slots, -1)
        self.ids[: stay + join] = np.concatenate([ids, self._next_id + np.arange(join)])
        self._next_id += join
        if held_id is not None:
            slot = self.slot_of(int(held_id))
            self.grip = NO_GRIP if slot is None else self.grip._replace(agent=np.int32(slot))  # type: ignore[arg-type]
        self._measure(self._disturbed(joined(state, newcomers, stay)))

    def _disturbed(self, state: State) -> State:
        """The state as the engine takes it."""
        # Who is concerned follows from the start and the agents' numbers; only what was told before has to be kept.
        told, bare = state.disturbance, state._replace(disturbance=None)
        if not self.engine.is_disturbed:
            return bare
        drawn = jax.device_get(self.engine.disturbance(bare, self._start_key, self.ids.astype(np.int32)))  # type: ignore[arg-type]
        drawn = drawn if told is None else drawn._replace(past=told.past)
        return disturbing.tuned(bare._replace(disturbance=drawn), self.values)

    def _measure(self, state: State) -> None:
        """What the task says about a state that was made by hand; nothing moves."""
        self.moment = moment = self._run(state, moves=False)
        self._tell(moment, moved=False)

    def _tell(self, moment: Moment, *, moved: bool) -> None:
        self.story.tell(moment.metrics, self.step, moved=moved)
        if self.ended_at < 0 and bool(moment.terminated):
            self.ended_at = self.step
            self.story.end(self.step)

    def _run(self, state: State, *, moves: bool) -> Moment:
        how = np.int32(self.step), self.grip, np.bool_(moves)
        return jax.device_get(self.engine.advance(state, self._run_key, *how))  # type: ignore[no-any-return, arg-type]
