"""The library between this process and the file system (shim.c): compiled here, preloaded by starting anew."""

import ctypes
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import gettempdir

COUNT, CRASH, TORN, FAIL_ONCE, FAIL_FROM, SHORT = range(6)
SOURCE = Path(__file__).with_name("shim.c")


def preload() -> bool:
    """Start this very program anew with the shim; False where it cannot be had (no Linux, no C compiler)."""
    if "SWARMBED_SHIM" in os.environ:
        return True
    library = Path(gettempdir()) / f"swarmbed-shim-{os.getuid()}-{os.getpid()}.so"
    try:
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE), "-ldl"], check=True)
    except (OSError, subprocess.CalledProcessError):
        return False
    else:
        _start_anew(library)
        return True


def _start_anew(library: Path) -> None:
    os.environ |= {"LD_PRELOAD": str(library), "SWARMBED_SHIM": str(library)}
    os.execv(sys.executable, [sys.executable, "-m", "faults", *sys.argv[1:]])


class Shim:
    """Arms the shim for one folder."""

    @staticmethod
    @cache
    def only() -> "Shim":
        return Shim()

    def __init__(self) -> None:
        path = os.environ["SWARMBED_SHIM"]
        self.library = ctypes.CDLL(path)
        self.library.fault_last.restype = ctypes.c_char_p
        self.library.fault_arm.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_long, ctypes.c_int]
        self.library.fault_disarm.restype = ctypes.c_long
        os.environ.pop("LD_PRELOAD", None)  # not for processes that we start
        Path(path).unlink(missing_ok=True)

    @contextmanager
    def armed(self, folder: Path, how: int = COUNT, when: int = 0, number: int = 0) -> Iterator[None]:
        self.calls = 0
        self.library.fault_arm(str(folder).encode(), how, when, number)
        try:
            yield
        finally:
            self.calls = self.library.fault_disarm()

    @property
    def last(self) -> str:
        """The call at which it happened."""
        return str(self.library.fault_last().decode(errors="replace"))
