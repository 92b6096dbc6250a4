"""swarmbed submit: your own policy on the starts of the leaderboard."""

import json
from collections.abc import Sequence

from swarmbed.cli.flags import Parser
from swarmbed.compute import devices
from swarmbed.evaluation.reports import check_output, show, write_json
from swarmbed.policy.find import choose_task
from swarmbed.spec.errors import SwarmbedError
from swarmbed.study import leaderboard
from swarmbed.study.boards import BOARDS, board_named, check_same_starts, published_starts
from swarmbed.study.submission import Outside, submitted

SUMMARY = "Evaluate your own policy on the starts of the leaderboard, and print its row"
EXAMPLE = """
swarmbed submit runs/first/policy.safetensors --board rendezvous-global
swarmbed submit policy.onnx --board pursuit-global --observe basic
swarmbed submit my_module:act --board rendezvous-global --json row.json
"""


def run(argv: Sequence[str]) -> None:
    parser = Parser("submit", SUMMARY, EXAMPLE)
    parser.add_argument("who", metavar="WHO", help="a policy file, a run folder, an ONNX file or MODULE:FUNCTION")
    parser.add_argument("--board", required=True, metavar="BOARD", help=f"one of: {', '.join(BOARDS)}")
    parser.add_argument("--name", help="name of the row (default: the file's or function's name)")
    parser.add_argument("--observe", metavar="SET", help="what an ONNX file or a function observes (default: extended)")
    parser.add_argument("--json", metavar="FILE", help="write the row to this file, ready to send")
    options = parser.parse(argv)
    check_output(options.json, "--json")
    board, named = board_named(options.board), submitted(options.who)
    # A function outside of JAX is called back into Python; two devices that do so wait for each other for ever.
    devices.set_up(1 if isinstance(named.controller, Outside) else None)
    kept = leaderboard.read(board, leaderboard.published(board))
    episodes = kept["starts"]["episodes"]
    check_same_starts(published_starts(board, episodes), kept["starts"])
    if options.observe is not None and named.task is not None:
        raise SwarmbedError("--observe is for ONNX files and functions; a policy file knows what it observes")
    named.controller.check(choose_task(named, board.task))
    name = options.name or named.name
    row = leaderboard.measure(named, board, episodes, observation=options.observe)
    kept["rows"][name] = row
    show(leaderboard.title(kept), leaderboard.table(kept))
    sent = {"board": board.name, "name": name, "starts": kept["starts"]["fingerprint"], **row}
    if options.json is not None:
        write_json(options.json, sent)
    print(json.dumps({key: value for key, value in sent.items() if key != "returns"}))
