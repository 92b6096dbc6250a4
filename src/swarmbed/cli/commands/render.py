"""swarmbed render: one episode as a picture or a film."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

from swarmbed.cli.flags import Parser, add_flags, given
from swarmbed.cli.who_flags import WHO_HELP, add_task_flags, find_with_gains, named_task, with_settings
from swarmbed.compute import devices
from swarmbed.evaluation.progress import Bar
from swarmbed.policy.find import choose_task

SUMMARY = "Draw an episode: snapshots and traces (.png), a film (.gif, .mp4) or a page that plays it (.html)"
EXAMPLE = """
swarmbed render consensus --steps 200 --out rendezvous.png
swarmbed render voronoi_pursuit --seed 3 --cells --out pursuit.mp4
swarmbed render runs/first --agents 50 --edges --out swarm.gif
"""


def run(argv: Sequence[str]) -> None:
    # Drawing is slow to import, and the list of commands reads this file too.
    from swarmbed.draw.recording import ending
    from swarmbed.draw.render import WRITERS, Look, render, writer_for
    from swarmbed.draw.style import make_folder

    parser = _parser(", ".join(WRITERS))
    add_flags(parser, Look, "picture")
    spec = add_task_flags(parser, argv)
    options = parser.parse(argv)
    writer_for(options.out)
    make_folder(Path(options.out))
    look = Look(**given(options, Look))
    devices.set_up()
    named = find_with_gains(options.who, options.gain, stochastic=options.stochastic)
    task = with_settings(choose_task(named, named_task(options)), options, spec)
    named.controller.check(task)  # before a policy sets its own observations: a flag that differs is an error
    with _progress() as on_frame:
        picture = render(
            named,
            task,
            out=options.out,
            seed=options.seed,
            episode=options.episode,
            steps=options.steps,
            look=look,
            on_frame=on_frame,
        )
    print(f"wrote {picture.path} ({len(picture.content) / 1000:.0f} kB): {ending(picture.recording)}")


def _parser(extensions: str) -> Parser:
    parser = Parser("render", SUMMARY, EXAMPLE)
    parser.add_argument("who", metavar="WHO", help=WHO_HELP)
    parser.add_argument("--out", required=True, metavar="FILE", help=f"file to write; ends in {extensions}")
    parser.add_argument("--seed", type=int, default=0, metavar="INT", help="seed of the starts (default: 0)")
    parser.add_argument(
        "--episode", type=int, default=0, metavar="INT", help="number of the episode, as in evaluate (default: 0)"
    )
    parser.add_argument("--steps", type=int, metavar="INT", help="stop after this many steps (default: the horizon)")
    parser.add_argument(
        "--stochastic", action="store_true", help="sample a policy's actions instead of taking the mean"
    )
    parser.add_argument(
        "--gain", action="append", default=[], metavar="NAME=NUMBER", help="a setting of a controller; may be repeated"
    )
    return parser


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr of a terminal: the simulation, of unknown length, then the pictures."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        work = bar.add_task("simulating", total=None)
        yield lambda finished, total: bar.update(work, description="drawing", completed=finished, total=total)
