"""Pursuit with local observability: learning curves."""

from swarmbed.study.claim_kinds import best
from swarmbed.study.claims import Claim
from swarmbed.study.experiments.base import NN_COMM, NN_EXTENDED, RBF, Experiment, calm, training
from swarmbed.study.readings import FinalReturn

VARIANT = "pursuit-local"
METHODS = tuple(training(VARIANT, *method) for method in (NN_COMM, NN_EXTENDED, RBF))
CALM = tuple(calm(method) for method in METHODS)

EXPERIMENT = Experiment(
    name="pursuit-local",
    title="Pursuit, 20 agents, communication radius 40, sight 20",
    claims=(
        Claim("comm clearly best", best(FinalReturn(METHODS[0]), [FinalReturn(method) for method in METHODS[1:]])),
        Claim(
            "(ours) comm clearly best with preset calm",
            best(FinalReturn(CALM[0]), [FinalReturn(method) for method in CALM[1:]]),
        ),
    ),
    trainings=(*METHODS, *CALM),
    curve="average return",
    log=True,
)
