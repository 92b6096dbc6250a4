"""Commands that messages suggest can be pasted into the shell that started the program."""

import shutil

import pytest

from swarmbed.spec.program import program


@pytest.mark.parametrize(
    ("typed", "found", "suggested"),
    [
        (".venv/bin/swarmbed", None, ".venv/bin/swarmbed"),
        (".venv/bin/swarmbed", "/usr/bin/swarmbed", "swarmbed"),
        ("swarmbed/__main__.py", None, "swarmbed"),
        ("notebook.py", None, "swarmbed"),
    ],
)
def test_the_program_is_called_as_the_shell_finds_it(
    typed: str, found: str | None, suggested: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", [typed])
    monkeypatch.setattr(shutil, "which", lambda name: found)
    assert program() == suggested
