"""--preset on the command line."""

from pathlib import Path

import pytest

from swarmbed.cli.main import main
from swarmbed.learn.schedule import schedules_for
from swarmbed.run.folder import RunFolder
from swarmbed.run.settings import RunSettings
from swarmbed.run.train import learner_from
from swarmbed.spec.presets import RECIPES, preset
from swarmbed.spec.settings import build

DRIFT = Path(__file__).parents[2] / "toy_task.py"
TINY = [
    "--environments", "2", "--segment", "8", "--sampled-agents", "2", "--embedding", "moments", "--hidden", "4",
    "--iterations", "1", "--no-video", "--no-curve", "--no-progress",
]  # fmt: skip
SMALL = ["--agents", "2", "--horizon", "8"]
pytestmark = pytest.mark.usefixtures("plugins_leave_no_trace", "toy_programs_are_kept")


@pytest.mark.parametrize("algorithm", ["trpo", "ppo"])
def test_a_preset_holds_for_whichever_algorithm_is_named(algorithm: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    task = ["toy_task", "--plugin", str(DRIFT)]
    assert main(["train", *task, "--preset", "calm", "--algorithm", algorithm, "--out", str(out), *TINY]) == 0
    section = RunFolder(out).read_config()["algorithm"]
    assert (section["name"], section["initial_log_std"]) == (algorithm, -0.7)


def test_the_recipe_is_the_one_of_the_task(tmp_path: Path) -> None:
    out = tmp_path / "run"
    assert main(["train", "pursuit", "--preset", "recipe", "--out", str(out), *SMALL, *TINY]) == 0
    settings = RunFolder(out).read_config()
    assert settings["run"]["schedule"] == RECIPES["pursuit-global"]["run"]["schedule"]
    assert settings["task"]["approach_cost"] == 0.0  # what the policy is for is the task itself


def test_a_schedule_joins_that_of_the_preset_and_replaces_one_of_the_same_setting(tmp_path: Path) -> None:
    given = ["capture_radius=3:0,1:60", "approach_cost=1:0,0:5"]
    for number, more in enumerate(given):
        out = str(tmp_path / str(number))
        assert main(["train", "pursuit", "--preset", "recipe", "--schedule", more, "--out", out, *SMALL, *TINY]) == 0
    schedules = [RunFolder(tmp_path / str(number)).read_config()["run"]["schedule"] for number in range(2)]
    assert schedules == [[*RECIPES["pursuit-global"]["run"]["schedule"], given[0]], [given[1]]]


def test_a_task_without_a_recipe_says_which_have_one(capsys: pytest.CaptureFixture[str]) -> None:
    task = ["toy_task", "--plugin", str(DRIFT)]
    assert main(["train", *task, "--preset", "recipe"]) == 2
    assert capsys.readouterr().err == (
        f"swarmbed: there is no recipe for task 'toy_task'; there are recipes for {', '.join(RECIPES)}\n"
    )


@pytest.mark.parametrize("variant", RECIPES)
def test_every_recipe_is_a_valid_configuration(variant: str) -> None:
    settings = preset("recipe", variant)
    learner = learner_from(settings | {"task": {"name": variant} | settings.get("task", {})})
    run = build(RunSettings, settings["run"], "section [run]")
    assert schedules_for(run.schedule, learner.task, learner.algorithm)
