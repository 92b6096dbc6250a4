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
        ("8 × 8, β = −10⁻³", "8 x 8, beta = -10^-3"),
        ("1024³ γᵗ", "1024^3 gamma^t"),
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


def test_a_list_in_eighty_columns_breaks_no_name(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["list", "policies"]) == 0
    policies, champions = capsys.readouterr().out.split("champions:")
    rows = [line for line in policies.splitlines() if line.startswith("multi-pursuit-")]
    assert rows and all(" multi_pursuit " in row for row in rows)
    best = [line.split()[0] for line in champions.splitlines() if line.startswith("multi-pursuit-")]
    assert best and best[0] in policies


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


def test_help_is_a_command_as_well(capsys: pytest.CaptureFixture[str]) -> None:
    for word, flag in ((["help"], ["--help"]), (["help", "list"], ["list", "--help"])):
        said = []
        for arguments in (word, flag):
            try:
                assert main(arguments) == 0
            except SystemExit as ended:  # argparse's own help
                assert ended.code == 0
            said.append(capsys.readouterr().out)
        assert said[0] == said[1] != ""


def test_help_fits_forty_columns(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert main(["--help"]) == 0
    *lines, _, _ = capsys.readouterr().out.splitlines()  # the example at the end is there to be copied
    assert max(map(len, lines)) <= 40
