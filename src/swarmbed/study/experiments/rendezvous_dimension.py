"""Radial basis functions on a larger set: distance, bearing and orientation."""

from swarmbed.study.claim_kinds import Better
from swarmbed.study.claims import Claim
from swarmbed.study.experiments.base import Experiment, training
from swarmbed.study.experiments.rendezvous_local import METHODS, VARIANT
from swarmbed.study.readings import FinalReturn

LARGER = training(VARIANT, "rbf-orientation", "RBF 8×8×8", "extended", "rbf", settings={"angles": 2})

EXPERIMENT = Experiment(
    name="rendezvous-dimension",
    title="Rendezvous, communication radius 40: bumps over three dimensions",
    claims=(
        Claim(
            "histogram and RBF fail on larger sets",
            Better(FinalReturn(METHODS[1]), FinalReturn(LARGER), share=0.5),
            "only RBF is run; to fail: to cost twice what NN+ does",
        ),
    ),
    trainings=(LARGER, METHODS[2], METHODS[1]),
    curve="average return",
    log=True,
)
