"""Swarms of mixed sizes in order: those that run side by side are about as large, and empty slots cost little.

Every group of environments draws from its own part of the sizes; together they draw each size equally often.
"""

from dataclasses import replace

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Int

from swarmbed.learn.schedule import with_numbers
from swarmbed.networks.base import Model
from swarmbed.tasks.base import State, Task
from swarmbed.tasks.swarm import SwarmTask

Sizes = Int[Array, "*groups sizes"]


def strata(task: Task, groups: int) -> Sizes | None:
    """The sizes for each of ``groups`` groups, the smallest first; None where all swarms are equally large."""
    sizes = task.sizes if isinstance(task, SwarmTask) else ()
    if len(sizes) == 0:
        return None
    return jnp.repeat(jnp.sort(jnp.array(sizes)), groups).reshape(groups, len(sizes))


def drawing_from(task: Task, sizes: Sizes | None) -> Task:
    """The task whose episodes draw from these sizes."""
    return task if sizes is None else with_numbers(task, {"sizes": sizes})


def is_ragged(model: Model) -> bool:
    """Whether the sets that a model reads are of swarms of different sizes."""
    return any(each.is_ragged for each in model.layout.sets)


def with_every_slot(model: Model, slots: int | None = None) -> Model:
    """The same model, which computes empty slots as well; sets of swarms of mixed sizes have ``slots``, if given.

    Gradients through the simulator use it: for them, leaving slots out block by block cost more than it saved. With the
    widths that there are now it has not been measured.
    """
    sets = tuple(
        each._replace(is_ragged=False, slots=slots or each.slots) if each.is_ragged else each
        for each in model.layout.sets
    )
    return replace(model, layout=model.layout._replace(sets=sets))


def with_slots(task: Task, state: State, slots: int) -> tuple[Task, State]:
    """The first ``slots`` agents of a batch of swarms in which the others are absent, and the task that they have.

    Settings may be arrays here, so the task is not checked again.
    """
    agents = jax.tree.map(lambda leaf: leaf[:, :slots], state.agents)
    narrow = with_numbers(task, {"num_agents": slots, "sizes": ()})
    return narrow, state._replace(agents=agents, present=state.present[:, :slots])
