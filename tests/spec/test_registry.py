"""Plug-ins: every file is a name, and other people's files join."""

from dataclasses import dataclass
from pathlib import Path

import pytest

import swarmbed
from swarmbed import SwarmbedError, make
from swarmbed.cli.main import main
from swarmbed.spec import registry
from swarmbed.spec.registry import load_plugin
from swarmbed.tasks.rendezvous import Rendezvous

STAMPEDE = '''
from dataclasses import dataclass

from swarmbed.spec.settings import setting
from swarmbed.tasks.rendezvous import Rendezvous


@dataclass(frozen=True)
class Stampede(Rendezvous):
    """Everybody away from everybody."""

    panic: float = setting(0.5, "how much")

    def reward(self, state, action, next_state):
        return -super().reward(state, action, next_state)
'''


pytestmark = pytest.mark.usefixtures("plugins_leave_no_trace")


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_the_tasks_are_named_after_their_files() -> None:
    assert {"rendezvous", "pursuit", "multi_pursuit"} <= set(registry.tasks.all())


def test_abstract_bases_are_no_tasks() -> None:
    assert not {"base", "swarm", "evasion", "swarmtask", "evasiontask"} & set(registry.tasks.all())


def test_named_variants_are_accepted_as_tasks() -> None:
    assert {"rendezvous-local", "pursuit-local", "multi-pursuit"} <= set(registry.tasks.names())


def test_a_spec_knows_its_name() -> None:
    assert registry.tasks.name_of(make("rendezvous-local", num_agents=2)) == "rendezvous"


def test_a_task_in_a_plugin_file_is_found_by_the_files_name(tmp_path: Path) -> None:
    assert load_plugin(write(tmp_path, "stampede.py", STAMPEDE)) == {"tasks": ["stampede"]}
    task = make("stampede", num_agents=3, panic=1)
    assert task.num_agents == 3
    assert registry.tasks.name_of(task) == "stampede"
    assert "stampede" in registry.tasks.names()


def test_settings_of_a_plugin_are_checked_like_any_other(tmp_path: Path) -> None:
    load_plugin(str(write(tmp_path, "stampede.py", STAMPEDE)))
    with pytest.raises(SwarmbedError, match=r"^task 'stampede': panic must be a number, not 'much'$"):
        make("stampede", panic="much")


def test_several_tasks_in_one_file_are_named_after_their_classes(tmp_path: Path) -> None:
    two = STAMPEDE + STAMPEDE.replace("class Stampede", "class Panic")
    assert load_plugin(write(tmp_path, "herd.py", two)) == {"tasks": ["panic", "stampede"]}


def test_a_missing_plugin_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SwarmbedError, match=r"^plugin file .*nowhere\.py does not exist$"):
        load_plugin(tmp_path / "nowhere.py")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import no_such_library_anywhere", "ModuleNotFoundError: No module named 'no_such_library_anywhere'"),
        ("def broken(:", "SyntaxError"),
        ("1 / 0", "ZeroDivisionError"),
    ],
)
def test_a_broken_plugin_file_is_named_with_the_reason(text: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(SwarmbedError) as caught:
        load_plugin(write(tmp_path, "broken.py", text))
    message = str(caught.value)
    assert message.startswith(f"plugin file {tmp_path / 'broken.py'} cannot be loaded: ")
    assert reason in message


def test_a_file_that_is_not_python_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SwarmbedError, match=r"notes\.txt is not a Python file$"):
        load_plugin(write(tmp_path, "notes.txt", STAMPEDE))


def test_a_plugin_file_without_a_spec_says_what_it_could_hold(tmp_path: Path) -> None:
    with pytest.raises(
        SwarmbedError, match=r"empty\.py defines no concrete Task, Embedding, Network, Algorithm, Controller$"
    ):
        load_plugin(write(tmp_path, "empty.py", "x = 1"))


def cell(name: str = "Stampede", module: str = "__main__") -> type:
    """A class as a notebook cell defines it."""
    return dataclass(frozen=True)(type(name, (Rendezvous,), {"__module__": module, "__qualname__": name}))


def test_a_class_from_a_cell_gets_a_name_when_it_is_first_used() -> None:
    assert registry.tasks.name_of(cell("MyStampede")()) == "my_stampede"
    assert make("my_stampede", num_agents=2).num_agents == 2


def test_a_cell_that_is_run_again_replaces_its_class() -> None:
    registry.tasks.name_of(cell()())
    newer = cell()
    assert registry.tasks.name_of(newer()) == "stampede"
    assert type(make("stampede")) is newer


def test_nothing_else_is_replaced() -> None:
    with pytest.raises(
        SwarmbedError, match=r"the task 'rendezvous' already exists; .* swarmbed\.register\(Rendezvous, name"
    ):
        registry.tasks.name_of(cell("Rendezvous")())
    assert type(make("rendezvous")) is Rendezvous


def test_a_class_is_registered_under_the_name_it_is_given() -> None:
    assert swarmbed.register(cell("Rendezvous"), name="meeting").__name__ == "Rendezvous"
    assert type(make("meeting")).__module__ == "__main__"


def test_what_is_no_plug_in_cannot_be_registered() -> None:
    with pytest.raises(SwarmbedError, match="register takes a class that derives from one of: Task, Embedding"):
        swarmbed.register(int)


@pytest.mark.parametrize(("name", "wanted"), [("MyTask", "my_task"), ("RBFNetwork", "rbf_network"), ("X", "x")])
def test_names_are_made_from_classes(name: str, wanted: str) -> None:
    assert registry.snake_case(name) == wanted


@pytest.mark.parametrize(
    "line", ["raise KeyError('x')", "import sys; sys.exit(7)", "raise BaseException('x')", "def ("]
)
def test_a_plugin_file_that_cannot_be_run_is_one_sentence(line: str, tmp_path: Path) -> None:
    with pytest.raises(SwarmbedError, match=r"plugin file .*broken\.py cannot be loaded: "):
        load_plugin(write(tmp_path, "broken.py", line))


CONTROLLER = """
from dataclasses import dataclass
from swarmbed.controllers.base import Controller
@dataclass(frozen=True)
class Bent(Controller):
    def __post_init__(self):
        {first}
    def control(self, task, state, key):
        raise ZeroDivisionError("where\\nto")
"""


@pytest.mark.parametrize(
    ("first", "words"),
    [
        ("raise RuntimeError('not today')", "RuntimeError: not today (line 7"),
        ("pass", "ZeroDivisionError: where (line 9"),
    ],
)
def test_an_error_in_a_plugin_names_its_line(
    first: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path, "bent.py", CONTROLLER.format(first=first))
    small = ["--task", "rendezvous", "--agents", "3", "--horizon", "5", "--episodes", "1"]
    assert main(["evaluate", "bent", "--plugin", str(file), *small]) == 2
    assert f"swarmbed: your plugin raised {words} of bent.py)\n" in capsys.readouterr().err


def test_an_error_of_ours_is_not_blamed_on_a_plugin() -> None:
    assert registry.blamed_on_a_plugin(RuntimeError("ours")) is None
