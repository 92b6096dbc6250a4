"""Huge pages for large arrays. An iteration of the paper's size allocates 240 MB anew, and to map that memory in pages
of 4 KiB takes about 6 % of its time.

Many Linux systems give huge pages only to programs that ask for them (``madvise``). glibc's allocator asks if a
variable says so, which it reads before anything of ours runs. So the process starts once more, as itself, with the
variable set.
"""

import contextlib
import os
import platform
import re
import sys
from pathlib import Path

VARIABLE, TUNABLE = "GLIBC_TUNABLES", "glibc.malloc.hugetlb"
SYSTEM = Path("/sys/kernel/mm/transparent_hugepage/enabled")
KNOWN_SINCE = (2, 35)  # the version of glibc


def environment() -> dict[str, str] | None:
    """The environment in which the allocator asks for huge pages; None where it has been told what to do, cannot be
    told, or need not be."""
    told = os.environ.get(VARIABLE, "")
    if TUNABLE in told or not _gives_to_those_who_ask() or not _knows_how_to_ask():
        return None
    return {**os.environ, VARIABLE: f"{told}:{TUNABLE}=1".removeprefix(":")}


def _gives_to_those_who_ask() -> bool:
    try:
        return "[madvise]" in SYSTEM.read_text()
    except OSError:
        return False  # not Linux, or not for us to see


def _knows_how_to_ask() -> bool:
    library, version = platform.libc_ver()
    found = re.match(r"(\d+)\.(\d+)", version)
    return library == "glibc" and found is not None and (int(found[1]), int(found[2])) >= KNOWN_SINCE


def start_again() -> None:
    """Replace this process by itself with huge pages, if that helps; otherwise do nothing."""
    if (wanted := environment()) is not None:
        with contextlib.suppress(OSError):  # it works without them
            os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], wanted)
