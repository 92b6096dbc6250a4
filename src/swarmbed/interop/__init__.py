"""Swarms behind the interfaces that other training libraries expect.

from swarmbed.interop.pettingzoo import parallel_env     # one swarm, agents by name
from swarmbed.interop.gymnasium import make_vec          # many swarms, every agent a sub-environment
from swarmbed.interop.stable_baselines3 import SwarmVecEnv     # the same for Stable-Baselines3
from swarmbed.interop.torchrl import SwarmTorchEnv       # many swarms as one TorchRL environment
from swarmbed.interop.benchmarl import SwarmTask         # a task for BenchMARL's MAPPO, IPPO, …
gymnasium.make("swarmbed/Rendezvous-v0")                 # one swarm as one environment, after the import above
"""

from typing import Any

from swarmbed.spec.errors import SwarmbedError, shown
from swarmbed.tasks import make
from swarmbed.tasks.base import Task


def missing(error: ModuleNotFoundError) -> SwarmbedError:
    """The sentence for a package that is not installed. There is no extra for those that need torch, which is large."""
    package = str(error.name).partition(".")[0]
    by_hand = package in ("stable_baselines3", "torch", "torchrl", "benchmarl")
    how = f"pip install {package.replace('_', '-')}" if by_hand else "install swarmbed[interop]"
    return SwarmbedError(f"swarmbed.interop needs the package {package!r}, which is missing: {how}")


def as_task(task: str | Task, settings: dict[str, Any]) -> Task:
    """A task by name and settings, like :func:`swarmbed.make`, or a task object as it is."""
    if isinstance(task, str):
        return make(task, **settings)
    if not isinstance(task, Task):
        hint = f"; make one: {task.__name__}()" if isinstance(task, type) and issubclass(task, Task) else ""
        raise SwarmbedError(f"task must be a task or the name of one, not {shown(task)}{hint}")
    if settings:
        name, value = next(iter(settings.items()))
        kind = type(task).__name__
        raise SwarmbedError(
            f"the setting {name!r} goes with a task's name, not with a task object; "
            f"make it with {kind}({name}={value!r})"
        )
    return task
