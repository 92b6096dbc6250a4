"""The one exception a user is meant to read."""

import sys
import traceback
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

MANY = 20  # more names than this in a sentence are not read
LONGEST = 100  # letters of a wrong value in an error


class SwarmbedError(ValueError):
    """A wrong setting, a missing file, a policy that does not fit: one sentence, no traceback on the command line."""

    def __str__(self) -> str:
        return one_line(super().__str__())


def one_line(text: str) -> str:
    """The text with line breaks and whatever else would not show (control characters, half surrogates) as Python
    escapes it: names of files and settings come from anywhere, and a sentence stays one line."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii") for letter in text
    )


def say(sentence: str) -> None:
    """Something a user should know, though the work continues."""
    print(f"swarmbed: {one_line(sentence)}", file=sys.stderr, flush=True)


def shown(value: object) -> str:
    """A wrong value as an error quotes it: as Python writes it, but never longer than a line."""
    try:
        text = repr(value)
    except Exception:  # numbers of thousands of digits, endlessly nested lists, objects whose repr fails
        return f"a {type(value).__name__} that is too large to show"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} …"


def a_kind(kind: type) -> str:
    """``a Task``, ``an Embedding``."""
    return f"{'an' if kind.__name__[0] in 'AEIOU' else 'a'} {kind.__name__}"


def choose(what: str, name: object, allowed: Sequence[str]) -> str:
    """Return ``name`` if it is allowed, else raise an error with the probable meaning and the choices."""
    if name not in allowed:
        guess = did_you_mean(name, allowed)
        known = f"choose one of: {', '.join(allowed)}" if len(allowed) <= MANY else f"there are {len(allowed)}"
        known = f" ({known})" if guess else f"; {known}"
        raise SwarmbedError(f"{what} {shown(name)} does not exist{guess}{known}")
    return str(name)


def did_you_mean(name: object, known: Sequence[str]) -> str:
    """``; did you mean 'rendezvous'?``, or nothing where no name is like the given one."""
    close = get_close_matches(str(name)[:LONGEST], known, n=1) if isinstance(name, str) else []
    return f"; did you mean {close[0]!r}?" if close else ""


def line_in(file: str | Path | None, error: BaseException) -> str:
    """`` (line 7 of my_task.py)``: the last line of a file that an error went through; nothing where it did not."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)]
    return f" (line {lines[-1]} of {Path(str(file)).name})" if lines else ""
