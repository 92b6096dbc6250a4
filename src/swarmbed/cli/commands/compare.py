"""swarmbed compare: several contestants side by side, from equal starts."""

from collections.abc import Sequence

from rich.table import Table

from swarmbed.cli.flags import Parser
from swarmbed.cli.who_flags import WHO_HELP, add_task_flags, named_task, with_settings
from swarmbed.compute import devices
from swarmbed.evaluation.compare import Comparison, Standing, common_task, compare, read_entry
from swarmbed.evaluation.evaluate import EPISODES, SENSES, as_contestant
from swarmbed.spec.registry import task_name
from swarmbed.evaluation.progress import progress_bar
from swarmbed.evaluation.reports import (
    SHARES,
    check_output,
    label_of,
    number,
    plain_table,
    show,
    steps_to_show,
    with_interval,
    write_json,
)
from swarmbed.evaluation.statistics import iqm_estimate, mean_interval_over_runs, median_of_top_five
from swarmbed.spec.errors import SwarmbedError

SUMMARY = "Put policies and controllers side by side, from equal starts"
EXAMPLE = """
swarmbed compare voronoi_pursuit random --agents 5 10 20 50 --out capture.png
swarmbed compare consensus runs/first --agents 20 100 --json comparison.json
swarmbed compare NN+=runs/a0,runs/a1,runs/a2 RBF=runs/b0,runs/b1,runs/b2
"""
FORMATS = (".png", ".pdf", ".svg")


def run(argv: Sequence[str]) -> None:
    parser = Parser("compare", SUMMARY, EXAMPLE)
    parser.add_argument(
        "contestants",
        nargs="+",
        metavar="WHO",
        help=f"{WHO_HELP}; several trainings of one method as NAME=WHO,WHO,…; the first is what the others are "
        "measured against",
    )
    parser.add_argument(
        "--agents", type=int, nargs="+", dest="sizes", metavar="INT", help="sizes of the swarm (default: the task's)"
    )
    parser.add_argument(
        "--episodes", type=int, default=EPISODES, metavar="INT", help=f"how many to run each (default: {EPISODES})"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="INT", help="which starts (default: 0)")
    parser.add_argument("--stochastic", action="store_true", help="draw policies' actions instead of taking their mean")
    parser.add_argument("--out", metavar="FILE.png", help=f"draw the curves over time ({', '.join(FORMATS)})")
    parser.add_argument("--json", metavar="FILE", help="write all numbers to this file")
    spec = add_task_flags(parser, argv, without=("num_agents", *SENSES))
    options = parser.parse(argv)
    check_output(options.out, "--out", FORMATS)
    check_output(options.json, "--json")
    devices.set_up()
    entries = {}
    for name, runs in map(read_entry, options.contestants):
        if name in entries:
            raise SwarmbedError(f"two contestants are called {name!r}; name them apart with NAME=WHO")
        entries[name] = [as_contestant(who, stochastic=options.stochastic) for who in runs]
    task = with_settings(named_task(options) or common_task(entries), options, spec)
    sizes = list(dict.fromkeys(options.sizes or [task.num_agents]))
    with progress_bar(sum(map(len, entries.values())) * len(sizes) * options.episodes, "comparing") as on_progress:
        comparison = compare(
            entries,
            task,
            sizes=sizes,
            episodes=options.episodes,
            seed=options.seed,
            stochastic=options.stochastic,
            on_progress=on_progress,
        )
    title = f"{task_name(task)}: {options.episodes} episodes from equal starts (seed {options.seed}), 95 % intervals"
    show(title, table_of(comparison))
    if options.json is not None:
        write_json(options.json, comparison.summary())
    if options.out is not None:
        comparison.draw(options.out)


def table_of(comparison: Comparison) -> Table:
    """One row per size of swarm and contestant."""
    everybody = [standing for panel in comparison.panels for standing in panel.standings.values()]
    has_runs = any(standing.runs > 1 for standing in everybody)
    horizon, headline = comparison.panels[0].task.horizon, everybody[0].headline
    steps = steps_to_show(headline, horizon)[-3:] if headline is not None else []
    table = plain_table()
    table.add_column("agents", justify="right")
    table.add_column("who")
    headings = ["return"]
    headings += ["interquartile mean", "median of top five"] if has_runs else []
    headings += [label_of(headline, step) for step in steps] if headline is not None else []
    headings += [f"better than {comparison.first}"] if len(comparison.names) > 1 else []
    for heading in headings:
        table.add_column(heading, justify="right")
    for panel in comparison.panels:
        for name in comparison.names:
            agents = str(panel.task.num_agents)
            if name in panel.standings:
                table.add_row(agents, name, *_cells(panel.standings[name], steps, has_runs)[: len(headings)])
            else:
                table.add_row(agents, name, "does not fit", *[""] * (len(headings) - 1))
    reasons = {f"{name}: {reason}": None for panel in comparison.panels for name, reason in panel.missing.items()}
    table.caption = "\n".join(reasons) or None
    return table


def _cells(standing: Standing, steps: list[int], has_runs: bool) -> list[str]:
    returns = standing.returns
    cells = [with_interval(returns.mean(), *mean_interval_over_runs(returns))]
    if has_runs:
        cells += [with_interval(*iqm_estimate(returns)), number(median_of_top_five(returns))]
    if standing.headline is not None:
        band, share = standing.curves[standing.headline], standing.headline in SHARES
        cells += [with_interval(band.mean[step], band.low[step], band.high[step], share=share) for step in steps]
    better = standing.better_than_first
    return [*cells, "" if better is None else with_interval(*better, share=True)]
