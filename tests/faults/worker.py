"""The other end of the kills: forks into runs before JAX has started any thread of its own."""

import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from faults import tiny_run
from swarmbed.run.folder import RunFolder
from swarmbed.run.stopping import Interrupted


def serve() -> None:
    """Obey lines: ``begin RUN``, ``wait PROCESS``, ``finish RUN``."""
    for line in sys.stdin:
        word, argument = line.split(maxsplit=1)
        argument = argument.strip()
        if word == "begin":
            answer = str(_fork(lambda where=argument: tiny_run.start(Path(where))))
        elif word == "wait":
            answer = str(os.waitstatus_to_exitcode(os.waitpid(int(argument), 0)[1]))
        else:
            process = _fork(lambda where=argument: _finish(Path(where)))
            code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
            answer = "done" if code == 0 else f"going on ended with {code}: {_last_words()}"
        print(answer, flush=True)


WORDS = Path(f"/tmp/faults-words-{os.getpid()}")


def _last_words() -> str:
    return " ".join(WORDS.read_text().split())[-300:] if WORDS.is_file() else ""


def _finish(run: Path) -> object:
    return tiny_run.resume(run, tiny_run.ITERATIONS) if RunFolder(run).config.is_file() else tiny_run.start(run)


def _fork(act: Callable[[], object]) -> int:
    process = os.fork()
    if process:
        return process
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    try:
        act()
        code = 0
    except Interrupted as stopped:
        code = stopped.exit_code
    except KeyboardInterrupt:
        code = 130
    except BaseException:
        WORDS.write_text(traceback.format_exc())
        code = 1
    os._exit(code)
