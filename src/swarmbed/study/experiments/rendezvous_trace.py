"""Rendezvous: four snapshots and the whole episode."""

from swarmbed.study.claim_kinds import Within
from swarmbed.study.claims import Claim
from swarmbed.study.experiments.base import Experiment
from swarmbed.study.experiments.rendezvous_global import METHODS
from swarmbed.study.readings import Reached

EXPERIMENT = Experiment(
    name="rendezvous-trace",
    title="Rendezvous: an episode of NN+ with 20 agents",
    claims=(
        Claim(
            "the swarm meets in one point",
            Within(Reached(METHODS[0], "rendezvous-global-distance", 20, 500), below=1.0),
            "of the runs of NN+ on average: 1 in a world of 100; the picture shows one episode",
        ),
    ),
    trainings=METHODS[:1],
    trace=(METHODS[0], 20),
)
