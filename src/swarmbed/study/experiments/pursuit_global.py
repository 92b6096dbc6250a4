"""Pursuit of one evader with global observability: learning curves."""

from swarmbed.study.claim_kinds import All, Better, CanFind, best
from swarmbed.study.claims import Claim
from swarmbed.study.experiments.base import (
    CONCATENATION,
    HISTOGRAM,
    NN_BASIC,
    NN_EXTENDED,
    RBF,
    Experiment,
    calm,
    training,
)
from swarmbed.study.readings import FinalReturn, Found

VARIANT = "pursuit-global"
METHODS = tuple(training(VARIANT, *method) for method in (NN_EXTENDED, NN_BASIC, RBF, HISTOGRAM, CONCATENATION))
CALM = tuple(calm(method) for method in METHODS)

EXPERIMENT = Experiment(
    name="pursuit-global",
    title="Pursuit, 10 agents, global observability",
    claims=(
        Claim(
            "all find a strategy",
            All(tuple(CanFind(Found(method, "pursuit-global"), 0.4) for method in METHODS)),
            "in the paper's words, successful strategies can be obtained with all methods",
        ),
        Claim("NN+ clearly best", best(FinalReturn(METHODS[0]), [FinalReturn(method) for method in METHODS[1:]])),
        Claim(
            "(ours) preset calm is better for NN+",
            Better(FinalReturn(CALM[0]), FinalReturn(METHODS[0])),
            "not the paper's: what less exploration noise at the start gives",
        ),
    ),
    trainings=(*METHODS, *CALM),
    curve="average return",
    log=True,
)
