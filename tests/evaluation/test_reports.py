"""Whether a result can be written is known before the work."""

import re
from pathlib import Path

import pytest

from swarmbed import SwarmbedError
from swarmbed.cli.main import main
from swarmbed.evaluation.reports import check_output, plain_table, show


def test_a_place_that_can_be_written_is_fine(tmp_path: Path) -> None:
    check_output(None, "--json")
    check_output(str(tmp_path / "a.json"), "--json")
    check_output(str(tmp_path / "new" / "newer" / "a.json"), "--json")
    check_output("/dev/null", "--json")
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SwarmbedError, match=r"--json cannot be written: .*file is not a folder"):
        check_output(str(tmp_path / "file" / "new" / "a.json"), "--json")


def test_a_folder_without_the_right_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)  # root may write everywhere
    with pytest.raises(SwarmbedError, match=rf"--json cannot be written: there is no right to write to {tmp_path}"):
        check_output(str(tmp_path / "a.json"), "--json")


@pytest.mark.parametrize("place", ["n" * 300 + ".json", "a/" * 3000 + "a.json"])
def test_a_name_that_is_too_long_is_refused_before_anything_runs(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("swarmbed.cli.commands.evaluate.evaluate", lambda *_, **__: pytest.fail("it was run"))
    assert main(["evaluate", "consensus", "--json", str(tmp_path / place)]) == 2
    said = capsys.readouterr().err
    assert said.startswith("swarmbed: File name too long: ") and said.count("\n") == 1


@pytest.mark.parametrize(
    ("columns", "shown"),
    [
        (26, ["who                 return", "consensus   −11.23 [−12.5,", "                   −10.25]"]),
        (18, ["who: consensus", "  return: −11.23", "  [−12.5, −10.25]"]),
    ],
)
def test_a_narrow_terminal_cuts_no_number_off(
    columns: int, shown: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"COLUMNS": str(columns), "FORCE_COLOR": "1", "TERM": "xterm"}.items():
        monkeypatch.setenv(name, value)
    table = plain_table()
    table.add_column("who")
    table.add_column("return", justify="right")
    table.add_row("consensus", "−11.23 [−12.5, −10.25]")
    show("title", table)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines()
    assert [line.rstrip() for line in lines] == ["title", *shown]
