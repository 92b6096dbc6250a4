"""Rendezvous: four snapshots and the whole episode."""

from swarmbed.study.experiments.base import Experiment
from swarmbed.study.experiments.rendezvous_global import METHODS

EXPERIMENT = Experiment(
    name="rendezvous-trace",
    title="Rendezvous: an episode of NN+ with 20 agents",
    findings=("the swarm meets in one point",),
    trainings=METHODS[:1],
    trace=(METHODS[0], 20),
)
