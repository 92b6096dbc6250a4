"""How to call this program, for the commands that messages suggest."""

import shutil
import sys
from pathlib import Path


def program() -> str:
    """``swarmbed`` if the shell finds it, else the path that was typed, such as ``.venv/bin/swarmbed``."""
    typed = Path(sys.argv[0] if sys.argv else "")
    return str(typed) if typed.stem == "swarmbed" and shutil.which("swarmbed") is None else "swarmbed"
