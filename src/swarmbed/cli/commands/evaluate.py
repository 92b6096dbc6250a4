"""swarmbed evaluate: how good somebody is, measured from starts that are the same for everybody."""

from collections.abc import Sequence
from typing import Any

from rich.table import Table

from swarmbed.cli.flags import Parser
from swarmbed.cli.who_flags import WHO_HELP, add_task_flags, find_with_gains, named_task, with_settings
from swarmbed.compute import devices
from swarmbed.evaluation.evaluate import EPISODES, GATHERED, Evaluation, choose_task, evaluate
from swarmbed.evaluation.progress import progress_bar
from swarmbed.evaluation.reports import (
    SHARES,
    check_output,
    label_of,
    number,
    percent,
    plain_table,
    show,
    steps_to_show,
    write_json,
)

SUMMARY = "Measure a policy or controller over many episodes"
EXAMPLE = """
swarmbed evaluate consensus --task rendezvous --agents 100 --json consensus.json
swarmbed evaluate voronoi_pursuit --agents 5 --episodes 200
swarmbed evaluate runs/first --agents 50 --stochastic
"""


def run(argv: Sequence[str]) -> None:
    parser = Parser("evaluate", SUMMARY, EXAMPLE)
    parser.add_argument("who", metavar="WHO", help=WHO_HELP)
    parser.add_argument(
        "--episodes", type=int, default=EPISODES, metavar="INT", help=f"how many to run (default: {EPISODES})"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="INT", help="which starts (default: 0)")
    parser.add_argument(
        "--stochastic", action="store_true", help="draw a policy's actions instead of taking their mean"
    )
    parser.add_argument(
        "--gain", action="append", default=[], metavar="NAME=NUMBER", help="a setting of a controller; may be repeated"
    )
    parser.add_argument("--json", metavar="FILE", help="write all numbers to this file")
    spec = add_task_flags(parser, argv)
    options = parser.parse(argv)
    check_output(options.json, "--json")
    devices.set_up()
    contestant = find_with_gains(options.who, options.gain, stochastic=options.stochastic)
    task = with_settings(choose_task(contestant, named_task(options)), options, spec)
    contestant.controller.check(task)  # before a policy gets its own senses: a flag that differs is an error
    with progress_bar(options.episodes, f"running {contestant.name}") as on_progress:
        evaluation = evaluate(
            contestant,
            task,
            episodes=options.episodes,
            seed=options.seed,
            stochastic=options.stochastic,
            on_progress=on_progress,
        )
    summary = evaluation.summary()
    if options.json is not None:
        write_json(options.json, summary)
    how = "actions drawn" if evaluation.stochastic else "greedy"
    title = (
        f"{evaluation.name} on {summary['task']}: {evaluation.task.num_agents} agents, {evaluation.episodes} episodes, "
        f"seed {evaluation.seed}, {how}, {evaluation.seconds:.1f} s"
    )
    show(title, table_of(evaluation, summary))


def table_of(evaluation: Evaluation, summary: dict[str, Any]) -> Table:
    """The return, and what matters on this task at a few points in time."""
    table = plain_table()
    table.add_column("")
    table.add_column("mean", justify="right")
    table.add_column("95 % interval", justify="right")
    low, high = summary["return_mean_ci"]
    table.add_row("return", number(summary["return_mean"]), f"{number(low)} … {number(high)}")
    if evaluation.headline is not None:
        name = evaluation.headline
        show = percent if name in SHARES else number
        lows, highs = summary[f"{name}_ci"]
        for step in steps_to_show(name, evaluation.task.horizon):
            value, interval = show(summary[name][step]), f"{show(lows[step])} … {show(highs[step])}"
            table.add_row(label_of(name, step), value, interval)
    if "gathered" in summary:
        low, high = summary["gathered_ci"]
        label = f"met (mean distance ends below {GATHERED:g})"
        table.add_row(label, percent(summary["gathered"]), f"{percent(low)} … {percent(high)}")
    return table
