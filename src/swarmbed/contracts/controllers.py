"""What a controller promises: an action for every agent of every task that it accepts."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

import jax
from jax import Array

from swarmbed.contracts.check import Check, during, promise, quick_jit, require, require_equal, require_finite
from swarmbed.contracts.settings import settings_checks
from swarmbed.contracts.task_numbers import SIZES
from swarmbed.contracts.task_subject import TaskSubject
from swarmbed.controllers.base import Controller
from swarmbed.spec import registry
from swarmbed.spec.errors import SwarmbedError

CHECKS: list[Check] = settings_checks()


@dataclass(frozen=True)
class Pairing:
    """The controller on one task, with its rule compiled."""

    controller: Controller
    ground: TaskSubject

    @property
    def name(self) -> str:
        agents = self.ground.agents
        return f"on {registry.tasks.name_of(self.ground.task)} with {agents} agent{'s' if agents > 1 else ''}"

    def compiled(self) -> Any:
        return quick_jit(lambda state, key: self.controller.act(self.ground.task, state, key))

    def in_all_sizes(self) -> Iterator["Pairing"]:
        """The same with one agent, a few and many, as far as the task and the controller take them."""
        for agents in (self.ground.agents, *SIZES):
            ground = TaskSubject(self.ground.spec, agents)
            try:
                self.controller.check(ground.task)
            except SwarmbedError:
                continue
            yield replace(self, ground=ground)


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
        return [Pairing(self.controller, ground) for ground in grounds if self.fits(ground)]

    def fits(self, ground: TaskSubject) -> bool:
        try:
            self.controller.check(ground.task)
        except SwarmbedError:
            return False
        return True


@promise(
    CHECKS, "fits a task",
    why="a controller that accepts no task can never be run",
    remedy="let check(task) raise SwarmbedError only for tasks that the rule cannot handle",
    essential=True,
)  # fmt: skip
def _fits(subject: ControllerSubject) -> None:
    names = ", ".join(registry.tasks.all())
    require(subject.pairings, f"it refuses every task there is: {names}")


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
            found = jax.eval_shape(lambda s, k, task=task: subject.controller.act(task, s, k), state, jax.random.key(0))
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
        ground, act = pairing.ground, pairing.compiled()
        for where, state in {"agents at a random start": ground.start, **ground.hard_states}.items():
            require_finite(act(state, jax.random.key(0)), f"{pairing.name}, with {where}, an action")
        for sized in pairing.in_all_sizes():
            if sized.ground.agents == 1:
                require_finite(sized.compiled()(sized.ground.start, jax.random.key(0)), f"{sized.name}, an action")


@promise(
    CHECKS, "the same key gives the same actions",
    why="comparisons start everybody from the same states with the same chances",
    remedy="draw everything random from the key with jax.random, and remember nothing between calls",
)  # fmt: skip
def _pure(subject: ControllerSubject) -> None:
    for pairing in subject.pairings:
        state, key = pairing.ground.start, jax.random.key(0)
        first, second = pairing.compiled()(state, key), pairing.compiled()(state, key)
        require_equal(first, second, f"{pairing.name} it acts differently when it is traced again", within=0)


@promise(
    CHECKS, "many swarms at once are steered like each alone",
    why="evaluations run hundreds of episodes under jax.vmap",
    remedy="write for one swarm, without a batch axis, and branch with jnp.where instead of if",
)  # fmt: skip
def _batched(subject: ControllerSubject) -> None:
    for pairing in subject.pairings:
        task = pairing.ground.task
        keys = jax.random.split(jax.random.key(5), 3)

        def act(key: Array, task: Any = task) -> Array:
            return subject.controller.act(task, task.initial(key), key)

        together, one_by_one = quick_jit(lambda keys, act=act: (jax.vmap(act)(keys), jax.lax.map(act, keys)))(keys)
        require_equal(together, one_by_one, f"{pairing.name}, under jax.vmap a swarm is steered differently")
