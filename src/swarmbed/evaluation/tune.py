"""Finding the gains of a controller: a random search over orders of magnitude, then closer and closer around the best.

Every candidate is run from the same starts, so differences come from the gains. The best are run again from other
starts, together with the initial gains; only that second result decides and is reported, because the best of many
first results is biased upwards.
"""

import time
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array

from swarmbed.controllers.base import Controller
from swarmbed.evaluation import reports, statistics
from swarmbed.evaluation.episodes import episode_of, group_size, in_groups, side_by_side
from swarmbed.evaluation.evaluate import Numbers
from swarmbed.evaluation.progress import Report
from swarmbed.learn import estimate
from swarmbed.spec import settings
from swarmbed.spec.errors import SwarmbedError, choose
from swarmbed.spec.registry import task_name
from swarmbed.spec.settings import check_count, check_seed
from swarmbed.tasks.base import Task

CANDIDATES, ROUNDS, EPISODES = 256, 4, 32
SPAN = 30.0  # the search goes from a thirtieth of each gain to thirty times it
ELITE = 8  # candidates that go on to the next round
FIRST_WIDTH, NARROWING = (
    0.7,
    0.5,
)  # how far the next ones stray, in log units (0.7: a factor of two), and how that shrinks
FINAL = 4  # the last comparison runs this many times the episodes


class Scored(NamedTuple):
    """Gains, and the return they brought: one per (task, episode)."""

    gains: dict[str, float]
    returns: Numbers

    @property
    def score(self) -> float:
        """Mean over all tasks, each with the same weight, and their episodes."""
        return float(self.returns.mean())


@dataclass(frozen=True)
class Tuning:
    """What a search found: the best gains, and the ones before, on the same starts that the search never saw."""

    name: str
    tasks: tuple[Task, ...]
    seed: int
    candidates: int
    rounds: int
    episodes: int
    seconds: float
    best: Scored
    before: Scored
    without_effect: tuple[str, ...]

    def summary(self) -> dict[str, Any]:
        """As JSON."""
        better = statistics.probability_better(self.best.returns.reshape(1, -1), self.before.returns.reshape(1, -1))
        return {
            "controller": self.name,
            "task": task_name(self.tasks[0]),
            "settings": settings.as_dict(self.tasks[0]),
            "agents": [_agents(task) for task in self.tasks],
            "seed": self.seed,
            "candidates": self.candidates,
            "rounds": self.rounds,
            "episodes": self.episodes,
            "seconds": round(self.seconds, 3),
            "gains": self.best.gains,
            "gains_before": self.before.gains,
            "without_effect": list(self.without_effect),
            "return_mean": reports.plain(self.best.score),
            "return_mean_ci": _bounds(self.best),
            "return_mean_before": reports.plain(self.before.score),
            "return_mean_before_ci": _bounds(self.before),
            "return_mean_per_size": reports.plain(self.best.returns.mean(axis=1)),
            "return_mean_per_size_before": reports.plain(self.before.returns.mean(axis=1)),
            "better_than_before": reports.plain(better.value),
        }


class Bench:
    """Runs gains through episodes of all tasks; every task is compiled once."""

    def __init__(
        self, controller: Controller, tasks: Sequence[Task], seed: int, expected: int, on_progress: Report | None
    ) -> None:
        def returns_on(task: Task) -> Any:
            def one(gains: dict[str, Array], index: Array) -> Array:
                total, _, _, is_finite, _ = episode_of(task, with_gains(controller, gains), seed)(index)
                # Gains that make the simulation diverge score worst; they are not an error.
                return jnp.where(is_finite, total, -jnp.inf)

            return in_groups(lambda _, *inputs: side_by_side(task, one)(*inputs), group_size(expected))

        self.runners = [returns_on(task) for task in tasks]
        self.on_progress = on_progress
        self.finished = 0

    def score(self, candidates: Sequence[dict[str, float]], first: int, count: int) -> list[Scored]:
        """The returns of all candidates in the episodes first … first + count."""
        indices = np.tile(np.arange(first, first + count), len(candidates))
        gains = {
            name: np.repeat(np.array([candidate[name] for candidate in candidates], np.float32), count)
            for name in candidates[0]
        }
        tables = []
        for runner in self.runners:
            table = runner(gains, indices, on_progress=self._report).astype(np.float64)
            self.finished += len(indices)
            tables.append(table.reshape(len(candidates), count))
        return [Scored(c, np.stack(rows)) for c, *rows in zip(candidates, *tables, strict=True)]

    def _report(self, count: int) -> None:
        if self.on_progress is not None:
            self.on_progress(self.finished + count)


