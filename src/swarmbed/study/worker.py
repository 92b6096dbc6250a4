"""The process of one run in a local pool: ``python -m swarmbed.study.worker CORE ARGUMENT…``.

It stays on its core, lets other work go first, and ends when the pool that started it is gone, however that ended.
"""

import contextlib
import os
import runpy
import sys
import threading
from pathlib import Path

NICENESS = 5
AUTOGROUP = Path("/proc/self/autogroup")


def main(argv: list[str]) -> None:
    core, *arguments = argv
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {int(core)})
    let_others_go_first()
    threading.Thread(target=end_with_the_pool, daemon=True).start()
    sys.argv[1:] = arguments
    runpy.run_module("swarmbed", run_name="__main__")


def let_others_go_first() -> None:
    """Niceness counts only among the processes of one session, which on Linux share a group; the group has its own."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
        with contextlib.suppress(OSError):  # there are no groups everywhere
            AUTOGROUP.write_text(str(os.getpriority(os.PRIO_PROCESS, 0)))


def end_with_the_pool() -> None:
    """Nothing is written to our input; it closes when the other end's process does."""
    os.read(sys.stdin.fileno(), 1)  # not sys.stdin.read(): its lock would keep the process from ending
    os._exit(1)  # a checkpoint keeps the run


if __name__ == "__main__":
    main(sys.argv[1:])
