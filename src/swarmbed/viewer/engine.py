"""The compiled step of one policy or controller, for swarms of any size up to a number of slots.

A swarm that grows and shrinks while it is shown must not be recompiled for every size. So it lives in arrays of 8, 16,
… 10,240 slots, of which those with a true ``state.present`` are agents. Absence is exact: an empty slot is not sensed,
fled from or counted, and k agents in any number of slots do what a swarm of k does.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, jit
from jaxtyping import Bool, Float, Int, PRNGKeyArray

from swarmbed.controllers.base import Controller
from swarmbed.learn.rollout import step_keys
from swarmbed.policy.policy import Policy
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks.base import Observation, State, Task
from swarmbed.tasks.disturbances.settings import Disturbed
from swarmbed.tasks.disturbances.state import begin
from swarmbed.viewer import disturbing, slots

FEWEST, MOST = 2, 10_000
# Doubling as long as that is cheap; above, an empty slot costs as much as an agent, so steps are smaller.
BUCKETS = (8, 16, 32, 64, 128, 256, 512, 1024, 1536, 2048, 3072, 4096, 5120, 6144, 8192, 10_240)


class Grip(NamedTuple):
    """What the mouse holds: the slot of an agent or the index of an evader (−1: none), and where."""

    agent: Int[Array, ""]
    evader: Int[Array, ""]
    place: Float[Array, "2"]


NO_GRIP = Grip(np.int32(-1), np.int32(-1), np.zeros(2, np.float32))  # type: ignore[arg-type]


class Moment(NamedTuple):
    """A state, the actions that led there, what the task says about both, and who is disturbed (see ``disturbing``)."""

    state: State
    action: Float[Array, "N A"]
    reward: Float[Array, ""]
    terminated: Bool[Array, ""]
    metrics: dict[str, Float[Array, ""]]
    marks: Int[Array, " N"] | None


class View(NamedTuple):
    """What one agent senses (arrays lead with 1), the embedding of each of its sets, what it does about it, and what it
    would sense if nothing were disturbed."""

    observation: Observation
    embeddings: tuple[Float[Array, "1 K"], ...]
    action: Float[Array, " A"]
    missed: disturbing.Missed | None


@dataclass(frozen=True)
class Engine:
    """A policy or controller on a task with as many slots as the task has agents, compiled on first use."""

    task: Task
    controller: Controller

    @property
    def slots(self) -> int:
        return self.task.num_agents

    @cached_property
    def advance(self) -> Callable[[State, PRNGKeyArray, Int[Array, ""], Grip, Bool[Array, ""]], Moment]:
        """The moment one step later or, if nothing is to move, the same moment with what is held put into place."""
        return self._compile(self.next_moment, np.int32(0), NO_GRIP, np.bool_(True))

    @cached_property
    def look(self) -> Callable[[State, PRNGKeyArray, Int[Array, ""], Int[Array, ""]], View]:
        """What the agent in one slot senses and does."""
        return self._compile(self.view_from, np.int32(0), np.int32(0))

    @property
    def is_disturbed(self) -> bool:
        """Whether its states say what is disturbed."""
        return bool(getattr(self.task, "ranges", None))

    @cached_property
    def disturbance(self) -> Callable[[State, PRNGKeyArray, Int[Array, " N"]], Any]:
        """What the episode with this start draws of its disturbances for agents of these numbers."""
        shape, key, identity = disturbing.shape_of(self.task), jax.random.key(0), jnp.arange(self.slots)
        task = self.task
        assert isinstance(task, Disturbed)
        draw = jit(lambda state, key, who: begin(task, state, key, who).disturbance)
        return draw.lower(shape._replace(disturbance=None), key, identity).compile()  # type: ignore[no-any-return]

    def next_moment(self, state: State, key: PRNGKeyArray, step: Array, grip: Grip, moves: Array) -> Moment:
        """What ``advance`` computes, not compiled: the task's one step, with the keys of an evaluated episode."""
        act_key, move_key = step_keys(key, step)
        action = self.controller.control(self.task, state, act_key)
        moved = self.task.advance(move_key, state, action)
        now = held(jax.tree.map(lambda new, old: jnp.where(moves, new, old), moved.state, state), grip)
        # What is held is put into place after the step, so the end is asked of the state that one sees.
        return Moment(
            now,
            action,
            jnp.where(moves, moved.reward, 0.0),
            self.task.terminated(now),
            self.task.measure(now),
            disturbing.marks_of(self.task, now),
        )

    def view_from(self, state: State, key: PRNGKeyArray, step: Array, slot: Array) -> View:
        """What ``look`` computes, not compiled."""
        act_key, _ = step_keys(key, step)
        seen = self.task.observe_from(state, slot[None], self.task.transmit(state))
        missed = disturbing.missed_by(self.task, state, slot)
        if not isinstance(self.controller, Policy):
            return View(seen, (), self.controller.control(self.task, state, act_key)[slot], missed)
        model = self.controller.model_for(self.task)
        embeddings = model.embed(self.controller.params.network, model.prepare(seen))
        # One of thousands: its action does not require computing those of the others.
        mean = jnp.zeros((self.slots, self.task.action_size)).at[slot].set(self.controller.mean(seen, self.task)[0])
        return View(seen, tuple(embeddings), self.controller.drawn(mean, act_key)[slot], missed)

    def _compile(self, function: Callable[..., Any], *rest: Any) -> Callable[..., Any]:
        compiled = jit(function).lower(disturbing.shape_of(self.task), jax.random.key(0), *rest).compile()
        self._check_memory(compiled.memory_analysis())
        return compiled

    def _check_memory(self, analysis: Any) -> None:
        """Refuse what would not fit: a machine that runs out of memory stops more than this page."""
        needed, free = getattr(analysis, "temp_size_in_bytes", 0) / 1e9, free_memory()
        if free is not None and needed > free / 1e9:
            raise SwarmbedError(
                f"{self.slots} agents need {needed:.1f} GB of memory in this task, and {free / 1e9:.1f} GB are free"
            )


