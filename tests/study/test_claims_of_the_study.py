"""The claims of the real study: each can be tested with what the study trains and evaluates."""

import dataclasses
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from swarmbed.cli.main import main
from swarmbed.spec.presets import preset
from swarmbed.study import plan
from swarmbed.study.budget import BUDGETS
from swarmbed.study.claim_source import judgements
from swarmbed.study.each_run import steps_kept
from swarmbed.study.experiments.base import Experiment
from swarmbed.study.readings import Found, Reached, Reading
from swarmbed.study.store import Store
from swarmbed.tasks import make

EXPERIMENTS = plan.experiments()


def readings(part: object) -> Iterator[Reading]:
    """Every reading inside a claim, however deep."""
    if isinstance(part, Reading):
        yield part
    elif isinstance(part, tuple):
        for item in part:
            yield from readings(item)
    elif dataclasses.is_dataclass(part):
        for spec_field in dataclasses.fields(part):
            yield from readings(getattr(part, spec_field.name))


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=lambda experiment: experiment.name)
def test_every_experiment_claims_something_about_what_it_trains(experiment: Experiment) -> None:
    assert experiment.claims
    for reading in readings(experiment.claims):
        assert reading.training in experiment.trainings


def test_contests_evaluate_what_claims_read() -> None:
    found = [reading for experiment in EXPERIMENTS.values() for reading in readings(experiment.claims)]
    contested = [reading for reading in found if isinstance(reading, Reached)]
    assert contested
    for reading in contested:
        contest = EXPERIMENTS[reading.contest].contest
        assert contest is not None
        assert reading.training in contest.trainings
        assert reading.agents in contest.agents
        task = make(contest.variant, **({"horizon": contest.horizon} if contest.horizon else {}))
        assert reading.step in steps_kept(task)
    for reading in (reading for reading in found if isinstance(reading, Found)):
        assert reading.training in EXPERIMENTS[reading.measured_in].trainings


def test_the_papers_settings_have_the_plain_names_and_calm_ones_stand_beside() -> None:
    for experiment in EXPERIMENTS.values():
        for training in experiment.trainings:
            for other in ("calm", "recipe", "few"):
                assert training.name.endswith(f"-{other}") == (training.preset == other)
            if training.preset not in ("recipe", "few"):
                noise = training.config.get("algorithm", {}).get("initial_log_std", 0.0)
                assert noise == (-0.7 if training.preset == "calm" else 0.0)


def test_runs_are_kept_under_the_settings_that_made_them() -> None:
    kept = sorted((Path(__file__).parents[2] / "results" / "runs").glob("*/seed-*.toml"))
    assert kept
    for path in kept:
        variant, _, method = path.parent.name.rpartition("-")
        wanted = preset(method, variant) if method in ("calm", "recipe", "few") else {}
        made_with = tomllib.loads(path.read_text())
        assert made_with["algorithm"]["initial_log_std"] == wanted.get("algorithm", {}).get("initial_log_std", 0.0), (
            path
        )
        if "run" in wanted:
            assert made_with["run"]["schedule"] == wanted["run"]["schedule"], path


def test_without_results_everything_is_open(tmp_path: Path) -> None:
    store = Store(tmp_path, tmp_path / "work")
    for experiment in EXPERIMENTS.values():
        for judgement in judgements(experiment, store, BUDGETS["paper"]):
            assert judgement.verdict == "open"
            assert judgement.missing


def test_the_command_prints_claims_with_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "240")
    assert main(["reproduce", "moments", "cost", "--claims", "--results", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "claims: 0 hold, 0 fail, 5 open" in shown
    assert "NN+ best" in shown
    assert "0, 0, 0, 0, 0 of 5" in shown
    assert "the measurement" in shown