def tune(
    controller: Controller,
    tasks: Sequence[Task],
    *,
    name: str = "controller",
    only: Sequence[str] = (),
    candidates: int = CANDIDATES,
    rounds: int = ROUNDS,
    episodes: int = EPISODES,
    seed: int = 0,
    on_progress: Report | None = None,
) -> Tuning:
    """Search the gains with the highest mean return over all tasks (for example swarms of several sizes).

    The first round draws ``candidates`` log-uniformly around the controller's own gains; each of the ``rounds`` after
    it draws a quarter as many around the best so far. ``only`` names the gains to search; all when left out.
    """
    for label, count, least in (("candidates", candidates, 1), ("rounds", rounds, 0), ("episodes", episodes, 1)):
        check_count(label, count, least)
    check_seed(seed)
    for task in tasks:
        controller.check(task)
    own = gains_of(controller, name, only)
    for task in tasks:
        work = episodes_needed(len(own), 1, candidates, rounds, episodes)
        estimate.check_episodes(task, work, group_size(work), task.horizon)
    began = time.perf_counter()
    bench = Bench(controller, tasks, seed, candidates * episodes, on_progress)
    random = np.random.default_rng(seed)
    reach = np.log(SPAN)
    drawn = [_times(own, np.exp(random.uniform(-reach, reach, len(own)))) for _ in range(candidates - 1)]
    pool = bench.score([own, *drawn], 0, episodes)
    for number in range(rounds):
        pool = _best(pool)
        width = FIRST_WIDTH * NARROWING**number
        parents = [pool[i % len(pool)].gains for i in range(_later(candidates))]
        around = [_times(parent, np.exp(width * random.normal(size=len(own)))) for parent in parents]
        pool = [*pool, *bench.score(around, 0, episodes)]
    before, *finalists = bench.score([own, *(scored.gains for scored in _best(pool))], episodes, FINAL * episodes)
    best = max([before, *finalists], key=lambda scored: scored.score)
    restored = bench.score([best.gains | {gain: own[gain]} for gain in own], episodes, FINAL * episodes)
    # A gain whose change does not change a single digit has no part in this task: it stays what it was.
    idle = tuple(gain for gain, other in zip(own, restored, strict=True) if np.array_equal(other.returns, best.returns))
    best = Scored(best.gains | {gain: own[gain] for gain in idle}, best.returns)
    seconds = time.perf_counter() - began
    return Tuning(name, tuple(tasks), seed, candidates, rounds, episodes, seconds, best, before, idle)


def gains_of(controller: Controller, name: str, only: Sequence[str] = ()) -> dict[str, float]:
    """The positive numbers among a controller's settings, or those of them that are asked for."""
    values = {field.name: getattr(controller, field.name) for field in fields(controller)}
    gains = {key: value for key, value in values.items() if isinstance(value, float) and value > 0}
    if not gains:
        raise SwarmbedError(f"{name} has no gains to tune")
    for gain in only:
        choose(f"gain of {name}", gain, list(gains))
    return {gain: gains[gain] for gain in only or gains}


def with_gains(controller: Controller, gains: dict[str, Array]) -> Controller:
    """The controller with traced arrays for gains: its own checks, which ask for plain numbers, are left out."""
    twin = copy(controller)
    for name, value in gains.items():
        object.__setattr__(twin, name, value)
    return twin


def episodes_needed(gains: int, sizes: int, candidates: int, rounds: int, episodes: int) -> int:
    """How many episodes :func:`tune` runs."""
    search = candidates + rounds * _later(candidates)
    last = 1 + min(ELITE, search) + gains
    return sizes * episodes * (search + FINAL * last)


def _later(candidates: int) -> int:
    return max(candidates // 4, 1)


def _best(pool: list[Scored]) -> list[Scored]:
    return sorted(pool, key=lambda scored: -scored.score)[:ELITE]


def _times(gains: dict[str, float], factors: Numbers) -> dict[str, float]:
    """Three digits are enough for a gain, and can be typed."""
    return {name: float(f"{value * factor:.3g}") for (name, value), factor in zip(gains.items(), factors, strict=True)}


def _bounds(scored: Scored) -> list[float]:
    """Over episodes; the tasks are given."""
    return [reports.plain(bound) for bound in statistics.mean_interval(scored.returns.mean(axis=0))]


def _agents(task: Task) -> int | str:
    """The size of the swarm, or the sizes that episodes draw from."""
    sizes = reports.sizes_of(task)
    return sizes[0] if len(sizes) == 1 else reports.sizes_text(sizes)
