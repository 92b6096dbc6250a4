"""swarmbed view: watch a swarm live in the browser, and interact with it."""

import os
import sys
from argparse import Namespace
from collections.abc import Sequence

from swarmbed.cli.flags import Parser
from swarmbed.cli.who_flags import WHO_HELP, add_task_flags, named_task, with_settings
from swarmbed.compute import devices
from swarmbed.policy.find import find
from swarmbed.spec.errors import SwarmbedError
from swarmbed.viewer.catalog import Catalog
from swarmbed.viewer.messages import Setup

SUMMARY = "Watch a swarm live in the browser, and interact with it"
EXAMPLE = """
swarmbed view
swarmbed view voronoi_pursuit --task pursuit-local --agents 50
swarmbed view runs/first --versus consensus --seed 3
"""


def run(argv: Sequence[str]) -> None:
    parser = Parser("view", SUMMARY, EXAMPLE)
    parser.add_argument("who", nargs="?", metavar="WHO", help=f"{WHO_HELP} (default: a shipped policy)")
    parser.add_argument("--versus", metavar="WHO", help="show this policy or controller beside it, from the same start")
    parser.add_argument("--seed", type=int, default=0, metavar="INT", help="seed of the start (default: 0)")
    parser.add_argument(
        "--port", type=int, metavar="INT", help="port to listen on, 0 for any (default: the first free one from 8765)"
    )
    parser.add_argument("--no-browser", action="store_true", help="only serve; open the address yourself")
    parser.add_argument(
        "--stochastic", action="store_true", help="sample a policy's actions instead of taking the mean"
    )
    spec = add_task_flags(parser, argv)
    options = parser.parse(argv)
    _check_port(options.port)
    try:
        from swarmbed.viewer import launch, server
    except ImportError as error:
        raise SwarmbedError(
            f"the viewer needs {error.name}, which is not installed; install the extra: pip install 'swarmbed[view]'"
        ) from error
    devices.set_up(1)
    catalog = Catalog()
    first = _setup(catalog, options, spec)
    # The port comes last: a wrong setting must not hold one.
    listener = launch.open_port(options.port)
    try:
        launch.serve(server.make_app(catalog, first), listener, browser=not options.no_browser)
    except KeyboardInterrupt as stopped:
        # Python would wait for its threads, and one that compiles cannot be interrupted.
        print("swarmbed: stopped", file=sys.stderr, flush=True)
        os._exit(getattr(stopped, "exit_code", 130))


def _setup(catalog: Catalog, options: Namespace, spec: type) -> Setup:
    """What the page shows first; the policies from the command line join the catalog."""
    who = _offer(catalog, options.who or catalog.first(), options.stochastic)
    versus = _offer(catalog, options.versus, options.stochastic) if options.versus else None
    named = catalog.controller(who)
    task = named_task(options) or named.task or catalog.tasks[catalog.home_of(who)]
    task = with_settings(task, options, spec)
    name = catalog.add_task(task)
    for shown in filter(None, (who, versus)):
        named = catalog.controller(shown)
        named.controller.check(catalog.task_for(name, named, task.num_agents))
    return Setup(name, who, versus, task.num_agents, options.seed)


def _offer(catalog: Catalog, who: str, stochastic: bool) -> str:
    """The catalog's name for a policy or controller from the command line."""
    if who in catalog.names and not stochastic:
        return who
    return catalog.add_controller(find(who, stochastic=stochastic))


def _check_port(port: int | None) -> None:
    if port is not None and not 0 <= port < 2**16:
        raise SwarmbedError(f"--port must lie between 0 and {2**16 - 1}, not {port}")
