"""What a task promises about time: it says when it is over, and leaves the clock to rollouts."""

import jax
import jax.numpy as jnp

from swarmbed.contracts.check import Check, promise, require
from swarmbed.contracts.task_subject import TaskSubject

SWARMS = 4
SHORT = 3  # steps
CHECKS: list[Check] = []


@promise(
    CHECKS, "running out of time is not an end",
    why="rewards go on after the horizon, but not after an end; a learner that confuses the two learns wrong values",
    remedy="let terminated say only whether the task is over; episodes are cut off at the horizon by themselves",
)  # fmt: skip
def _horizon(subject: TaskSubject) -> None:
    horizon = min(SHORT, subject.task.horizon - 1)
    if horizon == 0:
        return
    short = TaskSubject(subject.spec, subject.agents, horizon)
    require(short.task.horizon == horizon, f"a horizon of {horizon} steps becomes one of {short.task.horizon}")
    for seed in range(SWARMS):
        require(
            _ends(short, seed, horizon) == _ends(subject, seed, horizon),
            f"with a horizon of {horizon} steps an episode terminates that goes on with one of {subject.task.horizon}",
        )


def _ends(subject: TaskSubject, seed: int, steps: int) -> list[bool]:
    """Whether a swarm that stands still is at its end after each of its first steps."""
    state, still, found = subject.initial(jax.random.key(seed)), jnp.zeros_like(subject.action(0)), []
    for step in range(steps):
        state = subject.transition(state, still, jax.random.key(step))
        found.append(bool(subject.terminated(state)))
    return found


@promise(
    CHECKS, "a start is not the end",
    why="episodes of no steps teach nothing",
    remedy="return true from terminated where the task is over, not where it goes on",
)  # fmt: skip
def _start(subject: TaskSubject) -> None:
    over = [bool(subject.terminated(subject.initial(jax.random.key(seed)))) for seed in range(SWARMS)]
    require(not all(over), f"terminated is true in all of {SWARMS} random starts")
