"""Every experiment of the paper's study, tiny, from training to figure."""

from dataclasses import replace

import pytest

from swarmbed.study import plan
from swarmbed.study.store import Store
from tiny_study import from_training_to_figure, one_method, short_episodes


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    folder = tmp_path_factory.mktemp("study")
    return Store(folder / "results", folder / "work")


@pytest.mark.parametrize("name", list(plan.experiments()))
def test_every_experiment_runs_from_training_to_figure(name: str, store: Store) -> None:
    with short_episodes():
        from_training_to_figure(one_method(plan.experiments()[name]), store)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(plan.experiments()))
def test_every_method_of_every_experiment_ends_in_a_figure(name: str, store: Store) -> None:
    experiment = plan.experiments()[name]
    contest = experiment.contest and replace(experiment.contest, agents=(3,))
    small = replace(experiment, contest=contest, trace=experiment.trace and (experiment.trace[0], 3))
    with short_episodes():
        from_training_to_figure(small, store)
