"""Who takes part: names, each with the policies, controllers or training runs behind it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from swarmbed.controllers.base import Controller
from swarmbed.policy.find import NamedController, as_named_controller, choose_task
from swarmbed.spec import registry
from swarmbed.spec.arguments import WHO
from swarmbed.spec.errors import SwarmbedError, shown
from swarmbed.tasks.base import Task

POLICIES = "a list of policies, controllers, names or paths, or several by name"  # what an argument may be
Who = str | Path | Controller | NamedController


def named_runs(policies: Any, stochastic: bool = False, *, as_is: type | None = None) -> dict[str, list[Any]]:
    """Names, each with the runs behind it; objects of the type ``as_is`` are taken as they are."""

    def known(who: Any) -> Any:
        return who if as_is and isinstance(who, as_is) else as_named_controller(who, stochastic=stochastic)

    if isinstance(policies, Mapping):
        several = {str(name): _several(runs, as_is) for name, runs in policies.items()}
        for name in (name for name, runs in several.items() if not runs):
            raise SwarmbedError(f"{name} must have at least one policy or controller behind it")
        return {name: [known(who) for who in runs] for name, runs in several.items()}
    entries: dict[str, list[Any]] = {}
    for named in map(known, _several(policies, as_is)):
        name, number = named.name, 2
        while name in entries:  # two unnamed policies, say
            name, number = f"{named.name} {number}", number + 1
        entries[name] = [named]
    return entries


def _several(who: Any, as_is: type | None) -> Sequence[Any]:
    single = isinstance(who, (str, Path, Controller, NamedController)) or (as_is is not None and isinstance(who, as_is))
    if not (single or isinstance(who, Sequence)):
        raise SwarmbedError(f"{WHO} is needed, or a list of them, not {shown(who)}")
    return [who] if single else who


def common_task(entries: Mapping[str, Sequence[NamedController]]) -> Task:
    """The task of the first trained policy; with controllers only, a task that the first of them fits."""
    everybody = [run for runs in entries.values() for run in runs]
    if not everybody:
        raise SwarmbedError("compare needs at least one policy or controller")
    return choose_task(next((run for run in everybody if run.task is not None), everybody[0]), None)


def read_entry(text: str) -> tuple[str, list[str]]:
    """``WHO`` or ``NAME=WHO,WHO,…``: the name to show and the runs behind it."""
    name, equals, runs = text.partition("=")
    if not equals or Path(text).exists():
        return text if text in registry.controllers.all() else Path(text).name, [text]
    parts = [part for part in runs.split(",") if part]
    if not name or not parts:
        raise SwarmbedError(f"give a policy or controller as WHO or NAME=WHO,WHO,… and not as {text!r}")
    return name, parts


def read_entries(texts: Sequence[str], *, stochastic: bool = False) -> dict[str, list[NamedController]]:
    """The runs behind each of several texts as :func:`read_entry` reads them, by their names."""
    entries: dict[str, list[NamedController]] = {}
    for name, runs in map(read_entry, texts):
        if name in entries:
            raise SwarmbedError(f"two policies are called {name!r}; give them different names with NAME=WHO")
        entries[name] = [as_named_controller(who, stochastic=stochastic) for who in runs]
    return entries


def misfit(runs: Sequence[NamedController], task: Task) -> str | None:
    """Why these runs cannot do the task; None if they can."""
    try:
        for run in runs:
            run.controller.check(choose_task(run, task))
    except SwarmbedError as error:
        return str(error)
    return None
