"""The frame of the command line: what is printed where, and the exit code."""

import errno
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import swarmbed
from swarmbed import SwarmbedError
from swarmbed.cli import main as cli
from swarmbed.cli.main import command_names, main
from swarmbed.spec import registry


def assert_one_sentence(capsys: pytest.CaptureFixture[str]) -> str:
    """Nothing on stdout, one line on stderr that names the program, no traceback. Returns the line."""
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("swarmbed: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_without_a_command_the_usage_lists_them_all(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    assert out.startswith("usage: swarmbed COMMAND")
    assert err == ""
    for name in command_names():
        assert f"\n  {name} " in out


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"swarmbed {swarmbed.__version__}\n"


def test_list_names_every_plugin_and_every_variant(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    assert main(["list"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    for family in registry.FAMILIES:
        for name in family.all():
            assert f"\n{name} " in out
    for variant in registry.tasks.variants:
        assert f"\n{variant} " in out


def test_list_of_one_kind_leaves_the_others_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "controllers"]) == 0
    out = capsys.readouterr().out
    assert "random" in out
    assert "rendezvous" not in out


def test_help_of_a_command_shows_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["list", "--help"])
    assert ended.value.code == 0
    out = capsys.readouterr().out
    assert out.startswith("usage: swarmbed list")
    assert "example:\n  swarmbed list\n" in out


def test_an_unknown_command_is_refused_and_the_known_ones_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lits"]) == 2
    line = assert_one_sentence(capsys)
    assert "command 'lits' does not exist; did you mean 'list'?" in line
    assert ", ".join(command_names()) in line


@pytest.mark.parametrize("flag", ["--bogus", "--hepl", "--bogus=3"])
def test_an_unknown_flag_is_refused_and_named(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", flag]) == 2
    assert f"'{flag}' is not an option here" in assert_one_sentence(capsys)


def test_a_misspelt_flag_is_refused_with_a_guess(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--hlep"]) == 2
    assert "did you mean --help?" in assert_one_sentence(capsys)


def test_a_wrong_choice_is_refused_and_the_right_ones_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "animals"]) == 2
    line = assert_one_sentence(capsys)
    assert "animals" in line
    for family in registry.FAMILIES:
        assert family.folder in line


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> Any:
    """``command(error)`` makes ``swarmbed probe`` a command that raises it."""

    def install(error: BaseException) -> None:
        def run(argv: list[str]) -> None:
            raise error

        module = ModuleType("swarmbed.cli.commands.probe")
        module.run = run  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "swarmbed.cli.commands.probe", module)
        monkeypatch.setattr(cli, "command_names", lambda: ["probe"])

    return install


def test_a_mistake_of_the_user_is_one_sentence(command: Any, capsys: pytest.CaptureFixture[str]) -> None:
    command(SwarmbedError("comm_radius must be a positive number, not -1"))
    assert main(["probe"]) == 2
    assert assert_one_sentence(capsys) == "swarmbed: comm_radius must be a positive number, not -1\n"


def test_a_name_with_line_breaks_does_not_make_a_second_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "--plugin", "a\nswarmbed: all is well\u2028b"]) == 2
    line = assert_one_sentence(capsys)
    assert line == "swarmbed: plugin file a\\nswarmbed: all is well\\u2028b does not exist\n"


def test_a_path_with_line_breaks_does_not_make_a_second_sentence(
    command: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    command(PermissionError(13, "Permission denied", "runs/a\nb"))
    assert main(["probe"]) == 2
    assert assert_one_sentence(capsys) == "swarmbed: Permission denied: runs/a\\nb\n"


@pytest.mark.parametrize(
    "line", ["export consensus --plugin=--", "submit x --board y --json=--", "evaluate random --json=--"]
)
def test_two_dashes_are_no_value(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(line.split()) == 2
    assert "cannot be '--'" in assert_one_sentence(capsys)


def test_too_little_memory_is_one_sentence(command: Any, capsys: pytest.CaptureFixture[str]) -> None:
    command(MemoryError("Unable to allocate 7 TiB"))
    assert main(["probe"]) == 2
    said = assert_one_sentence(capsys)
    assert said == "swarmbed: there is not enough memory for this; ask for less (Unable to allocate 7 TiB)\n"


def test_a_mistake_of_ours_is_not_hidden(command: Any) -> None:
    command(ZeroDivisionError("ours"))
    with pytest.raises(ZeroDivisionError):
        main(["probe"])


def test_a_folder_that_may_not_be_written_is_one_sentence(command: Any, capsys: pytest.CaptureFixture[str]) -> None:
    command(PermissionError(13, "Permission denied", "runs/first"))
    assert main(["probe"]) == 2
    assert assert_one_sentence(capsys) == "swarmbed: Permission denied: runs/first\n"


def test_stopping_by_keyboard_has_its_own_exit_code(command: Any, capsys: pytest.CaptureFixture[str]) -> None:
    command(KeyboardInterrupt())
    assert main(["probe"]) == 130
    assert assert_one_sentence(capsys) == "swarmbed: stopped\n"


@pytest.mark.parametrize("number", [errno.ENAMETOOLONG, errno.EFBIG, errno.EIO])
def test_every_error_of_the_operating_system_is_one_sentence(
    number: int, command: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    command(OSError(number, os.strerror(number), "some/file"))
    assert main(["probe"]) == 2
    assert assert_one_sentence(capsys) == f"swarmbed: {os.strerror(number)}: some/file\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_output_to_a_full_device_is_one_sentence() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "swarmbed", "--version"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 2
    assert done.stderr == "swarmbed: No space left on device: the output\n"


@pytest.mark.parametrize(
    ("command", "usage"),
    [
        ("evaluate", "swarmbed evaluate WHO [options]"),
        ("compare", "swarmbed compare WHO [WHO ...] [options]"),
        ("render", "swarmbed render WHO --out FILE [options]"),
        ("view", "swarmbed view [WHO] [options]"),
    ],
)
def test_the_usage_names_what_must_be_given(command: str, usage: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    assert capsys.readouterr().out.splitlines()[0] == f"usage: {usage}"
