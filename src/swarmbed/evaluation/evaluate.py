"""Running a contestant through many episodes from starts that are the same for everybody.

Episode i of a seed starts from the same state, and meets the same chances later on, whoever acts, however many episodes
are run and on however many devices. The results are kept per episode, so that contestants can be compared in pairs.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.sharding import Mesh, PartitionSpec
from numpy.typing import NDArray

from swarmbed.controllers.base import Controller
from swarmbed.evaluation import reports, statistics
from swarmbed.evaluation.progress import Report
from swarmbed.learn.rollout import episode
from swarmbed.policy.find import Contestant, find
from swarmbed.policy.policy import Policy
from swarmbed.spec import registry, settings
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks import make_task
from swarmbed.tasks.base import Task

EPISODES = 1000
PER_DEVICE = {"cpu": 16}  # episodes at a time: on a core these stay in cache, anything else takes PER_ACCELERATOR
PER_ACCELERATOR = 512
GATHERED = 0.1  # a swarm whose mean distance ends below this, in units, has met
SENSES = ("observation", "velocity_frame")  # a trained policy brings these along, whatever task it is put on

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Evaluation:
    """What one contestant did: one entry per episode, and per time step where there is a second axis."""

    name: str
    task: Task
    seed: int
    stochastic: bool
    seconds: float
    returns: Numbers
    lengths: NDArray[np.int64]
    metrics: dict[str, Numbers]

    @property
    def episodes(self) -> int:
        return len(self.returns)

    @cached_property
    def curves(self) -> dict[str, Numbers]:
        """The metrics over time, (episodes, horizon + 1), as they are reported; the one that matters most comes first.

        ``captured_by``: whether the evader was caught by then. ``captures_by``: how many captures there were until then
        (a start can hold none). Other metrics keep their name.
        """
        reported: dict[str, Numbers] = {}
        for name, values in self.metrics.items():
            if name == "captured":
                reported["captured_by"] = values
            elif name == "captures":
                reported["captures_by"] = np.cumsum(np.where(np.arange(values.shape[1]) > 0, values, 0.0), axis=1)
            else:
                reported[name] = values
        return reported

    @property
    def headline(self) -> str | None:
        """The curve that says most about this task; None if the task measures nothing over time."""
        return next(iter(self.curves), None)

    def summary(self) -> dict[str, Any]:
        """Means over the episodes, each with a 95 % bootstrap interval beside it, ready to be written as JSON."""
        report: dict[str, Any] = {
            "name": self.name,
            "task": task_name(self.task),
            "settings": settings.as_dict(self.task),
            "agents": self.task.num_agents,
            "episodes": self.episodes,
            "seed": self.seed,
            "stochastic": self.stochastic,
            "seconds": round(self.seconds, 3),
        }
        numbers = {"return_mean": self.returns, "length_mean": self.lengths, **self.curves}
        if "captures_by" in self.curves:
            numbers["captures_mean"] = self.curves["captures_by"][:, -1]
        for name, values in numbers.items():
            report[name] = reports.plain(values.mean(axis=0))
            report[f"{name}_ci"] = [reports.plain(bound) for bound in statistics.mean_interval(values)]
        if "mean_distance" in self.curves:
            gathered = int((self.curves["mean_distance"][:, -1] < GATHERED).sum())
            report["gathered"] = gathered / self.episodes
            report["gathered_ci"] = [reports.plain(b) for b in statistics.wilson_interval(gathered, self.episodes)]
        return report


def evaluate(
    who: str | Path | Controller | Contestant,
    task: Task | str | None = None,
    *,
    episodes: int = EPISODES,
    seed: int = 0,
    agents: int | None = None,
    stochastic: bool = False,
    on_progress: Report | None = None,
) -> Evaluation:
    """Run ``who`` through ``episodes`` episodes of a task.

    ``who`` is a run folder, a policy file, a shipped policy's name, a controller's name, or a controller itself (a
    contestant that was found before acts as it was found, and ``stochastic`` only says how that is).
    ``task`` defaults to what a policy was trained on, else to the first task that fits. ``agents`` changes the size of
    the swarm. Policies act greedily unless ``stochastic``. ``on_progress`` is told how many episodes have ended.

    >>> evaluate("consensus", episodes=100).returns.mean()  # doctest: +SKIP
    """
    contestant = as_contestant(who, stochastic=stochastic)
    chosen = choose_task(contestant, make_task(task) if isinstance(task, str) else task)
    chosen = chosen if agents is None else replace(chosen, num_agents=agents)
    contestant.controller.check(chosen)
    check_count("episodes", episodes, 1)
    check_count("seed", seed, 0)
    began = time.perf_counter()
    run = in_groups(jax.vmap(episode_of(chosen, contestant.controller, seed)), episodes)
    outcome = run(np.arange(episodes), on_progress=on_progress)
    returns, lengths, metrics, is_finite = outcome
    if not is_finite.all():
        culprit = int(np.argmin(is_finite))
        raise SwarmbedError(f"{contestant.name} led to numbers that are not finite in episode {culprit}")
    seconds = time.perf_counter() - began
    return Evaluation(
        contestant.name,
        chosen,
        seed,
        stochastic,
        seconds,
        returns.astype(np.float64),
        lengths.astype(np.int64),
        {name: values.astype(np.float64) for name, values in metrics.items()},
    )


def as_contestant(who: str | Path | Controller | Contestant, *, stochastic: bool = False) -> Contestant:
    """Whatever names a contestant, as one."""
    if isinstance(who, (str, Path)):
        return find(str(who), stochastic=stochastic)
    if isinstance(who, Contestant):
        return who
    if isinstance(who, Policy):
        return Contestant("policy", who.sampling(who.stochastic or stochastic), who.task)
    if stochastic:
        raise SwarmbedError("stochastic goes with a policy; a controller acts as it was made")
    return Contestant(type(who).__name__.lower(), who)


def choose_task(contestant: Contestant, task: Task | None) -> Task:
    """The task as this contestant senses it: the given one, else its own, else the first that its controller fits."""
    if task is None:
        return contestant.task or default_task(contestant)
    if contestant.task is None:
        return task
    known = {field.name for field in fields(task)}
    senses = {
        name: getattr(contestant.task, name) for name in SENSES if name in known and hasattr(contestant.task, name)
    }
    return replace(task, **senses)


def default_task(contestant: Contestant) -> Task:
    names = sorted(registry.tasks.all(), key=lambda name: (name not in ("rendezvous", "pursuit"), name != "rendezvous"))
    for name in names:
        task = make_task(name)
        if fits(contestant.controller, task):
            return task
    raise SwarmbedError(f"{contestant.name} fits none of the tasks with their usual settings; give one with --task")


def fits(controller: Controller, task: Task) -> bool:
    try:
        controller.check(task)
    except SwarmbedError:
        return False
    return True


def episode_of(task: Task, controller: Controller, seed: int) -> Callable[[Array], Any]:
    """A function from the index of an episode to its (return, length, metrics over time, whether all stayed finite)."""
    start_key, run_key = jax.random.split(jax.random.key(seed))

    def run(index: Array) -> Any:
        state = task.initial(jax.random.fold_in(start_key, index))
        result = episode(task, controller.act, state, jax.random.fold_in(run_key, index), keep_states=True)
        # Distances guard against dividing by zero, and with that hide what is not a number; the last state does not.
        numbers = [result.total_return, *jax.tree.leaves(jax.tree.map(lambda leaf: leaf[-1], result.states))]
        is_finite = jnp.array([jnp.isfinite(value).all() for value in numbers]).all()
        return result.total_return, result.length, result.metrics, is_finite

    return run


def in_groups(function: Callable[..., Any], expected: int) -> Callable[..., Any]:
    """A function of arrays with a leading axis, made to run a group at a time, split over all devices there are.

    Groups keep memory small and the working set in cache; where fewer are ``expected`` they are smaller. The last one
    is filled up, so that one compiled function serves all, and what was filled in is thrown away.
    """
    devices = jax.local_devices()
    at_most = PER_DEVICE.get(devices[0].platform, PER_ACCELERATOR)
    group = min(at_most, -(-expected // len(devices))) * len(devices)
    mesh, part = Mesh(np.array(devices), ("episodes",)), PartitionSpec("episodes")
    # Shards share nothing, so there is nothing to check about what varies between them.
    run = jax.jit(jax.shard_map(function, mesh=mesh, in_specs=part, out_specs=part, check_vma=False))

    def run_in_groups(*inputs: Any, on_progress: Report | None = None) -> Any:
        count = len(jax.tree.leaves(inputs)[0])
        pieces = []
        for start in range(0, count, group):
            rows = np.minimum(np.arange(start, start + group), count - 1)
            result = run(*jax.tree.map(lambda leaf, rows=rows: np.asarray(leaf)[rows], inputs))
            kept = min(group, count - start)
            pieces.append(jax.tree.map(lambda leaf, kept=kept: np.asarray(leaf)[:kept], result))
            if on_progress is not None:
                on_progress(start + kept)
        return jax.tree.map(lambda *leaves: np.concatenate(leaves), *pieces)

    return run_in_groups


def check_count(name: str, value: int, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise SwarmbedError(f"{name} must be a whole number of at least {least}, not {value!r}")


def task_name(task: Task) -> str:
    """The name under which a task is known, or its class's for one that was never registered."""
    return next((name for name, spec in registry.tasks.all().items() if type(task) is spec), type(task).__name__)
