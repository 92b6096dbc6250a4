"""The command line: finds the sub-command's file, runs it, and reports errors that users can fix in one sentence."""

import importlib
import os
import pkgutil
import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import NoReturn

from swarmbed import __version__
from swarmbed.cli import commands
from swarmbed.cli.plain import make_output_safe
from swarmbed.compute import huge_pages
from swarmbed.run.stopping import obeyed
from swarmbed.spec import registry, source
from swarmbed.spec.errors import SwarmbedError, choose, one_line

ORDER = (
    "train", "evaluate", "compare", "transfer", "stress", "render", "view", "leaderboard", "submit", "reproduce",
    "tune", "export", "check", "list", "bench", "doctor", "completion",
)  # fmt: skip

LARGE = ("train", "reproduce", "bench")  # commands that allocate hundreds of megabytes again and again
RESUMABLE = ("stress", "transfer", "leaderboard", "reproduce")  # what they have measured is on disk
RESUMED = "stopped; the same command resumes it"


def command_names() -> list[str]:
    """All sub-commands, the ones most used first."""
    found = [info.name for info in pkgutil.iter_modules(commands.__path__)]
    return sorted(found, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name))


def usage() -> str:
    """Every command with its sentence, which is read from its file: importing them all would take seconds."""
    width, names = max(shutil.get_terminal_size().columns, 40), command_names()
    lines = ["usage: swarmbed COMMAND ...", "", *textwrap.wrap("Deep reinforcement learning of robot swarms.", width)]
    lines += ["", "commands:"]
    longest = max(map(len, names))
    for name in names:
        sentence = source.constant(f"{commands.__name__}.{name}", "SUMMARY")
        lines += textwrap.wrap(f"  {name:<{longest}} {sentence}", width, subsequent_indent=" " * (longest + 3))
    lines += ["", *textwrap.wrap("'swarmbed COMMAND --help' shows a command's options and an example.", width)]
    return "\n".join([*lines, "", "example:", "  swarmbed train rendezvous --out runs/first"])


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    make_output_safe()
    try:
        _run(list(sys.argv[1:] if argv is None else argv))
        sys.stdout.flush()
    except SwarmbedError as error:
        _say(str(error))
        return 2
    except KeyboardInterrupt as stopped:
        # What was stopped says how to resume, and which signal it was.
        _say(str(stopped) or "stopped")
        return getattr(stopped, "exit_code", 130)
    except MemoryError as error:
        _say(f"there is not enough memory for this; ask for less ({error})")
        return 2
    except BrokenPipeError:
        _drop_output()  # the reader (head, less) has closed the pipe, which is not an error
    except OSError as error:
        if error.filename is None:
            _drop_output()  # it may be the output itself that cannot be written
        _say(f"{error.strerror or error}: {error.filename or 'the output'}")
        return 2
    except Exception as error:
        blamed = registry.blamed_on_a_plugin(error)
        if blamed is None:
            raise  # a fault of ours: whoever reports it needs the traceback
        _say(blamed)
        return 2
    return 0


def entry() -> NoReturn:
    """The process of the ``swarmbed`` script. One that was stopped does not wait for threads that compile: they cannot
    be interrupted, and Python may crash when it takes the ground from under them."""
    if sys.argv[1:2] and sys.argv[1] in LARGE:
        huge_pages.start_again()
    code = main()
    if code > 128:
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _run(arguments: list[str]) -> None:
    for word in arguments:
        if word.startswith("--") and word.endswith("=--"):
            # argparse takes such a value for the end of all options, and leaves an empty list in its place.
            raise SwarmbedError(f"{word.removesuffix('=--')} cannot be '--'; write ./-- for a file of that name")
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:2], "--help"]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(usage())
    elif arguments[0] == "--version":
        print(f"swarmbed {__version__}")
    else:
        name = choose("command", arguments[0], command_names())
        with obeyed(RESUMED if name in RESUMABLE else "stopped"):
            importlib.import_module(f"{commands.__name__}.{name}").run(arguments[1:])


def _say(sentence: str) -> None:
    print(f"swarmbed: {one_line(sentence)}", file=sys.stderr)


def _drop_output() -> None:
    """Python flushes the output when it ends; that must not fail a second time."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return  # not a file, as in a test
