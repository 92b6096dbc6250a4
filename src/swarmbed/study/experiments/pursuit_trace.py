"""Pursuit: four snapshots and the whole episode."""

from swarmbed.study.claim_kinds import CanFind
from swarmbed.study.claims import Claim
from swarmbed.study.experiments.base import Experiment
from swarmbed.study.experiments.pursuit_global import METHODS
from swarmbed.study.readings import Found

EXPERIMENT = Experiment(
    name="pursuit-trace",
    title="Pursuit: an episode of NN+ with 10 agents",
    claims=(
        Claim(
            "the pursuers spread, circle, close in",
            CanFind(Found(METHODS[0], "pursuit-global"), 0.4),
            "the paper shows one policy, so one that closes in is enough; how it does is seen in the picture",
        ),
    ),
    trainings=METHODS[:1],
    trace=(METHODS[0], 10),
)
