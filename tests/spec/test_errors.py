"""Errors are one line, whatever is quoted in them."""

import pytest

import swarmbed
from swarmbed.spec import registry
from swarmbed.spec.errors import SwarmbedError, one_line


def test_a_sentence_without_line_breaks_stays_as_it_is() -> None:
    sentence = "comm_radius must be > 0, not −1 “é” 𝄞"
    assert one_line(sentence) == sentence


@pytest.mark.parametrize("code", [0x0A, 0x0D, 0x0B, 0x0C, 0x1C, 0x85, 0x2028, 0x2029, 0x1B, 0x00, 0x202E, 0xD800])
def test_what_breaks_a_line_or_does_not_show_is_escaped(code: int) -> None:
    sentence = one_line(f"a{chr(code)}b")
    assert sentence.isprintable()
    assert len(sentence.splitlines()) == 1
    assert sentence.encode("ascii").decode("unicode_escape") == f"a{chr(code)}b"


def test_an_error_is_one_line() -> None:
    assert str(SwarmbedError("file a\nb is damaged")) == r"file a\nb is damaged"


def test_an_error_is_one_line_from_python_too() -> None:
    with pytest.raises(swarmbed.SwarmbedError, match=r"^plugin file \\n does not exist$"):
        registry.load_plugin("\n")
