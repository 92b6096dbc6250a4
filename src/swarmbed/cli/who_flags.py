"""WHO, TASK and the task's settings on the command line, for every command that runs a policy on a task."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import field, fields, make_dataclass, replace
from typing import Any, get_type_hints

from swarmbed.cli.flags import Parser, add_flags, given
from swarmbed.policy.find import NamedController, find
from swarmbed.spec import registry
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.settings import checked, default_of
from swarmbed.tasks import make
from swarmbed.tasks.base import Task

WHO_HELP = "a run folder, a policy file, a shipped policy's name or a controller's name"


def add_task_flags(parser: Parser, argv: Sequence[str], *, without: tuple[str, ...] = ()) -> type:
    """Add ``--task``, ``--plugin`` and a flag for every setting of the task that argv names, or of all tasks if WHO
    decides. Returns a spec of these settings, for :func:`with_settings`."""
    parser.add_argument(
        "--task", metavar="TASK", help="the task (default: the one a policy was trained on, or one that fits)"
    )
    parser.add_argument(
        "--plugin",
        action="append",
        default=[],
        metavar="FILE.py",
        help="a file with your own task, controller, embedding, …",
    )
    early = ArgumentParser(add_help=False, allow_abbrev=False)
    early.add_argument("--task")
    early.add_argument("--plugin", action="append", default=[])
    # The command's own parser reports a flag without its value.
    early.error = parser.error  # type: ignore[method-assign]
    named, _ = early.parse_known_args(argv)
    for plugin in named.plugin:
        registry.load_plugin(plugin)
    if named.task is not None:
        one, preset = registry.tasks.resolve(named.task)
        spec = _union([one], without)
        add_flags(parser, spec, f"settings of {named.task}", preset)
        return spec
    spec = _union(list(registry.tasks.all().values()), without)
    add_flags(parser, spec, "settings of the task ('--task TASK --help' shows those of one, with its defaults)")
    return spec


def named_task(options: Namespace) -> Task | None:
    """The task that ``--task`` names, with the settings that the name implies; None if it was left out."""
    return None if options.task is None else make(options.task)


def with_settings(task: Task, options: Namespace, spec: type) -> Task:
    """The task with the settings that were given as flags."""
    what = f"task {options.task or registry.task_name(task)!r}"
    return replace(task, **checked(type(task), given(options, spec), what))


def find_with_gains(who: str, gains: Sequence[str], *, stochastic: bool = False) -> NamedController:
    """A policy or controller; ``gains`` are a controller's settings, each written NAME=NUMBER."""
    if gains and who not in registry.controllers.all():
        raise SwarmbedError(f"--gain is for controllers ({', '.join(registry.controllers.all())}), not for {who!r}")
    return find(who, stochastic=stochastic, gains=dict(_gain(text) for text in gains))


def _gain(text: str) -> tuple[str, float]:
    name, equals, value = text.partition("=")
    try:
        return name, float(value if equals else "")
    except ValueError as error:
        raise SwarmbedError(f"--gain must look like NAME=NUMBER, not {text!r}") from error


def _union(specs: list[type], without: tuple[str, ...]) -> type:
    """A spec with the fields of all of them: any of their choices, and no default where theirs differ."""
    together: dict[str, tuple[str, Any, Any]] = {}
    for spec in specs:
        hints = get_type_hints(spec)
        for declared in fields(spec):
            default, metadata = default_of(declared), dict(declared.metadata)
            if declared.name in together:
                known = together[declared.name][2]
                metadata["varies"] = known.metadata.get("varies") or known.default != default
                metadata["choices"] = tuple(dict.fromkeys((*_choices(known), *_choices(declared))))
            copy = field(default=default, metadata=metadata)
            together[declared.name] = (declared.name, hints[declared.name], copy)
    return make_dataclass("TaskSettings", [together[name] for name in together if name not in without], frozen=True)


def _choices(declared: Any) -> tuple[str, ...]:
    return tuple(declared.metadata.get("choices") or ())
