"""swarmbed render: one episode as a picture or a film."""

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field, fields, make_dataclass, replace
from pathlib import Path
from typing import Any, get_type_hints

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from swarmbed import registry
from swarmbed.errors import SwarmbedError
from swarmbed.flags import Parser, add_flags, given
from swarmbed.pictures.style import make_folder
from swarmbed.render import WRITERS, Look, OnFrame, record, writer_for
from swarmbed.settings import checked, default_of
from swarmbed.tasks import make_task, resolve, task_names
from swarmbed.tasks.base import Task
from swarmbed.who import Contestant, find

SUMMARY = "Draw an episode: snapshots and traces (.png) or a film (.gif, .mp4)"
EXAMPLE = """
swarmbed render consensus --task rendezvous --steps 200 --out rendezvous.png
swarmbed render voronoi_pursuit --task pursuit --seed 3 --cells --out pursuit.mp4
"""


def run(argv: Sequence[str]) -> None:
    parser = _parser()
    spec = _task_flags(parser, argv)
    options = parser.parse(argv)
    write = writer_for(options.out)
    make_folder(Path(options.out))
    contestant = find(options.who, stochastic=options.stochastic)
    task = _task(contestant, options.task, given(options, spec))
    look = Look(
        edges=options.edges, cells=options.cells, radius=options.radius,
        snapshots=tuple(options.at) if options.at else None, every=options.every, fps=options.fps, trail=options.trail,
    )  # fmt: skip
    with _progress() as on_frame:
        recording = record(contestant, task, options.seed, options.steps)
        path = write(recording, Path(options.out), look, on_frame)
    how = "captured" if recording.terminated and "captured" in recording.metrics else "ended"
    print(f"wrote {path} ({path.stat().st_size / 1000:.0f} kB): {how} after {recording.length} steps")


def _parser() -> Parser:
    parser = Parser("render", SUMMARY, EXAMPLE)
    parser.add_argument("who", metavar="WHO", help="a run folder, a policy file, a shipped policy or a controller")
    parser.add_argument("--out", required=True, metavar="FILE", help=f"where to write; ends in {', '.join(WRITERS)}")
    parser.add_argument("--task", metavar="TASK", help="the task; a policy's own when left out")
    parser.add_argument("--seed", type=int, default=0, metavar="INT", help="number of the start (default: 0)")
    parser.add_argument("--steps", type=int, metavar="INT", help="stop after this many steps (default: the horizon)")
    parser.add_argument(
        "--stochastic", action="store_true", help="draw a policy's actions instead of taking their mean"
    )
    parser.add_argument(
        "--plugin", action="append", default=[], metavar="FILE.py", help="load tasks, ... from this file"
    )
    group = parser.add_argument_group("picture")
    group.add_argument("--edges", action="store_true", help="lines between agents that hear each other")
    group.add_argument("--cells", action="store_true", help="Voronoi cells of agents and evaders")
    group.add_argument("--radius", action="store_true", help="circles: how far agents hear and evaders are seen")
    group.add_argument("--at", type=int, nargs="+", metavar="STEP", help="steps of the snapshots (.png)")
    group.add_argument("--trail", type=int, default=30, metavar="INT", help="steps that stay visible (default: 30)")
    group.add_argument(
        "--fps", type=float, default=25.0, metavar="NUMBER", help="steps per second of film (default: 25)"
    )
    group.add_argument("--every", type=int, metavar="INT", help="steps per picture (default: 1, in a .gif 2)")
    return parser


def _task_flags(parser: Parser, argv: Sequence[str]) -> type:
    """Add the settings of the task that argv names; of all tasks when WHO is going to say which one it is."""
    early = ArgumentParser(add_help=False, allow_abbrev=False)
    early.add_argument("--task")
    early.add_argument("--plugin", action="append", default=[])
    # A flag without its value is reported by the real parser, which knows all the others.
    early.error = lambda message: parser.error(message)  # type: ignore[method-assign]
    named, _ = early.parse_known_args(argv)
    for plugin in named.plugin:
        registry.load_plugin(plugin)
    if named.task is not None:
        spec, preset = resolve(named.task)
        add_flags(parser, spec, f"settings of {named.task}", preset)
        return spec
    spec = _all_settings(list(registry.tasks.all().values()))
    unsaid = {spec_field.name: "the task's own" for spec_field in fields(spec)}
    add_flags(parser, spec, "settings of the task ('--task NAME --help' shows those of one, with its defaults)", unsaid)
    return spec


def _all_settings(specs: list[type]) -> type:
    """A spec with the fields of all of them."""
    together: dict[str, Any] = {}
    for spec in specs:
        hints = get_type_hints(spec)
        for spec_field in fields(spec):
            declared = field(default=default_of(spec_field), metadata=spec_field.metadata)
            together.setdefault(spec_field.name, (spec_field.name, hints[spec_field.name], declared))
    return make_dataclass("AnyTask", together.values(), frozen=True)


def _task(contestant: Contestant, name: str | None, settings: dict[str, Any]) -> Task:
    """The named task, or the one a policy was trained on, with the settings that were given."""
    if name is not None:
        return make_task(name, **settings)
    if contestant.task is None:
        names = ", ".join(task_names())
        raise SwarmbedError(f"controller {contestant.name!r} belongs to no task; name one with --task: {names}")
    return replace(contestant.task, **checked(type(contestant.task), settings, f"the task of {contestant.name}"))


@contextmanager
def _progress() -> Iterator[OnFrame]:
    """A bar on stderr where somebody watches."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        work = bar.add_task("simulating", total=None)
        yield lambda finished, total: bar.update(work, description="drawing", completed=finished, total=total)
