"""Readable everywhere: few columns, few characters, no terminal."""

import os
import subprocess
import sys

import pytest

from swarmbed.cli.main import main
from swarmbed.cli.plain import plain


@pytest.mark.parametrize(
    ("text", "ascii_text"),
    [
        ("compiling …", "compiling ..."),
        ("8 × 8, β = −10⁻³", "8 x 8, beta = -10-3"),
        ("ẋ = K₀ Σ", "x = K0 sum "),
        ("Šošić", "Sosic"),
        ("plain", "plain"),
        ("Δ ✓ ⠋ ━", "Delta ok * -"),
        ("水", "?"),
    ],
)
def test_every_character_has_plain_letters(text: str, ascii_text: str) -> None:
    assert plain(text) == ascii_text


@pytest.mark.parametrize("arguments", [["list"], ["--help"], ["list", "--help"], ["lits"]])
def test_output_without_unicode_is_readable_and_no_error(arguments: list[str]) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "COLUMNS": "40"}
    done = subprocess.run([sys.executable, "-m", "swarmbed", *arguments], capture_output=True, env=environment)
    assert done.returncode == (2 if arguments == ["lits"] else 0)
    said = done.stdout + done.stderr
    assert said.isascii()
    assert b"Traceback" not in said
    assert b"?" not in said.replace(b"did you mean 'list'?", b"")


@pytest.mark.parametrize("what", ["tasks", "policies", "algorithms"])
def test_a_list_in_forty_columns_keeps_names_whole(
    what: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert main(["list", what]) == 0
    out = capsys.readouterr().out
    names = {"tasks": "pursuit-local", "policies": "rendezvous-global-concatenation-extended", "algorithms": "trpo"}
    assert f"\n{names[what]}\n" in out
    assert max(map(len, out.splitlines())) <= 40
    assert "…" not in out


def test_help_fits_forty_columns(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert main(["--help"]) == 0
    *lines, _, _ = capsys.readouterr().out.splitlines()  # the example at the end is there to be copied
    assert max(map(len, lines)) <= 40
