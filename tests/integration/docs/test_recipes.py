"""The recipes in docs/extending.md: each is a complete file that keeps the contract."""

import re
from pathlib import Path

import pytest

from swarmbed.cli.main import main
from swarmbed.spec import registry

PAGE = Path(__file__).parents[3] / "docs" / "extending.md"
RECIPES = dict(re.findall(r"^```python\n# (\w+\.py)\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL))


pytestmark = pytest.mark.usefixtures("plugins_leave_no_trace")


def test_there_is_a_recipe_for_each_family() -> None:
    recipes = ["homing.py", "centre.py", "extremes.py", "average.py", "reinforce.py", "circle.py"]
    assert list(RECIPES) == recipes


@pytest.mark.parametrize(("name", "text"), RECIPES.items(), ids=RECIPES.keys())
def test_a_recipe_keeps_the_contract(
    name: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    # Controllers are tried on every task; this one compiles quickly.
    monkeypatch.setattr(registry.tasks, "members", {"rendezvous": registry.tasks.get("rendezvous")})
    code = main(["check", str(tmp_path / name)])
    assert code == 0, capsys.readouterr().out
