"""The paper's study at a size that takes seconds."""

from dataclasses import replace
from pathlib import Path

from swarmbed.run.train import Outputs, resume_run
from swarmbed.study import plan
from swarmbed.study.budget import Budget
from swarmbed.study.experiments.base import Experiment
from swarmbed.study.store import Store

SMALL = {
    "task": {"num_agents": 3, "horizon": 6},
    "batch": {"environments": 2, "segment": 6, "hidden": [4]},
    "algorithm": {"value_epochs": 1, "cg_steps": 1},
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


def write_metrics(path: Path, metrics: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(metrics)
