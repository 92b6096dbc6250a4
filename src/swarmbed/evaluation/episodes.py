"""Many episodes of one policy or controller, as one program that is compiled once.

Policies that differ in nothing but their weights, such as eight training runs of one method, share a program; so does
everything that is evaluated again in the same process.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.sharding import Mesh, PartitionSpec

from swarmbed.compute import compiling, programs
from swarmbed.controllers.base import Controller
from swarmbed.evaluation.progress import Report
from swarmbed.learn.rollout import episode
from swarmbed.tasks.base import Task
from swarmbed.tasks.disturbances.state import with_strengths
from swarmbed.tasks.state import present_agents

PER_DEVICE = {"cpu": 16}  # episodes at a time: on a core these stay in cache, anything else takes PER_ACCELERATOR
PER_ACCELERATOR = 512
PROGRAMS = 16  # that stay compiled in a process

# (arrays with one entry per episode, on_progress) → the outcome, with one entry per episode
Run = Callable[..., Any]


def runner(task: Task, controller: Controller, seed: int, expected: int, disturbance: str | None = None) -> Run:
    """Runs episodes by their index, about ``expected`` of them, to what :func:`episode_of` says about each."""
    return _with_weights(controller, _every_number, task, seed, disturbance, group_size(expected))


def returns_runner(task: Task, controller: Controller, seed: int, expected: int, disturbance: str | None = None) -> Run:
    """The same, to the return alone; NaN where something was not finite."""
    return _with_weights(controller, _return, task, seed, disturbance, group_size(expected))


def _every_number(play: Callable[..., Any]) -> Callable[..., Any]:
    return play


def _return(play: Callable[..., Any]) -> Callable[..., Any]:
    def returned(*inputs: Any) -> Array:
        total, _, _, is_finite, _ = play(*inputs)
        return jnp.where(is_finite, total, jnp.nan)

    return returned


@dataclass(frozen=True)
class _Alike:
    """A controller that equals every other with the same program."""

    form: Any
    controller: Controller = field(compare=False)


def _with_weights(controller: Controller, *depends_on: Any) -> Run:
    # Somebody's own class could have changed since a program was compiled for it.
    is_known = programs.is_ours((controller.form, *depends_on[1:]))
    program = _program if is_known else _program.__wrapped__
    run = program(_Alike(controller.form, controller), *depends_on)
    return lambda *inputs, on_progress=None: run(*inputs, common=controller.weights, on_progress=on_progress)


@lru_cache(maxsize=PROGRAMS)
def _program(
    alike: _Alike, outcome: Callable[..., Any], task: Task, seed: int, disturbance: str | None, group: int
) -> Run:
    def play(weights: Any, *inputs: Any) -> Any:
        controller = alike.controller.with_weights(weights)
        return side_by_side(task, outcome(episode_of(task, controller, seed, disturbance)))(*inputs)

    return in_groups(play, group)


def episode_of(task: Task, controller: Controller, seed: int, disturbance: str | None = None) -> Callable[..., Any]:
    """A function from the index of an episode to its (return, length, metrics over time, whether all stayed finite).

    With a ``disturbance`` that the task has on, the second argument of the function is its strength.
    """
    start_key, run_key = jax.random.split(jax.random.key(seed))

    def run(index: Array, strength: Array | None = None) -> Any:
        state = task.initial(jax.random.fold_in(start_key, index))
        state = state if disturbance is None else with_strengths(state, {disturbance: strength})
        result = episode(task, controller.control, state, jax.random.fold_in(run_key, index))
        # Distances guard against division by zero, which also hides NaN; the last state does not.
        last = result.last._replace(agents=present_agents(result.last))
        numbers = [result.total_return, *jax.tree.leaves(last)]
        is_finite = jnp.array([jnp.isfinite(value).all() for value in numbers]).all()
        overlooked = jnp.zeros((), int) if result.overlooked is None else result.overlooked
        return result.total_return, result.length, result.metrics, is_finite, overlooked

    return run


def side_by_side(task: Task, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of one episode for several: as one batch, or one after the other where a swarm is large."""
    return (lambda *inputs: lax.map(lambda one: function(*one), inputs)) if task.is_large else jax.vmap(function)


def group_size(expected: int) -> int:
    """How many of these episodes run at the same time."""
    devices = jax.local_devices()
    at_most = PER_DEVICE.get(devices[0].platform, PER_ACCELERATOR)
    return min(at_most, -(-expected // len(devices))) * len(devices)


def in_groups(function: Callable[..., Any], group: int) -> Run:
    """A function of something in ``common`` and of arrays with a leading axis, made to run a group at a time, split
    over all devices there are.

    Groups keep memory small and the working set in cache. The last one is padded, so one compiled function serves all,
    and the padding is discarded.
    """
    devices = jax.local_devices()
    mesh, part = Mesh(np.array(devices), ("episodes",)), PartitionSpec("episodes")

    @partial(jax.jit, compiler_options=compiling.often())
    def run(common: Any, *inputs: Any) -> Any:
        everywhere = (PartitionSpec(), *(part for _ in inputs))
        # Shards share nothing but what is common, so there is nothing to check about what varies between them.
        sharded = jax.shard_map(function, mesh=mesh, in_specs=everywhere, out_specs=part, check_vma=False)
        return sharded(common, *inputs)

    def run_in_groups(*inputs: Any, common: Any = (), on_progress: Report | None = None) -> Any:
        count = len(jax.tree.leaves(inputs)[0])
        pieces = []
        for start in range(0, count, group):
            rows = np.minimum(np.arange(start, start + group), count - 1)
            result = run(common, *jax.tree.map(lambda leaf, rows=rows: np.asarray(leaf)[rows], inputs))
            kept = min(group, count - start)
            pieces.append(jax.tree.map(lambda leaf, kept=kept: np.asarray(leaf)[:kept], result))
            if on_progress is not None:
                on_progress(start + kept)
        return jax.tree.map(lambda *leaves: np.concatenate(leaves), *pieces)

    return run_in_groups
