"""WHO on the command line: a run folder, a policy file, a shipped policy's name or a controller's name."""

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from swarmbed.controllers.base import Controller
from swarmbed.policy.files import load_policy_file
from swarmbed.policy.headers import shipped_policies
from swarmbed.policy.policy import Policy
from swarmbed.spec import registry
from swarmbed.spec.arguments import checked_arguments
from swarmbed.spec.errors import SwarmbedError, did_you_mean, shown
from swarmbed.spec.settings import build
from swarmbed.tasks import make
from swarmbed.tasks.base import Task

SENSES = ("observation", "velocity_frame")  # a trained policy brings these along to any task


@dataclass(frozen=True)
class NamedController:
    """What can be run: a controller with a name and, for a trained policy, the task it was trained on."""

    name: str
    controller: Controller
    task: Task | None = None


def find(who: str, *, stochastic: bool = False, gains: dict[str, Any] | None = None) -> NamedController:
    """The policy or controller behind a name or path."""
    if who in registry.controllers.all():
        spec: type[Controller] = registry.controllers.get(who)
        return NamedController(who, build(spec, gains or {}, f"controller {who!r}"))
    policy = load_policy(who).sampling(stochastic)
    return NamedController(Path(who).stem if Path(who).is_file() else Path(who).name, policy, policy.task)


@checked_arguments(name_or_path="the name of a policy, or the path of one")
def load_policy(name_or_path: str | Path) -> Policy:
    """A trained policy: from a run folder (its last policy), a policy file, or the name of a shipped one.

    >>> load_policy("rendezvous-global-nn-extended").task.num_agents
    20
    """
    shipped = shipped_policies()
    if str(name_or_path) in shipped:
        return load_policy_file(shipped[str(name_or_path)])
    path = Path(name_or_path)
    if path.is_dir():
        if not (path / "policy.safetensors").is_file():
            raise SwarmbedError(f"folder {path} holds no policy.safetensors; is it the folder of a training run?")
        return load_policy_file(path / "policy.safetensors")
    if path.is_file():
        return load_policy_file(path)
    known = [*registry.controllers.all(), *shipped]
    raise SwarmbedError(
        f"{str(name_or_path)!r} is not a run folder, policy file, shipped policy or controller"
        f"{did_you_mean(name_or_path, known)} ('swarmbed list' shows all names)"
    )


def as_named_controller(who: str | Path | Controller | NamedController, *, stochastic: bool = False) -> NamedController:
    """A name, path, policy or controller as something that can be run."""
    if isinstance(who, (str, Path)):
        return find(str(who), stochastic=stochastic)
    if isinstance(who, NamedController):
        policy = who.controller
        return replace(who, controller=policy.sampling(True)) if stochastic and isinstance(policy, Policy) else who
    if not isinstance(who, Controller):
        raise SwarmbedError(f"who must be a policy, a controller, or the name or path of one, not {shown(who)}")
    if isinstance(who, Policy):
        return NamedController("policy", who.sampling(who.stochastic or stochastic), who.task)
    if stochastic:
        raise SwarmbedError("stochastic applies to policies only; a controller has no distribution to sample from")
    return NamedController(type(who).__name__.lower(), who)


def choose_task(named: NamedController, task: Task | None) -> Task:
    """The task with this policy's observations: the given one, else its own, else the first that it fits."""
    if task is None:
        return named.task or default_task(named)
    if named.task is None:
        return task
    known = {field.name for field in fields(task)}
    senses = {name: getattr(named.task, name) for name in SENSES if name in known and hasattr(named.task, name)}
    return replace(task, **senses)


def default_task(named: NamedController) -> Task:
    names = sorted(registry.tasks.all(), key=lambda name: (name not in ("rendezvous", "pursuit"), name != "rendezvous"))
    for name in names:
        task = make(name)
        if fits(named.controller, task):
            return task
    raise SwarmbedError(f"{named.name} fits none of the tasks with their default settings; name one with --task")


def fits(controller: Controller, task: Task) -> bool:
    try:
        controller.check(task)
    except SwarmbedError:
        return False
    return True
