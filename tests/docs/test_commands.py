"""Every command in the documentation is one that the program takes: its flags exist, and their values are allowed."""

import itertools
import re
import shlex
from pathlib import Path

import pytest

from swarmbed.cli.flags import parser_of
from swarmbed.cli.main import command_names
from swarmbed.spec import registry

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(swarmbed \w+ [^`]+)`")  # with arguments; without, a sentence speaks of the command
FILE = re.compile(r"^```python\n# (\w+\.py)\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(rf"swarmbed ({'|'.join(command_names())})\b(?!.*--help)")
PLACEHOLDER = re.compile(r"(^|[^\w+])([A-Z]{2,}|N|…)([^\w+=]|$)")


def commands_of(page: str) -> list[str]:
    """Those in blocks and those in sentences, without the ones that leave something for the reader to fill in."""
    blocks = "".join(code for kind, code in BLOCK.findall(page) if kind in ("", "bash")).replace("\\\n", " ")
    inline = [" ".join(command.split()) for command in INLINE.findall(re.sub(BLOCK, "", page))]
    lines = [line for line in [*blocks.splitlines(), *inline] if COMMAND.match(line)]
    found = [shlex.join(shlex.split(line, comments=True)) for line in lines]
    return [command for command in dict.fromkeys(found) if not PLACEHOLDER.search(command)]


COMMANDS = [(page.name, command) for page in PAGES for command in commands_of(page.read_text(encoding="utf-8"))]


@pytest.fixture
def readers_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a reader is who has followed a page: the files that it shows are there."""
    monkeypatch.chdir(tmp_path)
    for page in PAGES:
        for name, code in FILE.findall(page.read_text(encoding="utf-8")):
            (tmp_path / name).write_text(code, encoding="utf-8")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    run = tmp_path / "runs" / "pursuit"
    run.mkdir(parents=True)
    (run / "config.toml").write_text('[task]\nname = "pursuit"\n')


@pytest.mark.usefixtures("readers_folder", "plugins_leave_no_trace")
@pytest.mark.parametrize(("page", "command"), COMMANDS)
def test_a_command_is_taken(page: str, command: str) -> None:
    name, *words = shlex.split(command)[1:]
    parser_of(name, words).parse(words)


def test_a_flag_in_a_sentence_or_a_table_exists() -> None:
    """Of some command; which one, the sentence says."""
    known = {"--stored"}  # of benchmarks/run.py
    for name in command_names():
        known |= options_of(name)
    for task, (embedding, algorithm) in itertools.product(
        registry.tasks.all(), itertools.zip_longest(registry.embeddings.all(), registry.algorithms.all())
    ):
        known |= options_of("train", task, *chosen("embedding", embedding), *chosen("algorithm", algorithm))
    for page in PAGES:
        for code in re.findall(r"`(--[^`]+)`", re.sub(BLOCK, "", page.read_text(encoding="utf-8"))):
            assert set(re.findall(r"--[a-z][a-z-]*", code)) <= known, (page.name, code)


def options_of(command: str, *words: str) -> set[str]:
    return {option for action in parser_of(command, words)._actions for option in action.option_strings}


def chosen(kind: str, name: str | None) -> tuple[str, ...]:
    return () if name is None else (f"--{kind}", name)


def test_there_are_commands_to_try() -> None:
    assert len(COMMANDS) > 80
