"""Pursuit: four snapshots and the whole episode."""

from swarmbed.study.claim_kinds import FoundIn
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
            FoundIn(Found(METHODS[0], "pursuit-global"), 0.25),
            "only that they close in is tested; how they do is seen in the picture",
        ),
    ),
    trainings=METHODS[:1],
    trace=(METHODS[0], 10),
)
