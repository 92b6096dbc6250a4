"""What a task promises about time: one step counts it, and only the task's own end is an end."""

import jax
import numpy as np

from swarmbed.contracts.check import Check, promise, require
from swarmbed.contracts.task_subject import SHORT, TaskSubject

SWARMS = 4
CHECKS: list[Check] = []


@promise(
    CHECKS, "a step counts time, truncates at the horizon and never resets",
    why="the state holds its age; rollouts, evaluations and the viewer rely on the one step to say when time is up",
    remedy="leave advance and step alone: they call your functions, count state.age and apply the horizon",
)  # fmt: skip
def _age(subject: TaskSubject) -> None:
    horizon, walk = subject.task.horizon, subject.walk
    for index, state in enumerate(walk.states):
        age = int(state.age) + 1
        found, terminated, truncated = (
            part[index] for part in (walk.step.state.age, walk.step.terminated, walk.step.truncated)
        )
        require(int(found) == age, f"a step from age {age - 1} leads to age {int(found)}")
        wanted = age >= horizon and not bool(terminated)
        require(bool(truncated) == wanted, f"at age {age} of {horizon}, truncated is {bool(truncated)}")


@promise(
    CHECKS, "running out of time is not an end",
    why="rewards continue after the horizon, but not after an end; a learner that confuses the two learns wrong values",
    remedy="let terminated say only whether the task is over; step truncates episodes at the horizon",
)  # fmt: skip
def _horizon(subject: TaskSubject) -> None:
    horizon, short = min(SHORT, subject.task.horizon - 1), subject.short
    if horizon == 0:
        return
    require(short.task.horizon == horizon, f"a horizon of {horizon} steps becomes one of {short.task.horizon}")
    if short.program == subject.program:
        return  # nothing in it knows the horizon
    for seed in range(SWARMS):
        require(
            _ends(short, seed, horizon) == _ends(subject, seed, horizon),
            f"with a horizon of {horizon} an episode terminates that continues with one of {subject.task.horizon}",
        )


def _ends(subject: TaskSubject, seed: int, steps: int) -> list[bool]:
    """Whether a swarm that stands still is at its end after each of its first steps."""
    state, still, found = subject.initial(jax.random.key(seed)), np.zeros_like(subject.action(0)), []
    for step in range(steps):
        moved = subject.transition(state, still, jax.random.key(step))
        found.append(bool(subject.judge(state, still, moved).terminated))
        state = moved
    return found


@promise(
    CHECKS, "a start is not the end",
    why="episodes of no steps teach nothing",
    remedy="return true from terminated where the task is over, not where it continues",
)  # fmt: skip
def _start(subject: TaskSubject) -> None:
    starts = [subject.initial(jax.random.key(seed)) for seed in range(SWARMS)]
    still = np.zeros_like(subject.action(0))
    over = [bool(subject.judge(state, still, state).terminated) for state in starts]
    require(not all(over), f"terminated is true in all of {SWARMS} random starts")
