"""Which runs may be compared with each other: those whose code gives the same numbers.

Code changes all the time, most of it without changing what is learned. A *generation* is all code that learns the same:
the results test (tests/integration/study/test_generation.py) trains a few iterations of several tasks and compares them
with numbers kept from the first code of the generation. A change that alters the numbers on purpose keeps new ones and
counts this up; runs of an earlier generation then no longer count.
"""

import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from swarmbed import __version__

GENERATION = 1


class Made(NamedTuple):
    """The code that made a run."""

    version: str
    generation: int

    @property
    def counts(self) -> bool:
        return self.generation == GENERATION

    def __str__(self) -> str:
        return f"swarmbed {self.version}" + ("" if self.counts else f" (generation {self.generation})")


def stamp(commit: str) -> str:
    """The line that is kept with a run's settings."""
    return f"# swarmbed {__version__}, commit {commit}, generation {GENERATION}"


def made_by(settings: Path) -> Made:
    """What the line says. Runs that were kept before there were generations are of the first."""
    text = settings.read_text(encoding="utf-8", errors="replace") if settings.is_file() else ""
    found = re.search(r"^# swarmbed ([^,\s]+), commit [^,\s]+(?:, generation (\d+))?$", text, re.MULTILINE)
    return Made(found[1], int(found[2] or 1)) if found else Made("unknown", 1)


def census(results: Path) -> str:
    """One sentence: how many of the runs that are kept were made by which version, and which of them do not count."""
    makers = Counter(made_by(path) for path in sorted((results / "runs").glob("*/seed-*.toml")))
    count = lambda chosen: ", ".join(f"{number} by {made}" for made, number in sorted(chosen.items()))  # noqa: E731
    kept = {made: number for made, number in makers.items() if made.counts}
    refused = {made: number for made, number in makers.items() if not made.counts}
    older = any(made.version != __version__ for made in kept)
    words = f"runs: {count(kept) or 'none'}"
    words += "; the results test checks that older ones equal this version's" if older else ""
    return words + (f". Not counted, since that code gave other numbers: {count(refused)}" if refused else "")
