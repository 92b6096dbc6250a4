"""swarmbed evaluate: how good a policy or controller is, from starts that are the same for all."""

from collections.abc import Sequence

from swarmbed.cli.flags import Parser, count
from swarmbed.cli.who_flags import WHO_HELP, add_task_flags, find_with_gains, named_task, with_settings
from swarmbed.compute import devices
from swarmbed.evaluation.evaluate import EPISODES, evaluate
from swarmbed.evaluation.reports import check_output, show, write_json
from swarmbed.policy.find import choose_task

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
        "--episodes", type=count, default=EPISODES, metavar="INT", help=f"number of episodes (default: {EPISODES})"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="INT", help="seed of the starts (default: 0)")
    parser.add_argument(
        "--stochastic", action="store_true", help="sample a policy's actions instead of taking the mean"
    )
    parser.add_argument(
        "--gain", action="append", default=[], metavar="NAME=NUMBER", help="a setting of a controller; may be repeated"
    )
    parser.add_argument("--json", metavar="FILE", help="write all numbers to this file")
    spec = add_task_flags(parser, argv)
    options = parser.parse(argv)
    check_output(options.json, "--json")
    devices.set_up()
    named = find_with_gains(options.who, options.gain, stochastic=options.stochastic)
    task = with_settings(choose_task(named, named_task(options)), options, spec)
    named.controller.check(task)  # before a policy sets its own observations: a flag that differs is an error
    evaluation = evaluate(named, task, episodes=options.episodes, seed=options.seed)
    if options.json is not None:
        write_json(options.json, evaluation.summary())
    show(evaluation.title, evaluation.table())
    if evaluation.remark is not None:
        print(evaluation.remark)
