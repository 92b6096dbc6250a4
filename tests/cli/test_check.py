"""swarmbed check, from the command line: what it says about files that are fine, broken, unfinished or not there."""

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from swarmbed.cli.main import main
from swarmbed.spec import registry

HONEST = '''
from dataclasses import dataclass

from swarmbed.embeddings.base import Embedding, clear, mean_over_present
from swarmbed.spec.settings import setting


@dataclass(frozen=True)
class Scaled(Embedding):
    """The mean element, times a number."""

    factor: float = setting(2.0, "what the mean is multiplied by")

    def prepare(self, layout, elements, mask):
        return self.factor * mean_over_present(clear(elements, mask), mask)
'''
UNFINISHED = '''
from dataclasses import dataclass

from swarmbed.tasks.base import Task


@dataclass(frozen=True)
class Half(Task):
    """Only two of five functions."""

    def initial(self, key):
        return None

    def terminated(self, state):
        return False
'''


@pytest.fixture(autouse=True)
def plugins_leave_no_trace() -> Iterator[None]:
    before = {family.folder: dict(family.all()) for family in registry.FAMILIES}
    modules = set(sys.modules)
    yield
    for family in registry.FAMILIES:
        family.members.clear()
        family.members.update(before[family.folder])
    for name in set(sys.modules) - modules:
        if name.startswith("swarmbed_plugin_"):
            del sys.modules[name]


def write(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def test_a_file_that_keeps_the_contract_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", write(tmp_path, "scaled.py", HONEST)]) == 0
    told = capsys.readouterr().out
    assert told.startswith("embedding scaled\n  ✓ is a frozen dataclass\n")
    assert told.endswith("12 passed, 0 failed\n")


def test_a_broken_promise_is_explained_with_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = HONEST.replace("mean_over_present(clear(elements, mask), mask)", "clear(elements, mask).sum(1)")
    assert main(["check", write(tmp_path, "scaled.py", broken)]) == 2
    told = capsys.readouterr()
    words = " ".join(told.out.split())
    assert "✗ doubling every element changes nothing where that is declared found a set in which every element" in words
    assert "why means and maxima do not count" in words
    assert "do divide sums by the number of elements, or declare it" in words
    assert "11 passed, 1 failed" in words
    assert told.err == "swarmbed: check: scaled does not keep the contract\n"


def test_an_error_names_the_line_of_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = HONEST.replace("return self.factor", "return self.factr")
    path = write(tmp_path, "scaled.py", broken)
    assert main(["check", path]) == 2
    line = 1 + broken.splitlines().index("        return self.factr * mean_over_present(clear(elements, mask), mask)")
    assert f"(line {line} of scaled.py)" in " ".join(capsys.readouterr().out.split())


def test_a_class_that_is_not_finished_is_told_what_it_lacks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", write(tmp_path, "half.py", UNFINISHED)]) == 2
    assert "Half is incomplete: it has to define observe, reward, transition" in capsys.readouterr().out


def test_a_base_class_that_another_one_completes_is_no_trouble(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = HONEST.replace("class Scaled(Embedding):", "class Base(Embedding):").split("    def prepare")[0]
    rest = HONEST.split("@dataclass")[1].replace("Scaled(Embedding)", "Scaled(Base)")
    assert main(["check", write(tmp_path, "scaled.py", f"{base}\n@dataclass{rest}")]) == 0
    assert "not finished" not in capsys.readouterr().out


def test_a_name_that_is_taken_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", write(tmp_path, "neural.py", HONEST)]) == 2
    assert "the embedding 'neural' already exists; give the file another name" in capsys.readouterr().out


def test_something_installed_is_checked_by_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "moments"]) == 0
    assert capsys.readouterr().out.startswith("embedding moments\n")


def test_a_file_of_an_installed_package_is_checked_under_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(Path(inspect.getfile(registry.embeddings.get("moments"))))]) == 0
    assert capsys.readouterr().out.startswith("embedding moments\n")


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("empty.py", "x = 1\n", "defines no concrete Task, Embedding, Network, Algorithm, Controller"),
        ("wrong.py", "x = \n", "cannot be loaded: SyntaxError"),
        ("zero.py", "\nx = 1 / 0\n", "cannot be loaded: ZeroDivisionError: division by zero (line 2 of zero.py)"),
    ],
)
def test_a_file_without_anything_to_check_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, sentence: str
) -> None:
    assert main(["check", write(tmp_path, name, text)]) == 2
    told = capsys.readouterr().err
    assert sentence in told
    assert told.count("\n") == 1


@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        ("nowhere.py", "file nowhere.py does not exist"),
        ("no/where", "file no/where does not exist"),
        (".", ". is a folder; name the Python files in it"),
        ("nothing", "'nothing' is neither a file nor the name of a task, embedding, network, algorithm or controller"),
        ("rendezvos", "did you mean 'rendezvous'?"),
    ],
)
def test_what_is_not_there_is_named_in_one_sentence(
    what: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", what]) == 2
    told = capsys.readouterr().err
    assert sentence in told
    assert told.count("\n") == 1
