"""swarmbed stress: how much of their performance policies keep when parts of the swarm fail."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console

from swarmbed.cli.flags import Parser, count
from swarmbed.cli.who_flags import WHO_HELP, add_task_flags, named_task, with_settings
from swarmbed.compute import devices
from swarmbed.evaluation import reports
from swarmbed.evaluation.entries import common_task, read_entries
from swarmbed.evaluation.stress import EPISODES, QUICK_EPISODES, QUICK_STEPS, stress
from swarmbed.policy.find import SENSES
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks.disturbances.settings import BY_NAME, KINDS

SUMMARY = "Measure how policies and controllers degrade under disturbances"
EXAMPLE = """
swarmbed stress consensus rendezvous-local-nn-extended --quick
swarmbed stress NN+=runs/a0,runs/a1,runs/a2 consensus --only message_loss message_delay --out stress/messages
swarmbed stress consensus --policy my_module:act --task rendezvous-local
"""


def run(argv: Sequence[str]) -> None:
    parser = Parser("stress", SUMMARY, EXAMPLE)
    parser.add_argument(
        "policies", nargs="*", metavar="WHO", help=f"{WHO_HELP}; several runs of one method as NAME=WHO,WHO,…"
    )
    parser.add_argument(
        "--policy", action="append", default=[], metavar="MODULE:FUNCTION",
        help="a policy of another library: a function from the observations of many agents to their actions, in the "
        "form of the Gymnasium vector environment; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--only", nargs="+", default=[], choices=list(BY_NAME), metavar="DISTURBANCE",
        help=f"sweep only these (default: all that apply; there are {', '.join(BY_NAME)})",
    )  # fmt: skip
    parser.add_argument("--agents", type=count, metavar="INT", help="size of the swarm (default: the task's)")
    parser.add_argument(
        "--episodes", type=count, metavar="INT",
        help=f"episodes at each strength (default: {EPISODES}, with --quick {QUICK_EPISODES})",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, metavar="INT", help="seed of the starts (default: 0)")
    parser.add_argument(
        "--quick", action="store_true", help=f"fewer strengths and episodes, at most {QUICK_STEPS} steps each"
    )
    parser.add_argument(
        "--out", default="stress", metavar="DIR",
        help="folder for card.html, card.png and card.json; an interrupted sweep resumes there (default: stress)",
    )  # fmt: skip
    spec = add_task_flags(parser, argv, without=("num_agents", "sizes", *SENSES, *(kind.name for kind in KINDS)))
    options = parser.parse(argv)
    entries = _entries(options.policies, options.policy)
    if not entries:
        raise SwarmbedError("stress: name at least one policy or controller, or give --policy module:function")
    devices.set_up()
    known = {name: runs for name, runs in entries.items() if name not in options.policy}
    task = named_task(options)
    if task is None and known:
        task = common_task(known)
    if task is None:
        raise SwarmbedError("stress: a policy from outside does not say what it was trained on; give --task")
    card = stress(
        entries, with_settings(task, options, spec), disturbances=options.only, num_agents=options.agents,
        episodes=options.episodes, seed=options.seed, quick=options.quick, out=options.out,
    )  # fmt: skip
    reports.show(card.title, card.overview())
    reports.show("", card.table())
    Console().print(f"{options.out}/card.html, card.png, card.json", highlight=False)


def _entries(policies: Sequence[str], outside: Sequence[str]) -> dict[str, list[Any]]:
    entries: dict[str, list[Any]] = {**read_entries(policies)}
    if outside:
        from swarmbed.interop.outside import outside_policy  # needs the extra "interop"

        entries |= {text: [outside_policy(text)] for text in outside}
    return entries
