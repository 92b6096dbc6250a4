"""The paper's study at a size that takes seconds."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from swarmbed.run.settings import Outputs
from swarmbed.run.train import resume_run
from swarmbed.study import plan
from swarmbed.study.budget import Budget
from swarmbed.study.experiments.base import Experiment
from swarmbed.study.outcome import conclude
from swarmbed.study.store import Store
from swarmbed.tasks import make

SMALL = {
    "task": {"num_agents": 3, "sizes": [], "horizon": 6},
    "network": {"hidden": [4]},
    "batch": {"environments": 2, "segment": 6},
}
TINY = Budget("tiny", 0.01, 2, SMALL, most_seeds=1)


def one_method(experiment: Experiment) -> Experiment:
    """The experiment with its first method and smallest swarm only."""
    trainings = experiment.trainings[:1]
    contest = experiment.contest and replace(experiment.contest, trainings=trainings, agents=(3,))
    trace = experiment.trace and (experiment.trace[0], 3)
    return replace(experiment, trainings=trainings, contest=contest, trace=trace)


def run_here(store: Store, job: plan.Job) -> None:
    """What a worker process does, in this one."""
    folder = store.prepare(job.training, job.seed, TINY)
    resume_run(folder.path, iterations=job.iterations, outputs=Outputs(progress=False), num_devices=1)
    store.harvest(job.training, job.seed)


def from_training_to_figure(experiment: Experiment, store: Store) -> None:
    """Train what is missing, conclude, and see that something was written."""
    for job in plan.missing([experiment], store, TINY, None):
        run_here(store, job)
    assert plan.missing([experiment], store, TINY, None) == []
    made = conclude(experiment, store, TINY)
    assert made
    assert all(path.stat().st_size > 100 for path in made)


@contextmanager
def short_episodes() -> Iterator[None]:
    """Evaluations of a few steps, while one is inside."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("swarmbed.study.events.EPISODES", 2)
        patch.setattr("swarmbed.study.cost.CALLS", 2)
        patch.setattr("swarmbed.study.outcome.make", lambda name, **settings: make(name, **settings | {"horizon": 6}))
        yield
