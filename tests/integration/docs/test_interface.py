"""docs/interface.md: it runs from top to bottom, in five lines a block, with names of the top level only."""

import ast
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import swarmbed

pytest.importorskip("swarmbed.interop.gymnasium")  # also registers its ids before the page defines tasks

PAGE = (Path(__file__).parents[3] / "docs" / "interface.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
IDS = [block.splitlines()[0][:50] for block in BLOCKS]
LONGEST, LONGEST_CLASS = 5, 10
# Loaded before compilations are shortened, which is for functions that are compiled alone: libraries nest theirs.
EXPORTED = {name: getattr(swarmbed, name) for name in swarmbed.__all__}


def lines_of(block: str) -> int:
    return sum(bool(line.strip()) for line in block.splitlines())


def holds_only(block: str, *kinds: type[ast.stmt]) -> bool:
    return all(isinstance(statement, kinds) for statement in ast.parse(block).body)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory, short_compilations: None) -> dict[str, Any]:
    """What is there after all blocks have run, one after the other, in an empty folder."""
    from swarmbed.spec import registry

    before = {family.folder: dict(family.all()) for family in registry.FAMILIES}
    names: dict[str, Any] = {"__name__": "__main__"}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("notebook"))
        for name, block in zip(IDS, BLOCKS, strict=True):
            exec(compile(block, f"interface.md, block {name!r}", "exec"), names)
        names["files"] = {str(path) for path in Path().rglob("*") if path.is_file()}
    for family in registry.FAMILIES:
        family.members.clear()
        family.members.update(before[family.folder])
    return names


@pytest.mark.parametrize("block", BLOCKS, ids=IDS)
def test_a_block_is_short(block: str) -> None:
    if holds_only(block, ast.Import):
        assert lines_of(block) == 1
    else:
        assert lines_of(block) <= (LONGEST_CLASS if holds_only(block, ast.ClassDef) else LONGEST)


@pytest.mark.parametrize("block", BLOCKS, ids=IDS)
def test_a_block_uses_top_level_names_only(block: str) -> None:
    tree = ast.parse(block)
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    attributes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    used = {node.attr for node in attributes if isinstance(node.value, ast.Name) and node.value.id == "swarmbed"}
    assert used <= {*EXPORTED, "interop"} - {"make_task"}


def test_everything_exported_is_in_the_table() -> None:
    listed = {name for row in re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    assert listed == set(EXPORTED)


def test_environments_are_functions(page: dict[str, Any]) -> None:
    assert page["steps"].reward.shape == (64,)
    assert page["episode_rewards"].shape == (10,)
    assert int(page["last"].age) == 10
    # A turn comes too late to change a position in the same step, so only the first number of the last action matters.
    gradient = np.asarray(page["gradient"])
    assert np.isfinite(gradient).all()
    assert np.abs(gradient[0]).min() > 0


def test_an_environment_that_resets_itself_begins_anew(page: dict[str, Any]) -> None:
    step = page["endless"](page["key"], page["late"], page["env"].sample_action(page["action_key"]))
    assert (bool(step.truncated), int(step.state.age), int(step.info["final_state"].age)) == (True, 0, 10)


def test_training_gives_policies_rows_and_figures(page: dict[str, Any]) -> None:
    assert [row["iteration"] for row in page["result"].metrics] == [1, 2]
    assert [row["iteration"] for row in page["longer"].metrics] == [1, 2, 3]
    assert len(page["stopped"].metrics) == 1
    assert page["results"].seeds == (0, 1)
    assert len(page["results"].plot().figure.axes[0].collections) == 1  # the band
    assert page["metrics"]["kl"].shape == (2,)


def test_policies_act_and_load(page: dict[str, Any]) -> None:
    mean, drawn = np.asarray(page["mean"]), np.asarray(page["drawn"])
    assert mean.shape == (3, 2)
    assert not np.allclose(mean, drawn)
    np.testing.assert_allclose(page["actions"], drawn, rtol=1e-5)
    np.testing.assert_allclose(page["policy"](page["huddle"].observe(page["state"])), mean, rtol=1e-5)


def test_a_metric_of_ones_own_is_shown_with_label_and_unit(page: dict[str, Any]) -> None:
    evaluation = swarmbed.evaluate("random", page["watched"], episodes=2, progress=False)
    assert "mean speed after 10" in str(evaluation)
    assert len(evaluation.summary()["speed"]) == 11


def test_files_are_written_where_the_page_says(page: dict[str, Any]) -> None:
    runs = {f"runs/{name}/policy.safetensors" for name in ("huddle", "seeds/seed-0", "seeds/seed-1", "stopped")}
    assert page["files"] >= {"comparison.png", "episode.png", "huddle.safetensors", *runs}


def test_pictures_are_shown(page: dict[str, Any]) -> None:
    assert page["episode"]._repr_html_().startswith("<iframe")
    assert page["picture"].ndim == 3
    assert "</table>" in page["comparison"]._repr_html_() or "<pre" in page["comparison"]._repr_html_()
