"""The paper's study: the plan, and a tiny version of two experiments, end to end."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from swarmbed.cli.main import main
from swarmbed.study import plan
from swarmbed.study.budget import BUDGETS
from swarmbed.study.experiments import pursuit_global
from swarmbed.study.outcome import median_of_top
from swarmbed.study.store import Store, compact_json, score
from tiny_study import from_training_to_figure, one_method, short_episodes


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    folder = tmp_path_factory.mktemp("study")
    return Store(folder / "results", folder / "work")


@pytest.mark.parametrize("name", ["pursuit-local-capture", "pooling"])
def test_an_experiment_runs_from_training_to_figure(name: str, store: Store) -> None:
    """A contest and learning curves; tests/integration runs all experiments."""
    with short_episodes():
        from_training_to_figure(one_method(plan.experiments()[name]), store)


def test_the_study_covers_every_experiment_in_the_stated_order() -> None:
    assert list(plan.experiments()) == list(plan.ORDER)


def test_trainings_shared_by_experiments_are_run_once(tmp_path: Path) -> None:
    empty = Store(tmp_path / "results", tmp_path / "work")
    known = plan.experiments()
    both = [known["rendezvous-global"], known["rendezvous-global-distance"]]
    assert len(plan.missing(both, empty, BUDGETS["paper"], 1)) == 5
    assert len(plan.missing(both, empty, BUDGETS["paper"], 3)) == 15


def test_the_same_name_always_means_the_same_training() -> None:
    seen: dict[str, object] = {}
    for experiment in plan.experiments().values():
        for training in experiment.trainings:
            assert seen.setdefault(training.name, training) == training


def test_the_least_that_counts_is_asked_for() -> None:
    known = plan.experiments()
    for name in ("rendezvous-global", "rendezvous-local", "pursuit-global", "pursuit-local"):
        assert known[name].seeds >= 5
    pooling = known["pooling"]
    wanted = {t.name: plan.seeds_of(pooling, t, BUDGETS["paper"], None) for t in pooling.trainings}
    assert {name: seeds for name, seeds in wanted.items() if seeds != 5} == {
        f"pursuit-global-{slug}-extended": 16 for slug in ("nn", "softmax", "max")
    }


def test_curves_show_the_median_of_the_best_five() -> None:
    runs = [[{"mean_return": float("nan")}, {"mean_return": float(value)}] for value in (1, 2, 3, 4, 5, 6, -100)]
    curve = median_of_top(runs)
    assert list(np.asarray(curve.x)) == [2]
    assert list(np.asarray(curve.y)) == [4.0]  # of 2, 3, 4, 5, 6
    assert score(runs[0]) == 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "experiment 'nothing' does not exist"),
        (["cost", "--seeds", "0"], "--seeds must be at least 1"),
        (["cost", "--workers", "0"], "--workers must be at least 1"),
        (["rendezvous-trace", "--on", "mars"], "--on must be local, ray or ray://HOST:PORT"),
        (["rendezvous-trace", "--redraw"], "lacks rendezvous-global-nn-extended"),
    ],
)
def test_wrong_input_is_one_sentence(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--results", str(tmp_path / "results"), "--work", str(tmp_path / "work")]
    assert main(["reproduce", *arguments, *where]) == 2
    assert message in capsys.readouterr().err


def test_the_overview_names_every_experiment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "--results", str(tmp_path / "results")]) == 0
    shown = capsys.readouterr().out
    assert all(name.split("-")[0] in shown for name in plan.experiments())


def test_a_curve_takes_one_line_of_a_file_of_numbers() -> None:
    numbers = {"a": {"curve": [0.25, 1.0, None], "bands": [[1, 2], [3, 4]]}, "text": "x [1,  2]"}
    text = compact_json(numbers)
    assert '"curve": [ 0.25, 1.0, null ],' in text
    assert len(text.splitlines()) == 10
    assert json.loads(text) == numbers


def test_numbers_are_written_as_json(store: Store) -> None:
    path = store.write_numbers("cost", "numbers.json", {"a": 1.5})
    assert json.loads(path.read_text()) == {"a": 1.5}


def test_every_policy_is_stored_once() -> None:
    """The best run's policy of a method ships with the package, and only there."""
    root = Path(__file__).parents[3]
    seen: dict[bytes, Path] = {}
    for path in sorted([*(root / "results").rglob("*.safetensors"), *(root / "src").rglob("*.safetensors")]):
        weights = b"".join(value.tobytes() for _, value in sorted(load_file(path).items()))
        assert weights not in seen, f"{path} holds the policy of {seen[weights]}"
        seen[weights] = path


def test_the_policy_of_a_run_that_ships_is_found() -> None:
    root = Path(__file__).parents[3]
    store = Store(root / "results", root / "nowhere")
    for training in (t for experiment in plan.experiments().values() for t in experiment.trainings):
        assert all(store.run_policy_path(training, seed).is_file() for seed in store.seeds(training))
    shown = plan.experiments()["rendezvous-trace"].trainings[0]
    assert "shipped" in [store.run_policy_path(shown, seed).parent.name for seed in store.seeds(shown)]


def test_a_shipped_policy_belongs_to_the_run_in_its_notes_whatever_its_name() -> None:
    """NN+ of pursuit ships twice: the best of all, trained with preset calm, and that of the paper's settings."""
    root = Path(__file__).parents[3]
    store = Store(root / "results", root / "nowhere")
    paper, *_ = pursuit_global.METHODS
    assert store.run_policy_path(paper, 0).stem == "pursuit-global-nn-extended-paper"
    assert store.run_policy_path(pursuit_global.CALM[0], 0).stem == "pursuit-global-nn-extended"
