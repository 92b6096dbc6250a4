"""Tasks: one file each. A name is the file's, or one of the paper's named variants."""

from typing import Any

from swarmbed.spec import registry
from swarmbed.spec.errors import choose
from swarmbed.spec.settings import checked
from swarmbed.tasks.base import Task

# The experiments of the paper, as settings of a task.
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "rendezvous-global": ("rendezvous", {}),
    "rendezvous-local": ("rendezvous", {"dynamics": "single", "comm_radius": 40.0}),
    "pursuit-global": ("pursuit", {}),
    "pursuit-local": ("pursuit", {"num_agents": 20, "comm_radius": 40.0, "sight_radius": 20.0}),
    "multi-pursuit": ("multi_pursuit", {}),
}


def task_names() -> list[str]:
    """Every name that is accepted where a task is asked for."""
    return [*registry.tasks.all(), *VARIANTS]


def resolve(name: str) -> tuple[type[Task], dict[str, Any]]:
    """The class behind a name, and the settings that the name stands for."""
    choose("task", name, task_names())
    base, preset = VARIANTS.get(name, (name, {}))
    return registry.tasks.get(base), dict(preset)


def make_task(name: str, **settings: Any) -> Task:
    """A task by name, with settings checked against its fields.

    >>> make_task("rendezvous-local", num_agents=5).comm_radius
    40.0
    """
    spec, preset = resolve(name)
    return spec(**preset | checked(spec, settings, f"task {name!r}"))
