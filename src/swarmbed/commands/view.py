"""swarmbed view: watch a swarm live in the browser, and play with it."""

from collections.abc import Sequence

from swarmbed import devices
from swarmbed.errors import SwarmbedError
from swarmbed.flags import Parser, given
from swarmbed.who_flags import WHO_HELP, add_task_flags, named_task, with_settings

SUMMARY = "Watch a swarm live in the browser"
EXAMPLE = """
swarmbed view
swarmbed view voronoi_pursuit --task pursuit-local --agents 50
swarmbed view runs/first --versus consensus --seed 3
"""


def run(argv: Sequence[str]) -> None:
    parser = Parser("view", SUMMARY, EXAMPLE, "[WHO]")
    parser.add_argument("who", nargs="?", metavar="WHO", help=f"{WHO_HELP} (default: a shipped policy)")
    parser.add_argument("--versus", metavar="WHO", help="show this one beside it, from the same start")
    parser.add_argument("--seed", type=int, default=0, metavar="INT", help="number of the start (default: 0)")
    parser.add_argument(
        "--port", type=int, metavar="INT", help="port to listen on, 0 for any (default: the first free one from 8765)"
    )
    parser.add_argument("--no-browser", action="store_true", help="only serve; open the address yourself")
    parser.add_argument(
        "--stochastic", action="store_true", help="draw a policy's actions instead of taking their mean"
    )
    spec = add_task_flags(parser, argv)
    options = parser.parse(argv)
    try:
        from swarmbed.viewer import launch, server
    except ImportError as error:
        raise SwarmbedError(
            f"the viewer needs {error.name}, which is not installed; install the extra: pip install 'swarmbed[view]'"
        ) from error
    _check(options.seed, options.port)
    from swarmbed.viewer.catalog import Catalog
    from swarmbed.viewer.engine import FEWEST, MOST
    from swarmbed.viewer.messages import Setup
    from swarmbed.who import find

    devices.set_up(1)
    catalog = Catalog()

    def offer(who: str) -> str:
        contestant = find(who, stochastic=options.stochastic)
        return who if who in catalog.names and not options.stochastic else catalog.add_contestant(contestant)

    first = offer(options.who or catalog.first())
    versus = offer(options.versus) if options.versus else None
    asked = named_task(options)
    task = catalog.tasks[catalog.home_of(first)] if asked is None else asked
    task = with_settings(catalog.contestant(first).task or task if asked is None else task, options, spec)
    if not FEWEST <= task.num_agents <= MOST:
        raise SwarmbedError(f"agents must lie between {FEWEST} and {MOST} in the viewer, not {task.num_agents}")
    name = catalog.add_task(task)
    for contestant in filter(None, (first, versus)):
        spec_of = catalog.task_for(name, catalog.contestant(contestant), task.num_agents)
        catalog.contestant(contestant).controller.check(spec_of)
    agents = task.num_agents if given(options, spec) or asked is None else None
    setup = Setup(name, first, versus, agents, options.seed)
    listener = launch.open_port(options.port)
    launch.serve(server.make_app(catalog, setup), listener, browser=not options.no_browser)


def _check(seed: int, port: int | None) -> None:
    if not 0 <= seed < 2**31:
        raise SwarmbedError(f"seed must lie between 0 and {2**31 - 1}, not {seed}")
    if port is not None and not 0 <= port < 2**16:
        raise SwarmbedError(f"port must lie between 0 and {2**16 - 1}, not {port}")
