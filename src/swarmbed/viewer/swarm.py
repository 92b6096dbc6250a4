"""One live swarm: it moves, grows, shrinks, and its agents can be dragged."""

from math import pi
from typing import Any, NamedTuple

import jax
import numpy as np
from jaxtyping import Bool, Float, Int
from numpy import ndarray

from swarmbed.draw.story import Story
from swarmbed.policy.find import Contestant
from swarmbed.tasks.base import State, Task
from swarmbed.tasks.swarm import SwarmTask
from swarmbed.viewer import slots
from swarmbed.viewer.engine import BUCKETS, NO_GRIP, Grip, Moment, View, is_own, slots_for
from swarmbed.viewer.workshop import Workshop


class Newcomers(NamedTuple):
    """Agents that are about to join."""

    position: Float[ndarray, "K 2"]
    heading: Float[ndarray, " K"]


NOBODY = Newcomers(np.zeros((0, 2)), np.zeros(0))


class LiveSwarm:
    """The agents of one policy or controller on one task. Agents keep their id for as long as they exist.

    ``engine`` has at least as many slots as there are agents; ``ids`` says which agent is in which slot, −1 is none.
    """

    def __init__(self, workshop: Workshop, contestant: Contestant, task: Task) -> None:
        self.workshop, self.contestant, self.task = workshop, contestant, task
        self.ids = np.zeros(0, int)

    def lay_out(self, seed: int, count: int) -> None:
        """The start of the first episode that ``render`` and ``evaluate`` run with this seed. Nothing is compiled."""
        start_key, self._run_key = (jax.random.fold_in(key, 0) for key in jax.random.split(jax.random.key(seed)))
        self.moment: Moment | None = None
        self._start = start(self.task, start_key, count)
        self.step, self.total_return, self.ended_at = 0, 0.0, -1
        self.story = Story(self.task)
        self.grip = NO_GRIP
        self.ids, self._next_id = np.arange(count), count

    def restart(self, seed: int, count: int) -> None:
        """At that start, ready to move; waits for the engine if it has to."""
        engine = self.workshop.ready(self.task, self.contestant.controller, count)
        self.engine = engine or self.workshop.order(self.task, self.contestant.controller, count).result()
        self.lay_out(seed, count)
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
        order = self.workshop.order(self.task, self.contestant.controller, count)
        if order.done() and not order.cancelled():
            order.result()  # or what went wrong
        return self.workshop.ready(self.task, self.contestant.controller, count) is not None

    def tighten(self) -> None:
        """Move into a smaller engine if there is one by now."""
        if self.engine.slots == slots_for(self.count):
            return
        best = self.workshop.ready(self.task, self.contestant.controller, self.count)
        if best is not None and best is not self.engine:
            self._settle(*self._population())

    def remove(self, ids: Int[ndarray, " K"]) -> None:
        """Take agents away."""
        state, known = self._population()
        (stays,) = np.nonzero(~np.isin(known, ids))
        self._settle(slots.taken(state, self._axes, stays), known[stays])

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

    @property
    def _axes(self) -> slots.Axes:
        return slots.axes_of(self.task)

    def _population(self) -> tuple[State, Int[ndarray, " k"]]:
        """The swarm without empty slots."""
        (taken,) = np.nonzero(self.ids >= 0)
        return slots.taken(self.state, self._axes, taken), self.ids[taken]

    def _settle(self, state: State, ids: Int[ndarray, " k"], newcomers: Newcomers = NOBODY) -> None:
        """Put a population, and any newcomers, into the smallest engine that is ready for all of them."""
        held_id = self.ids[self.grip.agent] if int(self.grip.agent) >= 0 else None
        stay, join = len(ids), len(newcomers.heading)
        engine = self.workshop.ready(self.task, self.contestant.controller, stay + join)
        assert engine is not None, "can_hold() comes before a change of size"
        self.engine = engine
        state = slots.moved_into(state, slots.empty(engine.task), self._axes, np.arange(stay))
        self.ids = np.full(engine.slots, -1)
        self.ids[: stay + join] = np.concatenate([ids, self._next_id + np.arange(join)])
        self._next_id += join
        if held_id is not None:
            slot = self.slot_of(int(held_id))
            self.grip = NO_GRIP if slot is None else self.grip._replace(agent=np.int32(slot))  # type: ignore[arg-type]
        self._measure(joined(state, newcomers, stay))

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


def start(task: Task, key: jax.Array, count: int) -> State:
    """The state in which a swarm of ``count`` agents starts."""
    # The tasks of this package draw agent after agent: the first of many are all of few. Drawing always the same
    # number means that nothing is compiled for a size that was never seen before.
    drawn = BUCKETS[-1] if is_own(task) and isinstance(task, SwarmTask) else count
    state = jax.device_get(task.resized(drawn).initial(key))
    return slots.taken(state, slots.axes_of(task), np.arange(count))


def joined(state: State, newcomers: Newcomers, first: int) -> State:
    """The state with newcomers in the empty slots from ``first`` on."""
    where = slice(first, first + len(newcomers.heading))

    def put(column: Any, values: Any) -> Any:
        if column is not None:
            column = np.array(column)
            column[where] = values
        return column

    agents = state.agents._replace(
        position=put(state.agents.position, newcomers.position),
        heading=put(state.agents.heading, newcomers.heading),
        speed=put(state.agents.speed, 0.0),
        turn_rate=put(state.agents.turn_rate, 0.0),
    )
    return state._replace(agents=agents, present=put(state.present, True))


def scatter(task: Task, many: int, seed: tuple[int, ...]) -> Newcomers:
    """Agents at random places, as a start draws them."""
    random = np.random.default_rng(seed)
    margin = task.start_margin if isinstance(task, SwarmTask) else 0.05
    size = np.array([getattr(task, "width", 1.0), getattr(task, "height", 1.0)])
    return Newcomers(size * random.uniform(margin, 1 - margin, (many, 2)), random.uniform(0, 2 * pi, many))
