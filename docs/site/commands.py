"""The page of commands: what ``swarmbed COMMAND --help`` prints, for every command."""

import os
import subprocess
import sys

WIDTH = "88"
ABOUT = """\
# Commands

What `swarmbed COMMAND --help` prints. Settings depend on the task, embedding, network and algorithm that a command
names: `swarmbed train pursuit --help` shows those of pursuit. [Settings](settings.md) lists all of them.
"""
SHOW_ALL = """
from swarmbed.cli.main import command_names, main

for name in ("", *command_names()):
    print(f"\\0{name}\\n", end="")
    try:
        main([*([name] if name else []), "--help"])
    except SystemExit:
        pass
"""


def text() -> str:
    parts = [ABOUT]
    for name, help in helps().items():
        parts += ["", f"## swarmbed {name}", ""] if name else []
        parts += ["```text", help.strip(), "```"]
    return "\n".join(parts) + "\n"


def helps() -> dict[str, str]:
    """By command, as in a terminal of a fixed width; in a process of its own, since a width is read once."""
    environment = {**os.environ, "COLUMNS": WIDTH, "NO_COLOR": "1"}
    shown = subprocess.run(
        [sys.executable, "-c", SHOW_ALL], env=environment, capture_output=True, text=True, check=True
    ).stdout
    name_and_help = (part.split("\n", 1) for part in shown.split("\0")[1:])
    return {part[0]: part[1] for part in name_and_help}
