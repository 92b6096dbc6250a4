"""swarmbed tune: find the gains of a controller."""

from collections.abc import Sequence
from dataclasses import replace

from swarmbed.cli.flags import Parser, count, swarm_sizes
from swarmbed.cli.who_flags import add_task_flags, find_with_gains, named_task, with_settings
from swarmbed.compute import devices
from swarmbed.evaluation.progress import progress_bar
from swarmbed.evaluation.reports import check_output, number, plain_table, show, write_json
from swarmbed.evaluation.tune import CANDIDATES, EPISODES, ROUNDS, Tuning, episodes_needed, gains_of, tune
from swarmbed.policy.find import SENSES, choose_task
from swarmbed.spec import registry
from swarmbed.spec.errors import choose
from swarmbed.spec.registry import task_name
from swarmbed.spec.settings import checked
from swarmbed.tasks.base import Task

SUMMARY = "Tune the gains of a controller"
EXAMPLE = """
swarmbed tune consensus --task rendezvous --agents 2 20 --horizon 300 --out gains.json
swarmbed tune voronoi_pursuit --task pursuit --agents 5 10 20
"""


def run(argv: Sequence[str]) -> None:
    parser = Parser("tune", SUMMARY, EXAMPLE)
    parser.add_argument("controller", metavar="CONTROLLER", help="the controller's name")
    parser.add_argument(
        "--agents",
        type=_sizes,
        nargs="+",
        dest="sizes",
        metavar="INT",
        help="sizes of the swarm, each a task of its own; 5..20 or 5,10,20: one task, whose episodes draw their size "
        "(default: the task's)",
    )
    parser.add_argument(
        "--gain",
        action="append",
        default=[],
        metavar="NAME=NUMBER",
        help="start from this gain (default: the controller's own); may be repeated",
    )
    parser.add_argument("--only", nargs="+", default=[], metavar="GAIN", help="search these gains (default: all)")
    for flag, default, words in (
        ("--candidates", CANDIDATES, "candidates to draw in the first round"),
        ("--rounds", ROUNDS, "further rounds around the best, each with a quarter as many"),
        ("--episodes", EPISODES, "episodes per candidate and size"),
        ("--seed", 0, "seed of the starts and of the candidates"),
    ):
        parser.add_argument(flag, type=int, default=default, metavar="INT", help=f"{words} (default: {default})")
    parser.add_argument("--out", metavar="FILE", help="write the result to this file, as JSON")
    spec = add_task_flags(parser, argv, without=("num_agents", "sizes", *SENSES))
    options = parser.parse(argv)
    check_output(options.out, "--out")
    choose("controller", options.controller, list(registry.controllers.all()))
    devices.set_up()
    named = find_with_gains(options.controller, options.gain)
    task = with_settings(choose_task(named, named_task(options)), options, spec)
    tasks = [_of_size(task, size) for size in dict.fromkeys(options.sizes or [task.num_agents])]
    gains = gains_of(named.controller, named.name, options.only)
    work = episodes_needed(len(gains), len(tasks), options.candidates, options.rounds, options.episodes)
    with progress_bar(work, f"tuning {named.name}") as on_progress:
        tuning = tune(
            named.controller,
            tasks,
            name=named.name,
            only=options.only,
            candidates=options.candidates,
            rounds=options.rounds,
            episodes=options.episodes,
            seed=options.seed,
            on_progress=on_progress,
        )
    if options.out is not None:
        write_json(options.out, tuning.summary())
    report(tuning)


def _sizes(text: str) -> int | tuple[int, ...]:
    return swarm_sizes(text) if ".." in text or "," in text else count(text)


def _of_size(task: Task, size: int | tuple[int, ...]) -> Task:
    if isinstance(size, int):
        return task.resized(size)
    return replace(task.resized(max(size)), **checked(type(task), {"sizes": size}, f"task {task_name(task)!r}"))


def report(tuning: Tuning) -> None:
    """The gains before and after, and their returns on starts that the search never used."""
    summary = tuning.summary()
    table = plain_table()
    table.add_column("")
    table.add_column("before", justify="right")
    table.add_column("found", justify="right")
    for gain, value in tuning.best.gains.items():
        found = "no effect here" if gain in tuning.without_effect else number(value)
        table.add_row(gain, number(tuning.before.gains[gain]), found)
    rows = zip(summary["agents"], summary["return_mean_per_size_before"], summary["return_mean_per_size"], strict=True)
    for agents, before, after in rows:
        table.add_row(f"return, {agents} agents", number(before), number(after))
    show(f"{tuning.name} on {summary['task']}: {tuning.seconds:.0f} s", table)
