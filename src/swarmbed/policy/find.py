"""WHO on the command line: a run folder, a policy file, a shipped policy's name or a controller's name."""

from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from swarmbed.controllers.base import Controller
from swarmbed.policy.files import load_policy_file
from swarmbed.policy.policy import Policy
from swarmbed.spec import registry
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.settings import build
from swarmbed.tasks.base import Task


@dataclass(frozen=True)
class Contestant:
    """Somebody who can be run: a controller with a name and, for a trained policy, the task it was trained on."""

    name: str
    controller: Controller
    task: Task | None = None


def find(who: str, *, stochastic: bool = False, gains: dict[str, Any] | None = None) -> Contestant:
    """The contestant behind a name or path."""
    if who in registry.controllers.all():
        spec: type[Controller] = registry.controllers.get(who)
        return Contestant(who, build(spec, gains or {}, f"controller {who!r}"))
    policy = load_policy(who).sampling(stochastic)
    return Contestant(Path(who).stem if Path(who).is_file() else Path(who).name, policy, policy.task)


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
    raise SwarmbedError(
        f"{str(name_or_path)!r} is no run folder, policy file, shipped policy or controller; "
        f"controllers: {', '.join(registry.controllers.all())}; shipped policies: {', '.join(shipped) or 'none'}"
    )


def shipped_policies() -> dict[str, Path]:
    """The policies inside the package, by name."""
    folder = Path(str(resources.files("swarmbed") / "policy" / "shipped"))
    return {path.stem: path for path in sorted(folder.glob("*.safetensors"))}
