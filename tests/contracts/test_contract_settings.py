"""Settings: all families share these checks, and embeddings are the quickest to check."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from honest_plugins import Average, Climb, Linear, Points, Still

from swarmbed.contracts import check_spec
from swarmbed.spec.settings import setting

Failures = Callable[..., dict[str, str]]


@pytest.mark.parametrize(
    ("family", "spec"),
    [("tasks", Points), ("embeddings", Average), ("networks", Linear), ("algorithms", Climb), ("controllers", Still)],
)
def test_an_honest_spec_passes_every_check(family: str, spec: type) -> None:
    outcomes = list(check_spec(family, "it", spec))
    assert [outcome for outcome in outcomes if not outcome.passed] == []
    assert len(outcomes) >= 8


class Undecorated(Average):
    """Its new setting is none."""

    more: int = setting(1, "never seen")


@dataclass(frozen=True)
class Helpless(Average):
    """A setting without a word about it."""

    more: int = 1


@dataclass(frozen=True)
class Wordless(Average):
    pass


@dataclass(frozen=True)
class Clashing(Average):
    """--seed belongs to train."""

    seed: int = setting(0, "which numbers")


@dataclass(frozen=True)
class Intruder(Average):
    """--hidden belongs to the network that it is trained with."""

    hidden: int = setting(3, "what nobody sees")


@dataclass(frozen=True)
class Nested(Average):
    """A setting that no word on the command line can say."""

    inner: Average | None = setting(None, "another one")  # noqa: RUF009


@dataclass(frozen=True)
class Growing(Average):
    """Changes its own settings."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "units", 2 * self.units)


@pytest.mark.parametrize(
    ("spec", "check", "words"),
    [
        (Undecorated, "is a frozen dataclass", "Undecorated is not decorated"),
        (Helpless, "every setting has a default and a help text", "setting more has no help text"),
        (Wordless, "every setting has a default and a help text", "no docstring"),
        (Clashing, "settings become flags", "the flag --seed, which train has already"),
        (Intruder, "settings become flags", "the flag --hidden, which network perceptron has already"),
        (Nested, "settings become flags", "setting inner is Average or left out, which no flag can give"),
        (Growing, "settings survive a file", "settings change"),
    ],
)
def test_settings_that_cannot_be_used_are_found(spec: type, check: str, words: str, failures: Failures) -> None:
    found = failures("embeddings", spec)
    assert list(found) == [check]
    assert words in found[check]


def test_after_an_essential_check_fails_the_rest_is_not_run() -> None:
    outcomes = list(check_spec("embeddings", "it", Undecorated))
    assert [outcome.skipped for outcome in outcomes] == [False] + [True] * (len(outcomes) - 1)
