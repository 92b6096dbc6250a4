"""--agents takes a number, a range or a list, and says so."""

import pytest

from swarmbed.cli.main import main


@pytest.mark.parametrize("text", ["few", "5..", "7..5", "0..3", "3,,4"])
def test_anything_else_is_one_sentence(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "rendezvous", "--agents", text]) == 2
    words = f"must be a whole number, a range such as 5..20 or a list such as 5,10,20, not {text!r}"
    assert words in capsys.readouterr().err
