"""What a controller promises: an action for every agent of every task that it accepts."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import jax

from swarmbed import registry
from swarmbed.contracts.check import Check, promise, quick_jit, require, require_equal, require_finite
from swarmbed.contracts.settings import settings_checks
from swarmbed.contracts.task_subject import TaskSubject
from swarmbed.controllers.base import Controller
from swarmbed.errors import SwarmbedError

CHECKS: list[Check] = settings_checks()


@dataclass(frozen=True)
class Pairing:
    """The controller on one task, with its rule compiled."""

    controller: Controller
    ground: TaskSubject

    @property
    def name(self) -> str:
        return f"on {registry.tasks.name_of(self.ground.task)} with {self.ground.agents} agents"

    def compiled(self) -> Any:
        return quick_jit(lambda state, key: self.controller.act(self.ground.task, state, key))


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
    for pairing in subject.pairings:
        task = pairing.ground.task
        state = jax.eval_shape(task.initial, jax.random.key(0))
        found = jax.eval_shape(lambda s, k, task=task: subject.controller.act(task, s, k), state, jax.random.key(0))
        wanted = (task.num_agents, task.action_size)
        good = getattr(found, "shape", None) == wanted and found.dtype.kind == "f"
        require(good, f"{pairing.name} it gives {found}, not floats of shape {wanted}")


@promise(
    CHECKS, "actions are finite",
    why="one NaN moves an agent out of the world",
    remedy="guard divisions by distances: agents may stand on one spot, and may be alone",
)  # fmt: skip
def _finite(subject: ControllerSubject) -> None:
    for pairing in subject.pairings:
        ground, act = pairing.ground, pairing.compiled()
        for state, where in ((ground.start, "at a random start"), (ground.crowded, "with all agents on one spot")):
            require_finite(act(state, jax.random.key(0)), f"{pairing.name}, {where}, an action")
        alone = replace(pairing, ground=TaskSubject(ground.spec, agents=1))
        require_finite(alone.compiled()(alone.ground.start, jax.random.key(0)), f"{alone.name}, an action")


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
