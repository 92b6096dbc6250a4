"""The page of exported names. Its groups are the table at the end of docs/interface.md, which a test keeps complete."""

import re

ABOUT = """\
# Python reference

Every name that `swarmbed` exports, with its signature and what its docstring says. [The interface in
Python](interface.md) shows how they fit together. These names are stable; [Stability](stability.md) says what that
means.
"""
ROW = re.compile(r"^\| (`\w+`(?:, `\w+`)*) \| (.*) \|$", re.MULTILINE)


def groups(interface: str) -> list[tuple[list[str], str]]:
    """Names and what they are for, row by row."""
    table = interface[interface.index("| exported |") :]
    return [(re.findall(r"`(\w+)`", names), what) for names, what in ROW.findall(table)]


def text(interface: str) -> str:
    parts = [ABOUT]
    for names, what in groups(interface):
        parts += [f"## {what[0].upper()}{what[1:]}", ""]
        parts += [f"::: swarmbed.{name}\n" for name in names]
    return "\n".join(parts)
