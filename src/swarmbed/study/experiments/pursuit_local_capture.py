"""Pursuit with local observability: probability of capture."""

from swarmbed.study.experiments.base import Contest, Experiment
from swarmbed.study.experiments.pursuit_local import METHODS, VARIANT

EXPERIMENT = Experiment(
    name="pursuit-local-capture",
    title="Pursuit, local observability: probability of capture by time t",
    findings=("comm clearly best",),
    trainings=METHODS,
    contest=Contest(VARIANT, METHODS, (), agents=(20,)),
)
