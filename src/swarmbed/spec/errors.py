"""The one exception a user is meant to read."""

import traceback
from pathlib import Path


class SwarmbedError(ValueError):
    """A wrong setting, a missing file, a policy that does not fit: one sentence, no traceback on the command line."""


def choose(what: str, name: object, allowed: "list[str] | tuple[str, ...]") -> str:
    """Return ``name`` if it is allowed, else say what is."""
    if name not in allowed:
        raise SwarmbedError(f"{what} {name!r} does not exist; choose one of: {', '.join(allowed)}")
    return str(name)


def line_in(file: str | Path | None, error: BaseException) -> str:
    """`` (line 7 of my_task.py)``: the last line of a file that an error went through; nothing where it did not."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)]
    return f" (line {lines[-1]} of {Path(str(file)).name})" if lines else ""
