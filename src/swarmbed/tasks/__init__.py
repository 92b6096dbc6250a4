"""Tasks: one file each. A name is the file's, or one of the paper's named variants."""

from typing import Any

from swarmbed.spec import registry
from swarmbed.spec.errors import SwarmbedError, shown
from swarmbed.tasks.base import Task

# The experiments of the paper, as settings of a task.
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "rendezvous-global": ("rendezvous", {}),
    "rendezvous-local": ("rendezvous", {"dynamics": "single", "comm_radius": 40.0}),
    "pursuit-global": ("pursuit", {}),
    "pursuit-local": ("pursuit", {"num_agents": 20, "comm_radius": 40.0, "sight_radius": 20.0}),
    "multi-pursuit": ("multi_pursuit", {}),
}
registry.tasks.variants.update(VARIANTS)


def make(name: str, **settings: Any) -> Task:
    """A task by name, with settings checked against its fields.

    >>> make("rendezvous-local", num_agents=5).comm_radius
    40.0
    """
    if not isinstance(name, str):
        raise SwarmbedError(
            f"name must be the name of a task, not {shown(name)}; a task object is an environment already"
        )
    task: Task = registry.tasks.make(name, settings)
    return task


make_task = make  # the name of version 0.1, for one version more
