"""swarmbed compare: several policies and controllers, from equal starts."""

from collections.abc import Sequence

from swarmbed.cli.flags import Parser, count
from swarmbed.cli.who_flags import WHO_HELP, add_task_flags, named_task, with_settings
from swarmbed.compute import devices
from swarmbed.evaluation.compare import compare
from swarmbed.evaluation.entries import common_task, read_entries
from swarmbed.evaluation.evaluate import EPISODES
from swarmbed.evaluation.reports import check_output, show, write_json
from swarmbed.policy.find import SENSES

SUMMARY = "Compare policies and controllers from equal starts"
EXAMPLE = """
swarmbed compare voronoi_pursuit random --agents 5 10 20 50 --out capture.png
swarmbed compare consensus runs/first --agents 20 100 --json comparison.json
swarmbed compare NN+=runs/a0,runs/a1,runs/a2 RBF=runs/b0,runs/b1,runs/b2
"""
FORMATS = (".png", ".pdf", ".svg")


def run(argv: Sequence[str]) -> None:
    parser = Parser("compare", SUMMARY, EXAMPLE)
    parser.add_argument(
        "policies",
        nargs="+",
        metavar="WHO",
        help=f"{WHO_HELP}; several runs of one method as NAME=WHO,WHO,…; the others are compared with the first",
    )
    parser.add_argument(
        "--agents", type=count, nargs="+", dest="sizes", metavar="INT", help="sizes of the swarm (default: the task's)"
    )
    parser.add_argument(
        "--episodes", type=count, default=EPISODES, metavar="INT", help=f"episodes of each (default: {EPISODES})"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="INT", help="seed of the starts (default: 0)")
    parser.add_argument("--stochastic", action="store_true", help="sample policies' actions instead of taking the mean")
    parser.add_argument("--out", metavar="FILE.png", help=f"plot the curves over time ({', '.join(FORMATS)})")
    parser.add_argument("--json", metavar="FILE", help="write all numbers to this file")
    spec = add_task_flags(parser, argv, without=("num_agents", "sizes", *SENSES))
    options = parser.parse(argv)
    check_output(options.out, "--out", FORMATS)
    check_output(options.json, "--json")
    devices.set_up()
    entries = read_entries(options.policies, stochastic=options.stochastic)
    task = with_settings(named_task(options) or common_task(entries), options, spec)
    sizes = None if options.sizes is None else list(dict.fromkeys(options.sizes))
    comparison = compare(
        entries, task, num_agents=sizes, episodes=options.episodes, seed=options.seed, stochastic=options.stochastic
    )
    show(comparison.title, comparison.table())
    if options.json is not None:
        write_json(options.json, comparison.summary())
    if options.out is not None:
        comparison.draw(options.out)