def held(state: State, grip: Grip) -> State:
    """The state with the held agent or evader where the mouse is."""

    def put(position: Array, index: Array) -> Array:
        return jnp.where((jnp.arange(position.shape[0]) == index)[:, None], grip.place, position)

    agents = state.agents._replace(position=put(state.agents.position, grip.agent))
    return state._replace(agents=agents, evaders=None if state.evaders is None else put(state.evaders, grip.evader))


def free_memory() -> int | None:
    """Bytes that this machine can still give away; None where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")), None)


def slots_for(count: int) -> int:
    """The smallest bucket that holds so many agents."""
    return next(bucket for bucket in BUCKETS if bucket >= count)


def is_fixed_size(controller: Controller) -> bool:
    """Whether a controller runs with one size of swarm only."""
    return isinstance(controller, Policy) and not controller.model.any_number_of_slots


def respects_absence(task: Task, controller: Controller) -> bool:
    """Whether empty slots change nothing. What this package holds is tested for it; a plug-in is put to the test."""
    if is_fixed_size(controller):
        return False
    parts = [controller.embedding, controller.network] if isinstance(controller, Policy) else [controller]
    return all(map(is_own, (task, *parts))) or _stands_the_test(task, controller)


def is_own(spec: object) -> bool:
    """Whether a class stands in a file of this package as it is."""
    kind = type(spec)
    module = sys.modules.get(kind.__module__)
    return kind.__module__.startswith("swarmbed.") and getattr(module, kind.__qualname__, None) is kind


def _stands_the_test(task: Task, controller: Controller) -> bool:
    """Whether three agents among five slots do what three do alone, and stay who they are."""
    key, other_key = jax.random.key(1), jax.random.key(2)
    unheld = (jnp.array(0), NO_GRIP, jnp.array(True))
    try:
        few, many = task.resized(3), task.resized(5)
        start, others = jax.device_get((few.initial(key), many.initial(other_key)))
        padded = slots.moved_into(start, others, slots.axes_of(few), np.arange(3))
        alone = jit(Engine(few, controller).next_moment)(start, key, *unheld)
        among = jit(Engine(many, controller).next_moment)(padded, key, *unheld)
    except (TypeError, ValueError):
        return False  # it does not even run with these sizes
    mine = jax.tree.map(lambda leaf: leaf[:3], (among.state.agents, among.state.present, among.action))
    pairs = zip(
        jax.tree.leaves((alone.state.agents, alone.state.present, alone.action, alone.state.evaders, alone[2:5])),
        jax.tree.leaves((*mine, among.state.evaders, among[2:5])),
        strict=True,
    )
    return not among.state.present[3:].any() and all(np.allclose(a, b, rtol=1e-4, atol=1e-4) for a, b in pairs)
