"""Swarms for Gymnasium: many at a time with :func:`make_vec`, and by name with Gymnasium's own functions.

Importing this file gives every task an id, made from its name: ``rendezvous-local`` is ``swarmbed/RendezvousLocal-v0``.

    import gymnasium
    import swarmbed.interop.gymnasium

    env = gymnasium.make("swarmbed/Pursuit-v0", num_agents=5)                       a swarm is an environment
    envs = gymnasium.make_vec("swarmbed/Pursuit-v0", num_envs=8, num_agents=5)      eight such
    envs = make_vec("pursuit", num_swarms=8, num_agents=5)                          every agent is one: forty
"""

import re
from typing import Any

from swarmbed.interop import as_task, missing
from swarmbed.spec import registry
from swarmbed.tasks.base import Task

try:
    import gymnasium
    from gymnasium.vector import AutoresetMode
except ModuleNotFoundError as error:
    raise missing(error) from error

from swarmbed.interop.vector import SwarmVectorEnv
from swarmbed.interop.whole_swarm import SwarmEnv

__all__ = ["AutoresetMode", "SwarmEnv", "SwarmVectorEnv", "env_id", "make_vec", "whole_swarms"]


def make_vec(
    task: str | Task,
    num_swarms: int = 1,
    *,
    flatten: bool = False,
    autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    render_mode: str | None = None,
    **settings: Any,
) -> SwarmVectorEnv:
    """Swarms of a task whose every agent is a sub-environment. The task is a name with settings, like
    :func:`swarmbed.make`, or a task object. ``flatten`` makes observations vectors.

    >>> envs = make_vec("rendezvous", num_swarms=4, num_agents=5, flatten=True)
    >>> envs.num_envs
    20
    """
    return SwarmVectorEnv(
        as_task(task, settings), num_swarms, flatten=flatten, autoreset_mode=autoreset_mode, render_mode=render_mode
    )


def whole_swarms(
    task: str | Task,
    num_envs: int = 1,
    *,
    flatten: bool = False,
    autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    render_mode: str | None = None,
    **settings: Any,
) -> SwarmVectorEnv:
    """The same with a whole swarm as a sub-environment: what ``gymnasium.make_vec`` makes of an id."""
    return SwarmVectorEnv(
        as_task(task, settings), num_envs, joint=True, flatten=flatten, autoreset_mode=autoreset_mode,
        render_mode=render_mode,
    )  # fmt: skip


def env_id(name: str) -> str:
    """The id of a task.

    >>> env_id("rendezvous-local")
    'swarmbed/RendezvousLocal-v0'
    """
    return f"swarmbed/{''.join(word.capitalize() for word in re.split('[-_]', name))}-v0"


def _register() -> None:
    for name in registry.tasks.names():
        # Two spellings of one name (multi_pursuit, multi-pursuit) are one task.
        if env_id(name) not in gymnasium.registry:
            gymnasium.register(
                env_id(name),
                entry_point="swarmbed.interop.whole_swarm:SwarmEnv",
                vector_entry_point="swarmbed.interop.gymnasium:whole_swarms",
                kwargs={"task": name},
            )


_register()
