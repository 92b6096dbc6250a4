"""swarmbed export, from the command line to the files."""

import json
from dataclasses import replace
from pathlib import Path

import jax.numpy as jnp
import pytest

from random_policies import ONE_SET, FarthestNeighbour, random_policy
from swarmbed import export
from swarmbed.cli.main import main
from swarmbed.embeddings.moments import Moments
from swarmbed.export import stablehlo
from swarmbed.export.description import describe
from swarmbed.spec import config
from swarmbed.tasks import make


@pytest.fixture(scope="module")
def policy_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("policies") / "meet.safetensors"
    return random_policy(ONE_SET, Moments(order=1), hidden=(8,)).save(path)


def test_the_ending_of_the_file_names_the_format(
    policy_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    assert main(["export", str(policy_file), "--out", str(tmp_path / "robot.h")]) == 0
    assert "robot_act(" in (tmp_path / "robot.h").read_text()
    assert "gives   action      acceleration, turning acceleration, in units of [-1, 1]" in capsys.readouterr().out


def test_without_a_file_name_the_policys_own_is_used(
    policy_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["export", str(policy_file), "--format", "c"]) == 0
    assert (tmp_path / "meet.h").is_file()


def test_stablehlo_has_its_description_beside_it(policy_file: Path, tmp_path: Path) -> None:
    assert main(["export", str(policy_file), "--out", str(tmp_path / "meet.stablehlo")]) == 0
    told = json.loads((tmp_path / "meet.stablehlo.json").read_text())
    assert [given["name"] for given in told["inputs"]] == ["local", "neighbours", "neighbours_mask"]
    assert told["control_seconds"] == 0.1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--out", "policy.txt"], "names no format; use .onnx (onnx), .stablehlo"),
        (["--format", "pickle"], "format 'pickle' does not exist; choose one of: onnx, stablehlo, c"),
        ([], "name a file with --out, or a format with --format"),
        (["--format", "c", "--out", "."], "--out must name a file, but . is a folder"),
    ],
)
def test_wrong_wishes_are_refused_in_one_sentence(
    policy_file: Path, arguments: list[str], sentence: str, capsys: pytest.CaptureFixture
) -> None:
    assert main(["export", str(policy_file), *arguments]) == 2
    told = capsys.readouterr().err
    assert sentence in told
    assert told.count("\n") == 1


def test_a_controller_cannot_be_exported(capsys: pytest.CaptureFixture) -> None:
    assert main(["export", "consensus", "--format", "c"]) == 2
    assert "'consensus' is a controller without weights" in capsys.readouterr().err


def test_an_export_that_computes_something_else_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = random_policy(ONE_SET, Moments(order=1), hidden=())
    convert = stablehlo.convert
    doubled = lambda made, name: convert(made._replace(function=lambda *a: 2 * made.function(*a)), name)  # noqa: E731
    monkeypatch.setitem(export.FORMATS, "stablehlo", replace(export.FORMATS["stablehlo"], convert=doubled))
    path = tmp_path / "policy.stablehlo"
    with pytest.raises(export.SwarmbedError, match="differs from the trained one"):
        export.write(policy, path)
    assert list(tmp_path.iterdir()) == []


def test_scales_follow_the_tasks_settings() -> None:
    task = make("pursuit-local", observation="comm", num_agents=4)
    told = describe(random_policy(task, Moments(order=1)))
    meanings = {column.name: column.meaning for column in (*told.local, *told.sets[0].columns)}
    # Sight 20, communication 40, paths over 5 · 40 = 200 units.
    assert meanings["evader distance"] == "distance to the evader / 20 units; 1 when it is not seen"
    assert meanings["distance"] == "distance / 40 units"
    assert meanings["transmitted"].endswith("/ 200 units, at most 1; 1 when there is none")
    assert told.action[1].meaning == "counter-clockwise turn rate / 6.28319 rad/s"


@pytest.mark.parametrize(
    "task",
    [
        make("rendezvous", observation="comm", num_agents=3),
        make("rendezvous-local", num_agents=3),
        make("pursuit", observation="comm", num_agents=3, dynamics="double", world="closed"),
        make("multi_pursuit", num_agents=3, num_evaders=2),
        make("pursuit", observation="displacement", num_agents=3),
    ],
    ids=["rendezvous", "rendezvous-local", "pursuit", "multi-pursuit", "displacement"],
)
def test_every_column_of_a_built_in_task_has_a_meaning(task: object) -> None:
    told = describe(random_policy(task, Moments(order=1)))  # type: ignore[arg-type]
    columns = [*told.local, *told.action, *(column for seen in told.sets for column in seen.columns)]
    assert [column.name for column in columns if column.meaning == "as the task computes it"] == []


def test_the_settings_are_those_that_a_policy_file_holds() -> None:
    policy = random_policy(ONE_SET, Moments(order=1), hidden=(8, 4))
    settings = config.parse(describe(policy).config, "the description")
    assert settings == config.to_sections(policy.specs)
    assert settings["network"] == {"name": "perceptron", "hidden": [8, 4]}


def test_the_summary_names_a_network_of_ones_own() -> None:
    told = describe(random_policy(ONE_SET, Moments(), network=FarthestNeighbour()))
    assert told.summary == "swarmbed policy for task rendezvous with network farthest_neighbour, trained with 5 agents"


def test_deviations_of_training_are_told() -> None:
    policy = random_policy(ONE_SET, Moments(order=1))
    calmer = replace(policy, params=policy.params._replace(log_std=jnp.log(jnp.array([0.5, 0.25]))))
    assert describe(calmer).deviation == (0.5, 0.25)
