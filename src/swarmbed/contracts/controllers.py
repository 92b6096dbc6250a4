"""What a controller promises: an action for every agent of every task that it accepts."""

from functools import cached_property
from itertools import chain
from typing import Any

import jax
import numpy as np

from swarmbed.contracts.absence import GARBAGE, littered, only_present, who_is_there, with_gaps
from swarmbed.contracts.check import Check, during, program, promise, quick_jit, require, require_equal, require_finite
from swarmbed.contracts.task_numbers import SIZES
from swarmbed.contracts.task_subject import TaskSubject, stacked
from swarmbed.controllers.base import Controller
from swarmbed.spec import registry
from swarmbed.spec.errors import SwarmbedError

CHECKS: list[Check] = []


class Pairing:
    """The controller on one task, with its rule compiled once."""

    def __init__(self, controller: Controller, ground: TaskSubject) -> None:
        self.controller, self.ground = controller, ground
        self._sized: dict[int, Pairing] = {ground.agents: self}

    @property
    def name(self) -> str:
        agents = self.ground.agents
        return f"on {registry.task_name(self.ground.task)} with {agents} agent{'s' if agents > 1 else ''}"

    def control(self, state: Any, key: Any) -> Any:
        return self.controller.control(self.ground.task, state, key)

    @cached_property
    def compiled(self) -> Any:
        return quick_jit(self.control)

    @property
    def fits(self) -> bool:
        try:
            self.controller.check(self.ground.task)
        except SwarmbedError:
            return False
        return True

    def sized(self, agents: int) -> "Pairing":
        return self._sized.setdefault(agents, Pairing(self.controller, self.ground.sized(agents)))

    def in_all_sizes(self) -> list["Pairing"]:
        """The same with one agent, a few and many, as far as the task and the controller take them."""
        sizes = (self.ground.agents, *SIZES)
        return [pairing for pairing in map(self.sized, sizes) if pairing.fits]


class ControllerSubject:
    """A controller with its default gains, and the tasks it fits."""

    def __init__(self, spec: type[Controller]) -> None:
        self.spec = spec

    @cached_property
    def controller(self) -> Controller:
        return self.spec()

    @cached_property
    def pairings(self) -> list[Pairing]:
        grounds = [TaskSubject(spec) for spec in registry.tasks.all().values()]
        return [pairing for pairing in (Pairing(self.controller, ground) for ground in grounds) if pairing.fits]


@promise(
    CHECKS, "fits a task",
    why="a controller that accepts no task can never be run",
    remedy="let check(task) raise SwarmbedError only for tasks that the rule cannot handle",
    essential=True,
)  # fmt: skip
def _fits(subject: ControllerSubject) -> None:
    names = ", ".join(registry.tasks.all())
    require(subject.pairings, f"it refuses every task: {names}")


@promise(
    CHECKS, "gives every agent an action",
    why="a task moves all agents at once, and refuses actions of another shape",
    remedy="return floats of shape (num_agents, action_size) from the task's state alone",
    essential=True,
)  # fmt: skip
def _shape(subject: ControllerSubject) -> None:
    for pairing in chain.from_iterable(accepted.in_all_sizes() for accepted in subject.pairings):
        task = pairing.ground.task
        with during(pairing.name, subject.spec):
            state = jax.eval_shape(task.initial, jax.random.key(0))
            found = jax.eval_shape(pairing.control, state, jax.random.key(0))
        wanted = (task.num_agents, task.action_size)
        good = getattr(found, "shape", None) == wanted and found.dtype.kind == "f"
        require(good, f"{pairing.name} it gives {_described(found)}, not floats of shape {wanted}")


def _described(found: Any) -> str:
    return f"{found.dtype} of shape {found.shape}" if hasattr(found, "shape") else f"a {type(found).__name__}"


@promise(
    CHECKS, "actions are finite",
    why="one NaN moves an agent out of the world",
    remedy="guard divisions by distances: agents may stand on one spot, and may be alone",
)  # fmt: skip
def _finite(subject: ControllerSubject) -> None:
    for pairing in subject.pairings:
        for where, state in {"agents at a random start": pairing.ground.start, **pairing.ground.hard_states}.items():
            found = pairing.compiled(state, jax.random.key(0))
            require_finite(found, f"{pairing.name}, with {where}, an action")
        lone = pairing.sized(1)
        if lone in pairing.in_all_sizes():
            require_finite(lone.compiled(lone.ground.start, jax.random.key(0)), f"{lone.name}, an action")


@promise(
    CHECKS, "what absent agents hold does not matter",
    why="an absent agent must not be waited for, followed or counted, whatever the state holds in its slot",
    remedy="leave out agents whose state.present is false, with jnp.where before you sum, count or compare",
)  # fmt: skip
def _absent(subject: ControllerSubject) -> None:
    for pairing in subject.pairings:
        present, key = who_is_there(pairing.ground.agents), jax.random.key(0)
        if present.all():
            continue
        state = with_gaps(pairing.ground.start, present)
        clean = pairing.compiled(state, key)
        for words, garbage in GARBAGE.items():
            found = pairing.compiled(littered(state, present, garbage), key)
            same = f"{pairing.name}, actions of present agents change when absent agents hold {words}"
            require_equal(clean[present], found[present], same)
        few = pairing.sized(int(present.sum()))
        certain = np.array_equal(clean, pairing.compiled(state, jax.random.key(1)))
        if certain and few in pairing.in_all_sizes():
            alone = few.compiled(only_present(state, present), key)
            require_equal(alone, clean[present], f"{pairing.name}, empty slots change the actions of present agents")


@promise(
    CHECKS, "the same key gives the same actions",
    why="comparisons give all controllers the same starts and the same random events",
    remedy="draw everything random from the key with jax.random, and remember nothing between calls",
)  # fmt: skip
def _pure(subject: ControllerSubject) -> None:
    for pairing in subject.pairings:
        state, key = pairing.ground.start, jax.random.key(0)
        programs = {program(pairing.control, state, key) for _ in range(2)}
        if len(programs) == 1:
            continue
        first, second = pairing.compiled(state, key), Pairing(pairing.controller, pairing.ground).compiled(state, key)
        require_equal(first, second, f"{pairing.name} it acts differently when it is traced again", within=0)


@promise(
    CHECKS, "a batch of swarms is controlled like each swarm alone",
    why="evaluations run hundreds of episodes under jax.vmap",
    remedy="write for one swarm, without a batch axis, and branch with jnp.where instead of if",
)  # fmt: skip
def _batched(subject: ControllerSubject) -> None:
    for pairing in subject.pairings:
        keys = jax.random.split(jax.random.key(5), 3)
        states = [pairing.ground.initial(key) for key in keys]
        together = quick_jit(jax.vmap(pairing.control))(stacked(states), keys)
        one_by_one = [pairing.compiled(state, key) for state, key in zip(states, keys, strict=True)]
        require_equal(
            together, np.stack(one_by_one), f"{pairing.name}, under jax.vmap a swarm is controlled differently"
        )
