"""The machine's C compiler, where it has one: C that this package writes or ships, as a library in this process."""

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from swarmbed.spec.errors import SwarmbedError

COMPILERS = ("cc", "gcc", "clang")


def find_compiler() -> str | None:
    return next((found for name in COMPILERS if (found := shutil.which(name))), None)


def load(compiler: str, sources: dict[str, str], flags: Sequence[str], what: str) -> ctypes.CDLL:
    """Compile sources, of which those named ``*.c`` are compiled and others included, and load them as one library."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for name, text in sources.items():
            (place / name).write_text(text)
        units = [name for name in sources if name.endswith(".c")]
        command = [compiler, *flags, "-fPIC", "-shared", *units, "-o", "library.so", "-lm"]
        result = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            first = next(iter(result.stderr.strip().splitlines()), "no message")
            raise SwarmbedError(f"{Path(compiler).name} does not compile {what}: {first}")
        return ctypes.CDLL(str(place / "library.so"))
