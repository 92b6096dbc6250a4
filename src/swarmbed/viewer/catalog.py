"""What a page can choose from: tasks, and the policies and controllers that fit them. A page never names a file."""

from dataclasses import fields

from swarmbed.policy.files import load_outline
from swarmbed.policy.find import SENSES, NamedController, choose_task, find, fits
from swarmbed.policy.headers import shipped_policies
from swarmbed.spec import registry
from swarmbed.spec.errors import SwarmbedError, choose
from swarmbed.tasks import make
from swarmbed.tasks.base import Task

FIRST = ("pursuit-global-nn-extended", "consensus")  # what is shown by default: the first of these that exists
OF_NO_IMPORTANCE = ("num_agents", "horizon", *SENSES)  # what may differ between tasks of the same name


class Catalog:
    """Tasks, policies and controllers by name. Those named on the command line come first."""

    def __init__(self) -> None:
        known = {variant: base for variant, (base, _) in registry.tasks.variants.items()}
        # A variant says more than the task it belongs to, so only tasks without variants appear under their own name.
        self.tasks: dict[str, Task] = {
            name: make(name) for name in registry.tasks.names() if name in known or name not in known.values()
        }
        self._shipped = shipped_policies()
        self.names = [*self._shipped, *registry.controllers.all()]
        self._found: dict[str, NamedController] = {}
        self._fitting: dict[str, list[str]] = {}

    def add_controller(self, named: NamedController) -> str:
        """Offer a policy or controller, under a unique name."""
        name, number = named.name, 2
        while name in self._found or name in self.names:
            name, number = f"{named.name} ({number})", number + 1
        self.names.insert(0, name)
        self._found[name] = named
        self._fitting.clear()
        return name

    def add_task(self, task: Task) -> str:
        """Offer a task; returns the name it has, or the one of an equal task that is offered already."""
        for name, known in self.tasks.items():
            if type(known) is type(task) and all(
                getattr(known, f.name) == getattr(task, f.name) for f in fields(task) if f.name not in OF_NO_IMPORTANCE
            ):
                return name
        name = f"{registry.task_name(task).replace('_', '-')}, own settings"
        while name in self.tasks:
            name += "′"
        self.tasks = {name: task, **self.tasks}
        return name

    def controller(self, name: str) -> NamedController:
        # First the name, then the search: a page must not make the server open files.
        choose("controller", name, self.names)
        if name not in self._found:
            self._found[name] = find(name)
        return self._found[name]

    def fitting(self, task: str) -> list[str]:
        """The policies and controllers that can run a task, those made for it first."""
        choose("task", task, list(self.tasks))
        if task not in self._fitting:
            spec, offered = self.tasks[task], [(name, self._outline(name)) for name in self.names]
            able = [(name, named) for name, named in offered if self._fits(named, spec)]
            able.sort(key=lambda pair: not self._is_made_for(pair[1], spec))
            self._fitting[task] = [name for name, _ in able]
        return self._fitting[task]

    def task_for(self, task: str, named: NamedController, agents: int | None = None) -> Task:
        """A task with the observations of a policy or controller."""
        spec = choose_task(named, self.tasks[choose("task", task, list(self.tasks))])
        return spec if agents is None else spec.resized(agents)

    def home_of(self, name: str) -> str:
        """The task that a policy was trained on, or the first that it or a controller fits."""
        named = self.controller(name)
        if named.task is not None:
            return self.add_task(named.task)
        for task, spec in self.tasks.items():
            if fits(named.controller, spec):
                return task
        raise SwarmbedError(f"{name} fits none of the tasks: {', '.join(self.tasks)}")

    def first(self) -> str:
        """The policy that is shown by default."""
        return next(name for name in FIRST if name in self.names)

    def _outline(self, name: str) -> NamedController:
        """A policy or controller by name; of a policy that was not requested yet, only what it was trained on."""
        if name in self._found or name not in self._shipped:
            return self.controller(name)
        policy = load_outline(self._shipped[name])
        return NamedController(name, policy, policy.task)

    def _fits(self, named: NamedController, task: Task) -> bool:
        # Only the senses matter here, and they are the same for two agents as for many; a policy for one size of
        # swarm says so itself once the size is known.
        try:
            spec = choose_task(named, task).resized(getattr(named.task, "num_agents", 2))
        except SwarmbedError:
            return False  # the task cannot be sensed in the way the policy was trained to
        return fits(named.controller, spec)

    def _is_made_for(self, named: NamedController, task: Task) -> bool:
        own = named.task
        return own is not None and all(
            getattr(own, f.name, None) == getattr(task, f.name) for f in fields(task) if f.name not in OF_NO_IMPORTANCE
        )
