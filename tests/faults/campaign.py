"""What a campaign is: a generator of tries, each of which went well or has a sentence that says what did not."""

import random
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

Outcome = str | None  # None: as it should be; else what was wrong
Tries = Callable[[random.Random], Iterator[Outcome]]
SHOWN = 10


@dataclass
class Count:
    """How many tries there were, and what went wrong in the first few that failed."""

    tries: int = 0
    failed: int = 0
    seconds: float = 0.0
    complaints: list[str] = field(default_factory=list)
    complete: bool = False  # whether it came to its own end, or there were as many as wanted

    def add(self, outcome: Outcome) -> None:
        self.tries += 1
        if outcome is not None:
            self.failed += 1
            if len(self.complaints) < SHOWN:
                self.complaints.append(outcome)


class Campaign:
    """Tries that can be paused: what has not come to its end in its share of the time goes on in a later one."""

    def __init__(self, tries: Tries, seed: int, most: int | None = None) -> None:
        self.count, self.most, self.tries = Count(), most, tries(random.Random(seed))

    def conduct(self, seconds: float, after_each: Callable[[], object] = lambda: None) -> None:
        """Go on until the campaign ends, its time is over, or there were enough tries.

        Time counts from the first outcome on: before it, programs are compiled.
        """
        began, before = time.monotonic(), self.count.seconds
        for outcome in self.tries:
            if not self.count.tries:
                began = time.monotonic()
            self.count.add(outcome)
            self.count.seconds = before + time.monotonic() - began
            self.count.complete = self.most is not None and self.count.tries >= self.most
            after_each()
            if self.count.complete or time.monotonic() - began > seconds:
                return
        self.count.complete = True


def described(error: BaseException) -> str:
    """An error that should have been a sentence, and where it came from."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {str(error)[:200]} ({last.filename.rsplit('/', 1)[-1]}:{last.lineno})"


def one_sentence(call: Callable[[], Any], *allowed: type[BaseException]) -> Outcome:
    """Whether a call ends well or with one of the errors that users are meant to read."""
    try:
        call()
    except allowed as error:
        return None if str(error) else f"{type(error).__name__} without a word"
    except Exception as error:
        return described(error)
    return None
