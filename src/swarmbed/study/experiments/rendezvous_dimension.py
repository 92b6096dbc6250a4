"""Radial basis functions on a larger set: distance, bearing and orientation."""

from swarmbed.study.experiments.base import Experiment, training
from swarmbed.study.experiments.rendezvous_local import METHODS, VARIANT

LARGER = training(VARIANT, "rbf-orientation", "RBF 8×8×8", "extended", "rbf", settings={"angles": 2})

EXPERIMENT = Experiment(
    name="rendezvous-dimension",
    title="Rendezvous, communication radius 40: bumps over three dimensions",
    findings=("histogram and RBF fail on larger sets",),
    trainings=(LARGER, METHODS[2], METHODS[1]),
    curve="average return",
    log=True,
)
