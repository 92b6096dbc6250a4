"""Pursuit: four snapshots and the whole episode."""

from swarmbed.study.experiments.base import Experiment
from swarmbed.study.experiments.pursuit_global import METHODS

EXPERIMENT = Experiment(
    name="pursuit-trace",
    title="Pursuit: an episode of NN+ with 10 agents",
    findings=("the pursuers spread, circle, close in",),
    trainings=METHODS[:1],
    trace=(METHODS[0], 10),
)
