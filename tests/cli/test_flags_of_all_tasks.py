"""Without --task, a command offers the settings of all tasks, and no default where theirs differ."""

import re

import pytest

from swarmbed.cli.main import main
from swarmbed.spec import registry


@pytest.fixture(autouse=True)
def only_built_in_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    known = registry.tasks.all().items()
    built_in = {name: kind for name, kind in known if kind.__module__.startswith("swarmbed.tasks.")}
    monkeypatch.setattr(registry.tasks, "members", built_in)


def helped(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit):
        main([*words, "--help"])
    return re.sub(r"\s+", " ", capsys.readouterr().out)


def test_choices_are_those_of_all_tasks(capsys: pytest.CaptureFixture[str]) -> None:
    # multi_pursuit, the first of them, has no comm; pursuit and rendezvous do.
    (choices,) = re.findall(r"--observe \{([\w,]+)\}", helped(["evaluate"], capsys))
    assert sorted(choices.split(",")) == ["basic", "comm", "displacement", "extended"]


def test_a_default_that_differs_between_tasks_is_left_to_the_task(capsys: pytest.CaptureFixture[str]) -> None:
    told = helped(["evaluate"], capsys)
    assert "every episode draws one (default: the task's)" in told
    assert "an episode is truncated (default: 1024)" in told  # the same in every task


def test_a_named_task_shows_its_own_default(capsys: pytest.CaptureFixture[str]) -> None:
    assert "every episode draws one (default: 10)" in helped(["evaluate", "--task", "pursuit"], capsys)
