"""One swarm that lives: it moves, grows, shrinks, and somebody may pull at it."""

from dataclasses import replace
from math import pi
from typing import NamedTuple

import jax
import numpy as np
from jaxtyping import Bool, Float, Int
from numpy import ndarray

from swarmbed.policy.find import Contestant
from swarmbed.sim.unicycle import Agents
from swarmbed.tasks.base import State, Task
from swarmbed.tasks.swarm import SwarmTask
from swarmbed.viewer.engine import BUCKETS, NO_GRIP, Grip, Moment, View, slots_for
from swarmbed.viewer.workshop import Workshop


class Newcomers(NamedTuple):
    """Agents that are about to join."""

    position: Float[ndarray, "K 2"]
    heading: Float[ndarray, " K"]


class LiveSwarm:
    """The agents of one contestant on one task. Agents keep their number (id) for as long as they live.

    ``engine`` has at least as many slots as there are agents; ``ids`` says who is in which slot, −1 is nobody.
    """

    def __init__(self, workshop: Workshop, contestant: Contestant, task: Task) -> None:
        self.workshop, self.contestant, self.task = workshop, contestant, task
        self.ids = np.zeros(0, int)
        self.edits = 0  # changes of who is there, so that a page need not be told with every frame

    def restart(self, seed: int, count: int) -> None:
        """The first episode that ``render`` and ``evaluate`` run with this seed; waits for the engine if it has to."""
        start_key, self._run_key = (jax.random.fold_in(key, 0) for key in jax.random.split(jax.random.key(seed)))
        engine = self.workshop.ready(self.task, self.contestant.controller, count)
        self.engine = engine or self.workshop.order(self.task, self.contestant.controller, count).result()
        state = start(self.task, start_key, count)
        self.step, self.total_return, self.captures, self.ended_at = 0, 0.0, 0.0, -1
        self.grip = NO_GRIP
        self._next_id = count
        self._settle(state.agents, np.arange(count), state.evaders)

    @property
    def count(self) -> int:
        return int((self.ids >= 0).sum())

    @property
    def state(self) -> State:
        return self.moment.state

    @property
    def present(self) -> Bool[ndarray, " slots"]:
        return np.asarray(self.ids >= 0)

    def advance(self) -> None:
        """One step, unless the task has reached its end."""
        if self.ended_at >= 0:
            return
        self.moment = self._run(self.state, moves=True)
        self.step += 1
        self.total_return += float(self.moment.reward)
        self.captures += float(self.moment.metrics.get("captures", 0.0))
        if bool(self.moment.terminated):
            self.ended_at = self.step

    # Who is there.

    def can_hold(self, count: int) -> bool:
        """Whether so many agents fit at once. If not, the engine for them is being compiled from now on."""
        return self.workshop.order(self.task, self.contestant.controller, count).done() or (
            self.workshop.ready(self.task, self.contestant.controller, count) is not None
        )

    def tighten(self) -> None:
        """Move into a smaller engine if there is one by now."""
        if not self.engine.is_padded or self.engine.slots == slots_for(self.count):
            return
        best = self.workshop.ready(self.task, self.contestant.controller, self.count)
        if best is not None and best is not self.engine:
            self._settle(*self._population())

    def remove(self, ids: Int[ndarray, " K"]) -> None:
        """Take agents away."""
        agents, present, evaders = self._population()
        stays = ~np.isin(present, ids)
        self._settle(jax.tree.map(lambda leaf: leaf[stays], agents), present[stays], evaders)

    def add(self, newcomers: Newcomers) -> None:
        """Let agents join, at rest."""
        agents, present, evaders = self._population()
        many = len(newcomers.heading)
        still = None if agents.speed is None else np.zeros(many, np.float32)
        joined = jax.tree.map(
            lambda old, new: np.concatenate([old, new]).astype(old.dtype),
            agents,
            Agents(newcomers.position, newcomers.heading, still, still),  # type: ignore[arg-type]
        )
        ids = np.concatenate([present, self._next_id + np.arange(many)])
        self._next_id += many
        self._settle(joined, ids, evaders)

    def newest(self, many: int) -> Int[ndarray, " many"]:
        """The agents that came last."""
        return np.sort(self.ids[self.ids >= 0])[self.count - many :]

    # Being pulled at.

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

    def _population(self) -> tuple[Agents, Int[ndarray, " k"], Float[ndarray, "E 2"] | None]:
        """The agents that are there, without empty slots."""
        there = self.present
        agents = jax.tree.map(lambda leaf: np.asarray(leaf)[there], self.state.agents)
        return agents, self.ids[there], self.state.evaders  # type: ignore[return-value]

    def _settle(self, agents: Agents, ids: Int[ndarray, " k"], evaders: object) -> None:
        """Put a population into the smallest engine that is ready for it."""
        held_id = self.ids[self.grip.agent] if int(self.grip.agent) >= 0 else None
        engine = self.workshop.ready(self.task, self.contestant.controller, len(ids))
        assert engine is not None, "can_hold() comes before a change of size"
        self.engine, empty = engine, engine.slots - len(ids)
        self.ids = np.concatenate([ids, np.full(empty, -1)])
        self.edits += 1
        if held_id is not None:
            slot = self.slot_of(int(held_id))
            self.grip = NO_GRIP if slot is None else self.grip._replace(agent=np.int32(slot))  # type: ignore[arg-type]
        padded = jax.tree.map(
            lambda leaf: np.concatenate([leaf, np.zeros((empty, *leaf.shape[1:]), leaf.dtype)]), agents
        )
        self._measure(State(padded, evaders, self.present if engine.is_padded else None))  # type: ignore[arg-type]

    def _measure(self, state: State) -> None:
        """Metrics of a state that was made by hand; nothing moves."""
        self.moment = self._run(state, moves=False)
        if self.ended_at < 0 and bool(self.moment.terminated):
            self.ended_at = self.step

    def _run(self, state: State, *, moves: bool) -> Moment:
        how = np.int32(self.step), self.grip, np.bool_(moves)
        return jax.device_get(self.engine.advance(state, self._run_key, *how))  # type: ignore[no-any-return, arg-type]


def start(task: Task, key: jax.Array, count: int) -> State:
    """The state in which a swarm of ``count`` agents starts."""
    is_own = type(task).__module__.startswith("swarmbed.")
    # The tasks of this package draw agent after agent: the first of many are all of few. Drawing always the same
    # number means that nothing is compiled for a size that was never seen before.
    drawn = BUCKETS[-1] if is_own and isinstance(task, SwarmTask) else count
    state = jax.device_get(replace(task, num_agents=drawn).initial(key))
    return state._replace(agents=jax.tree.map(lambda leaf: leaf[:count], state.agents))


def scatter(task: Task, many: int, seed: tuple[int, ...]) -> Newcomers:
    """Agents at random places, as a start draws them."""
    random = np.random.default_rng(seed)
    margin = task.start_margin if isinstance(task, SwarmTask) else 0.05
    size = np.array([getattr(task, "width", 1.0), getattr(task, "height", 1.0)])
    return Newcomers(size * random.uniform(margin, 1 - margin, (many, 2)), random.uniform(0, 2 * pi, many))
