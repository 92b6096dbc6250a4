"""Strengths on the command line: one number, or a range of which every episode draws one."""

from argparse import Namespace
from typing import Any

import pytest

from swarmbed.cli.flags import Parser, add_flags, given
from swarmbed.cli.main import main
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks.rendezvous import Rendezvous


def parsed(*argv: str) -> dict[str, Any]:
    parser = Parser("test", "", "")
    add_flags(parser, Rendezvous, "settings")
    options: Namespace = parser.parse(argv)
    return given(options, Rendezvous)


@pytest.mark.parametrize(
    ("argv", "wanted"),
    [
        (("--message-loss", "0.3"), {"message_loss": 0.3}),
        (("--message-loss", "0..0.3"), {"message_loss": (0.0, 0.3)}),
        (("--message-delay", "2..5"), {"message_delay": (2, 5)}),
        (("--contrary-agents", "1"), {"contrary_agents": 1}),
        ((), {}),
    ],
)
def test_a_range_is_two_numbers_with_two_dots_between(argv: tuple[str, ...], wanted: dict[str, Any]) -> None:
    assert parsed(*argv) == wanted


@pytest.mark.parametrize("text", ["lots", "0..", "0..x", "0.1..0.2..0.3"])
def test_what_is_neither_is_refused(text: str) -> None:
    with pytest.raises(SwarmbedError, match="--message-loss: must be a number, or a range such as"):
        parsed("--message-loss", text)


def test_steps_are_whole() -> None:
    with pytest.raises(SwarmbedError, match="--message-delay: must be a whole number, or a range such as"):
        parsed("--message-delay", "0..1.5")


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--message-loss", "2"], "--message-loss must be a number between 0 and 1, or a range of two, not 2.0"),
        (["--message-loss", "0.3..0.1"], "the lower first"),
    ],
)
def test_a_command_answers_in_one_sentence(flags: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "consensus", "--task", "rendezvous", *flags]) == 2
    error = capsys.readouterr().err
    assert words in error and len(error.splitlines()) == 1
