"""swarmbed leaderboard: policies and controllers ranked on the paper's tasks, from published starts."""

import sys
from collections.abc import Sequence
from pathlib import Path

from swarmbed.cli.flags import Parser, count
from swarmbed.compute import devices
from swarmbed.evaluation.reports import show
from swarmbed.study import leaderboard
from swarmbed.study.boards import BOARDS, board_named

SUMMARY = "Rank all shipped policies and controllers on the paper's tasks, from published starts"
EXAMPLE = """
swarmbed leaderboard                                    # every board
swarmbed leaderboard pursuit-global
swarmbed leaderboard --run --episodes 200 --results mine   # boards of your own; can be stopped and resumed
"""


def run(argv: Sequence[str]) -> None:
    parser = Parser("leaderboard", SUMMARY, EXAMPLE)
    parser.add_argument("boards", nargs="*", metavar="BOARD", help=f"some of: {', '.join(BOARDS)} (default: all)")
    parser.add_argument("--run", action="store_true", help="evaluate policies that have no row yet or have changed")
    parser.add_argument(
        "--episodes",
        type=count,
        default=leaderboard.EPISODES,
        metavar="INT",
        help=f"starts per row with --run (default: {leaderboard.EPISODES})",
    )
    parser.add_argument("--results", metavar="DIR", help="folder of the rows (default: the published ones)")
    options = parser.parse(argv)
    boards = [board_named(name) for name in options.boards] or list(BOARDS.values())
    if options.run:
        devices.set_up()
    for board in boards:
        own = Path(options.results or "results/leaderboard") / f"{board.name}.json"
        path = own if options.results or options.run else leaderboard.published(board)
        if options.run:
            kept = leaderboard.begin(board, path, options.episodes)
            waiting = leaderboard.missing(board, kept)
            for number, who in enumerate(waiting, start=1):
                print(f"{board.name} {number}/{len(waiting)}: {who} …", file=sys.stderr, flush=True)
                kept["rows"][who] = leaderboard.measure(who, board, options.episodes, results=path.parent.parent)
                leaderboard.write(kept, path)
        kept = leaderboard.read(board, path)
        show(leaderboard.title(kept), leaderboard.table(kept))
        print()
