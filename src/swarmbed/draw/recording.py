"""One recorded episode: all of its states, and the metric that tells how it went."""

from typing import Any, NamedTuple

import jax
import numpy as np
from jaxtyping import PRNGKeyArray
from numpy.typing import NDArray

from swarmbed.draw.story import Story, after, in_words
from swarmbed.learn import estimate, rollout
from swarmbed.learn.rollout import Episode
from swarmbed.policy.find import NamedController
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.registry import task_name
from swarmbed.spec.settings import check_count, check_seed
from swarmbed.tasks.base import Metric, State, Task
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
    named: NamedController, task: Task, seed: int = 0, steps: int | None = None, *, episode: int = 0
) -> Recording:
    """Run one episode, at most ``steps`` long (the task's horizon when left out), and keep every state.

    Its start and its random events are those of episode number ``episode`` of an evaluation with this seed.
    """
    if steps is not None:
        check_count("steps", steps, 1)
    check_seed(seed)
    check_seed(episode, "episode")
    named.controller.check(task)
    estimate.check_episodes(task, 1, 1, task.horizon if steps is None else steps, keep_states=True)
    start_key, run_key = (jax.random.fold_in(key, episode) for key in jax.random.split(jax.random.key(seed)))

    def run(start_key: PRNGKeyArray, run_key: PRNGKeyArray) -> Episode:
        control, start = named.controller.control, task.initial(start_key)
        return rollout.episode(task, control, start, run_key, steps, keep_states=True)

    result = jax.device_get(jax.jit(run)(start_key, run_key))
    length = int(result.length)
    states, metrics = jax.tree.map(lambda leaf: leaf[: length + 1], (result.states, result.metrics))
    _check_finite(named.name, states)
    return Recording(task, states, length, metrics, named.name, bool(result.terminated))


def _check_finite(name: str, states: State) -> None:
    """What is nowhere cannot be drawn, and a film without it would look like a film of something else."""
    alone = lambda leaf: tuple(range(2, leaf.ndim))  # noqa: E731
    lost = [~np.isfinite(leaf).all(axis=alone(leaf)) & states.present for leaf in jax.tree.leaves(states.agents)]
    lost += [~np.isfinite(leaf).all(axis=alone(leaf)) for leaf in jax.tree.leaves(states.evaders)]
    for leaf in lost:
        if leaf.any():
            step = int(np.argmax(leaf.any(axis=1)))
            raise SwarmbedError(f"{name} led to numbers that are not finite in step {step}")


class Telling(NamedTuple):
    """A recording in numbers and words: the followed metric over time, and the news at each of those times."""

    metric: Metric | None
    values: NDArray[np.floating[Any]]
    news: tuple[str, ...]

    def at(self, time: int) -> str:
        """What a caption says: the newest event, else the number."""
        return self.news[time] or ("" if self.metric is None else in_words(self.metric, float(self.values[time])))


def tell(recording: Recording) -> Telling:
    """What the task's declared metrics tell about the episode."""
    story, values, news = Story(recording.task), [], []
    measured = jax.tree.map(np.asarray, recording.metrics)
    for time in range(recording.length + 1):
        story.tell({name: curve[time] for name, curve in measured.items()}, time, moved=time > 0)
        if recording.terminated and time == recording.length:
            story.end(time)
        values.append(np.nan if story.value is None else story.value)
        news.append(story.news)
    return Telling(story.metric, np.array(values), tuple(news))


def ending(recording: Recording) -> str:
    """How the episode went, in a few words: ``captured after 120 steps``, ``ended after 300 steps``."""
    return tell(recording).news[-1] or after("ended", recording.length)


def clock(task: Task, time: int) -> str:
    seconds = f" · {time * task.control_seconds:.1f} s" if isinstance(task, SwarmTask) else ""
    return f"step {time}{seconds}"


def describe(recording: Recording) -> str:
    """The policy, the task and the number of agents: the largest number present at one time."""
    task = task_name(recording.task).replace("_", "-")
    count = int(np.asarray(recording.states.present).sum(axis=-1).max())
    border = " on a torus" if getattr(recording.task, "world", "") == "torus" else ""
    walker = "agent" if recording.states.evaders is None else "pursuer"
    return f"{recording.name.replace('_', ' ')} · {task} · {count} {walker}{'s' if count != 1 else ''}{border}"


def snapshot_times(recording: Recording, count: int = 4) -> tuple[int, ...]:
    """Moments that tell the story: evenly spread, but on the way to a goal at equal shares of what has been achieved.

    Otherwise a swarm that meets early would be shown meeting once and standing still three times.
    """
    shares = np.linspace(0, 1, count)
    aim = next((m for m in recording.task.metrics if m.kind == "level" and m.goal is not None), None)
    if aim is not None:
        values = np.asarray(recording.metrics[aim.name], float)
        better = values - values[0] if aim.better == "higher" else values[0] - values
        achieved = np.maximum.accumulate(better)
        if achieved[-1] > 0:
            return tuple(int(np.argmax(achieved >= min(share, 0.99) * achieved[-1])) for share in shares)
    return tuple(round(share * recording.length) for share in shares)
