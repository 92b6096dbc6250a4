"""swarmbed render: one episode as a picture or a film."""

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from swarmbed.cli.flags import Parser
from swarmbed.cli.who_flags import WHO_HELP, add_task_flags, find_with_gains, named_task, with_settings
from swarmbed.compute import devices
from swarmbed.evaluation.evaluate import choose_task

SUMMARY = "Draw an episode: snapshots and traces (.png), a film (.gif, .mp4) or a page that plays it (.html)"
EXAMPLE = """
swarmbed render consensus --steps 200 --out rendezvous.png
swarmbed render voronoi_pursuit --seed 3 --cells --out pursuit.mp4
swarmbed render runs/first --agents 50 --edges --out swarm.gif
"""


def run(argv: Sequence[str]) -> None:
    # Drawing is slow to import, and the list of commands reads this file too.
    from swarmbed.draw.render import WRITERS, Look, record, writer_for
    from swarmbed.draw.scene import check_look
    from swarmbed.draw.style import make_folder

    parser = _parser(", ".join(WRITERS))
    spec = add_task_flags(parser, argv)
    options = parser.parse(argv)
    write = writer_for(options.out)
    make_folder(Path(options.out))
    devices.set_up()
    contestant = find_with_gains(options.who, options.gain, stochastic=options.stochastic)
    task = with_settings(choose_task(contestant, named_task(options)), options, spec)
    snapshots = tuple(options.at) if options.at else None
    look = Look(options.edges, options.cells, options.radius, snapshots, options.every, options.fps, options.trail)
    check_look(task, look)
    with _progress() as on_frame:
        recording = record(contestant, task, options.seed, options.steps, episode=options.episode)
        path = write(recording, Path(options.out), look, on_frame)
    how = "captured" if recording.terminated and "captured" in recording.metrics else "ended"
    print(f"wrote {path} ({path.stat().st_size / 1000:.0f} kB): {how} after {recording.length} steps")


def _parser(extensions: str) -> Parser:
    parser = Parser("render", SUMMARY, EXAMPLE)
    parser.add_argument("who", metavar="WHO", help=WHO_HELP)
    parser.add_argument("--out", required=True, metavar="FILE", help=f"where to write; ends in {extensions}")
    parser.add_argument("--seed", type=int, default=0, metavar="INT", help="which starts (default: 0)")
    parser.add_argument(
        "--episode", type=int, default=0, metavar="INT", help="which of them; as in evaluate (default: 0, the first)"
    )
    parser.add_argument("--steps", type=int, metavar="INT", help="stop after this many (default: the horizon)")
    parser.add_argument(
        "--stochastic", action="store_true", help="draw a policy's actions instead of taking their mean"
    )
    parser.add_argument(
        "--gain", action="append", default=[], metavar="NAME=NUMBER", help="a setting of a controller; may be repeated"
    )
    _picture_flags(parser)
    return parser


def _picture_flags(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("picture")
    group.add_argument("--edges", action="store_true", help="lines between agents that hear each other")
    group.add_argument("--cells", action="store_true", help="Voronoi cells of agents and evaders")
    group.add_argument("--radius", action="store_true", help="circles: how far agents hear and evaders are seen")
    group.add_argument("--at", type=int, nargs="+", metavar="STEP", help="steps of the snapshots (.png)")
    group.add_argument("--trail", type=int, default=30, metavar="INT", help="steps that stay visible (default: 30)")
    group.add_argument(
        "--fps", type=float, default=25.0, metavar="NUMBER", help="steps per second of film (default: 25)"
    )
    group.add_argument("--every", type=int, metavar="INT", help="steps per picture of film (default: 1, in a .gif 2)")


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr where somebody watches: the simulation, of unknown length, then the pictures."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        work = bar.add_task("simulating", total=None)
        yield lambda finished, total: bar.update(work, description="drawing", completed=finished, total=total)
