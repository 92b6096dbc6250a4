"""One episode, kept: every state of it, and the number that tells how it went."""

from typing import Any, NamedTuple

import jax
import numpy as np
from jaxtyping import PRNGKeyArray
from numpy.typing import NDArray

from swarmbed.spec.settings import check_count
from swarmbed.spec.registry import task_name
from swarmbed.learn import rollout
from swarmbed.learn.rollout import Episode
from swarmbed.policy.find import Contestant
from swarmbed.tasks.base import State, Task
from swarmbed.tasks.swarm import SwarmTask


class Recording(NamedTuple):
    """One episode from its start to its end: arrays lead with length + 1 moments, entry t after t steps."""

    task: Task
    states: State
    length: int
    metrics: dict[str, NDArray[np.floating[Any]]]
    name: str
    terminated: bool


def record(
    contestant: Contestant, task: Task, seed: int = 0, steps: int | None = None, *, episode: int = 0
) -> Recording:
    """Run one episode, at most ``steps`` long (the task's horizon when left out), and keep every state.

    Its start and its chances are those of the episode that an evaluation with this seed counts as number ``episode``.
    """
    if steps is not None:
        check_count("steps", steps, 1)
    check_count("seed", seed, 0)
    check_count("episode", episode, 0)
    contestant.controller.check(task)
    start_key, run_key = (jax.random.fold_in(key, episode) for key in jax.random.split(jax.random.key(seed)))

    def run(start_key: PRNGKeyArray, run_key: PRNGKeyArray) -> Episode:
        act, start = contestant.controller.act, task.initial(start_key)
        return rollout.episode(task, act, start, run_key, steps, keep_states=True)

    result = jax.device_get(jax.jit(run)(start_key, run_key))
    length = int(result.length)
    states, metrics = jax.tree.map(lambda leaf: leaf[: length + 1], (result.states, result.metrics))
    return Recording(task, states, length, metrics, contestant.name, bool(result.terminated))


class Headline(NamedTuple):
    """The number that a viewer follows: what it is called, its unit, and its value over time."""

    label: str
    unit: str
    values: NDArray[np.floating[Any]]

    def at(self, time: int) -> str:
        value = float(self.values[time])
        if not self.unit:
            return f"{self.label}: {value:.4g}"
        if 0 < value < 0.001:
            return f"{self.label}: under 0.001 {self.unit}"
        return f"{self.label}: {value:.{1 if abs(value) >= 1 else 3}f} {self.unit}"


def headline(recording: Recording) -> Headline | None:
    """The task's metric; captures are added up. None for a task that follows nothing."""
    metrics = recording.metrics
    if "mean_distance" in metrics:
        return Headline("mean distance", "units", metrics["mean_distance"])
    if "evader_distance" in metrics:
        return Headline("nearest pursuer", "units", metrics["evader_distance"])
    if "captures" in metrics:
        # An evader that starts within reach was not caught by anybody; only steps are rewarded.
        return Headline("evaders caught", "", np.cumsum(np.append(0.0, metrics["captures"][1:])))
    for name, values in metrics.items():
        return Headline(name.replace("_", " "), "", values)
    return None


def clock(task: Task, time: int) -> str:
    seconds = f" · {time * task.control_seconds:.1f} s" if isinstance(task, SwarmTask) else ""
    return f"step {time}{seconds}"


def describe(recording: Recording) -> str:
    """Who does what, with how many."""
    task = task_name(recording.task).replace("_", "-")
    count = recording.task.num_agents
    border = " on a torus" if getattr(recording.task, "world", "") == "torus" else ""
    walker = "agent" if recording.states.evaders is None else "pursuer"
    return f"{recording.name.replace('_', ' ')} · {task} · {count} {walker}{'s' if count != 1 else ''}{border}"


def snapshot_times(recording: Recording, count: int = 4) -> tuple[int, ...]:
    """Moments that tell the story: evenly spread, but while a swarm gathers, at equal shares of what it has gathered.

    Otherwise a swarm that meets early would be shown meeting once and standing still three times.
    """
    shares = np.linspace(0, 1, count)
    if "mean_distance" in recording.metrics and recording.length > 0:
        gathered = np.maximum.accumulate(recording.metrics["mean_distance"][0] - recording.metrics["mean_distance"])
        if gathered[-1] > 0:
            return tuple(int(np.argmax(gathered >= min(share, 0.99) * gathered[-1])) for share in shares)
    return tuple(round(share * recording.length) for share in shares)
