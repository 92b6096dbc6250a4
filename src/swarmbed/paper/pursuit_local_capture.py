"""Pursuit with local observability: probability of capture."""

from swarmbed.paper.base import Contest, Experiment
from swarmbed.paper.pursuit_local import METHODS, VARIANT

EXPERIMENT = Experiment(
    name="pursuit-local-capture",
    title="Pursuit, local observability: probability of capture by time t",
    findings=("comm clearly best",),
    trainings=METHODS,
    contest=Contest(VARIANT, METHODS, (), agents=(20,)),
)
