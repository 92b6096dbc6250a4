"""What one page looks at: one swarm or two, and everything that its messages change. Knows nothing of the network."""

import time

import numpy as np
from jaxtyping import Int
from numpy import ndarray

from swarmbed.spec.errors import SwarmbedError
from swarmbed.viewer import messages
from swarmbed.viewer.catalog import Catalog
from swarmbed.viewer.disturbing import Asked
from swarmbed.viewer.engine import FEWEST, MOST, is_fixed_size
from swarmbed.viewer.messages import Change, Message, Setup
from swarmbed.viewer.places import Newcomers, place_inside, scatter
from swarmbed.viewer.swarm import LiveSwarm
from swarmbed.viewer.workshop import Workshop

USUAL_SPEED = 40.0  # steps per second
REST = 1.5  # seconds between the end of an episode and the next start


class Session:
    """The state of one page. Not for several threads at once.

    >>> session = Session(Catalog(), Workshop())  # doctest: +SKIP
    >>> session.apply(Setup("rendezvous-global", "consensus"))  # doctest: +SKIP
    """

    def __init__(self, catalog: Catalog, workshop: Workshop) -> None:
        self.catalog, self.workshop = catalog, workshop
        self.swarms: list[LiveSwarm] = []
        self.names: list[str] = []
        self.task, self.seed, self.count = "", 0, 0
        self.playing, self.loops, self.speed = False, False, USUAL_SPEED
        self.selected: tuple[int, int] | None = None  # arena, agent
        self.waiting: list[Change] = []
        self.asked = Asked()  # disturbances
        self.is_draft = False  # shows a start, and cannot move yet
        self.scenes = 0  # number of setups so far
        self._ended = 0.0
        self._pulls = 0

    def apply(self, message: Message) -> None:
        """Do what a message says, or raise an error that says why not."""
        match message:
            case Setup():
                self.adopt(self.draft(message))
            case messages.Speed(steps_per_second):
                self.speed = steps_per_second
            case messages.Loop(on):
                self.loops = on
            case messages.Drawn():
                pass
            case _ if not self.swarms:
                raise SwarmbedError("choose a task first, with a message of type setup")
            case messages.Play():
                self._play()
            case messages.Pause():
                self.playing = False
            case messages.Step(steps):
                self.playing = False
                self.advance(steps)
            case messages.Restart(seed):
                self.restart(seed)
            case messages.Agents() | messages.Add() | messages.Remove() | messages.RemoveInside():
                self._change(message)
            case messages.Select(arena, agent):
                self._check_arena(arena)
                self.selected = None if agent is None else (arena, agent)
            case messages.Hold():
                self._hold(message)
            case messages.Release():
                for swarm in self.swarms:
                    swarm.release()
            case messages.Disturb(what, value):
                self._disturb(what, value)
            case messages.Prepare():
                self._prepare()

    def advance(self, steps: int, budget: float = float("inf")) -> None:
        """Up to so many steps, as many as there are seconds for, but at least one."""
        began = time.monotonic()
        self._catch_up()
        for _ in range(steps):
            for swarm in self.swarms:
                swarm.advance()
            if all(swarm.ended_at >= 0 for swarm in self.swarms):
                self._end()
                return
            if time.monotonic() - began >= budget:
                return

    def restart(self, seed: int) -> None:
        """All swarms at the start of this seed."""
        self.seed, self._ended = seed, 0.0
        for swarm in self.swarms:
            swarm.restart(seed, self.count)
        self.waiting.clear()

    def draft(self, setup: Setup) -> "Session":
        """A session that shows the start of what is asked for. Nothing of it is compiled, and nothing here changes."""
        fitting = self.catalog.fitting(setup.task)
        if not fitting:
            raise SwarmbedError(
                f"no policy or controller here fits task {setup.task!r}; show a policy that was trained on it"
            )
        names = [setup.who or fitting[0], *([setup.versus] if setup.versus else [])]
        shown = [self.catalog.controller(name) for name in names]
        sizes = {c.task.num_agents for c in shown if is_fixed_size(c.controller) and c.task is not None}
        if len(sizes) > 1:
            raise SwarmbedError(f"{names[0]} and {names[1]} only run with different numbers of agents")
        usual = self.catalog.tasks[setup.task].num_agents
        count = sizes.pop() if sizes else min(max(setup.agents or usual, FEWEST), MOST)
        draft = Session(self.catalog, self.workshop)
        draft.is_draft = True
        for named in shown:
            task = self.catalog.task_for(setup.task, named, count)
            named.controller.check(task)
            draft.swarms.append(LiveSwarm(self.workshop, named, task, self.asked))
        for swarm in draft.swarms:
            swarm.lay_out(setup.seed, count)
        draft.asked = self.asked
        draft.names, draft.task, draft.seed, draft.count = names, setup.task, setup.seed, count
        draft.playing, draft.loops, draft.speed = self.playing, self.loops, self.speed
        return draft

    def adopt(self, draft: "Session") -> None:
        """Bring a draft to life and show it from now on; waits for what has to be compiled."""
        self.asked.refused = None  # another task, another attempt
        try:
            for swarm in draft.swarms:
                self.workshop.order(swarm.task_for(draft.count), swarm.named.controller, draft.count)
            for swarm in draft.swarms:
                swarm.restart(draft.seed, draft.count)
        finally:
            # Even if it failed: the page may have been shown the draft, and needs the scene again.
            self.scenes += 1
        # Only now that everything worked does it take the place of what was shown before.
        self.swarms, self.names, self.task = draft.swarms, draft.names, draft.task
        self.seed, self.count, self.selected, self._ended = draft.seed, draft.count, None, 0.0
        self.waiting.clear()

    def _play(self) -> None:
        if all(swarm.ended_at >= 0 for swarm in self.swarms):
            self.restart(self.seed)
        self.playing = True

    def _end(self) -> None:
        """All have reached their end: pause, then continue with the next start, or stop."""
        if not self.loops:
            self.playing = False
        elif self._ended == 0.0:
            self._ended = time.monotonic()
        elif time.monotonic() - self._ended > REST:
            self.restart(self.seed + 1)

    # Growing and shrinking. While the shape for a new size is being compiled, the swarm continues as it is.

    def _change(self, message: Change) -> None:
        fixed = [name for name, s in zip(self.names, self.swarms, strict=True) if is_fixed_size(s.named.controller)]
        if fixed:
            raise SwarmbedError(f"{fixed[0]} runs only with the {self.count} agents it was trained with")
        if isinstance(message, messages.Agents):
            self.waiting.clear()  # a slider on the move: only its last position counts
        elif len(self.waiting) >= MOST:
            raise SwarmbedError("too many changes at once; wait until the last ones are done")
        self.waiting.append(message)
        self._catch_up()

    def _catch_up(self) -> None:
        """Carry out the changes of size for which everything is compiled."""
        while self.waiting:
            message = self.waiting[0]
            try:
                count = self._count_after(message)
                are_ready = [swarm.can_hold(count) for swarm in self.swarms]  # asks all of them, so all get compiled
            except SwarmbedError:
                self.waiting.pop(0)
                raise
            if not all(are_ready):
                return
            self.waiting.pop(0)
            self._carry_out(message, count)
        if self._can_tighten():
            for swarm in self.swarms:
                swarm.tighten()

    @property
    def is_waiting(self) -> bool:
        """Whether something that was asked for is still being compiled."""
        return bool(self.waiting) or (not self.is_draft and any(swarm.is_behind for swarm in self.swarms))

    def _can_tighten(self) -> bool:
        """Whether no swarm would be disturbed without the other: both, or for now none."""
        if not any(swarm.is_behind for swarm in self.swarms):
            return True
        try:
            are_ready = [swarm.can_hold(self.count) for swarm in self.swarms]
        except SwarmbedError as error:
            self.asked.refuse(error)
            raise
        return all(are_ready)

    def _count_after(self, message: Change) -> int:
        if isinstance(message, messages.Agents):
            return message.count
        count = self.count + 1 if isinstance(message, messages.Add) else self.count - len(self._leaving(message))
        if not FEWEST <= count <= MOST:
            raise SwarmbedError(f"a swarm has between {FEWEST} and {MOST} agents here, and this would make {count}")
        return count

    def _leaving(self, message: messages.Remove | messages.RemoveInside) -> Int[ndarray, " K"]:
        """The ids of the agents that a message removes."""
        if isinstance(message, messages.RemoveInside):
            self._check_arena(message.arena)
            return self.swarms[message.arena].inside((message.x, message.to_x), (message.y, message.to_y))
        if self.swarms[0].slot_of(message.agent) is None:
            raise SwarmbedError(f"there is no agent {message.agent}")
        return np.array([message.agent])

    def _carry_out(self, message: Change, count: int) -> None:
        self._pulls += 1
        self.asked.refused = None  # another size, another attempt
        more = count - self.count
        match message:
            case messages.Remove() | messages.RemoveInside():
                gone = self._leaving(message)
            case messages.Add(x, y):
                heading = scatter(self.swarms[0].task, 1, (self.seed, self._pulls)).heading
                new = Newcomers(np.array([place_inside(self.swarms[0].task, x, y)]), heading)
            case _:
                gone = self.swarms[0].newest(max(-more, 0))
                new = scatter(self.swarms[0].task, max(more, 0), (self.seed, self._pulls))
        for swarm in self.swarms:
            if more > 0:
                swarm.add(new)
            elif more < 0:
                swarm.remove(gone)
        self.count = count

    def _prepare(self) -> None:
        """Compile for disturbances before they are requested; a failure shows only in the panel."""
        try:
            for swarm in self.swarms:
                swarm.prepare()
        except SwarmbedError as error:
            self.asked.refuse(error)

    def _disturb(self, what: str, value: float | bool) -> None:
        if (reason := self.swarms[0].why_not(self.count)) is not None:
            raise SwarmbedError(reason.rstrip("."))
        self.asked.set(self.swarms[0].task, what, value)
        for swarm in self.swarms:
            swarm.retune()
        self._catch_up()

    def _hold(self, message: messages.Hold) -> None:
        self._check_arena(message.arena)
        place = place_inside(self.swarms[0].task, message.x, message.y)
        swarm = self.swarms[message.arena]
        if message.what == "evader":
            swarm.hold_evader(message.number, place)
        else:
            swarm.hold_agent(message.number, place)

    def _check_arena(self, arena: int) -> None:
        if arena >= len(self.swarms):
            raise SwarmbedError(f"arena must be less than {len(self.swarms)}, not {arena}")
