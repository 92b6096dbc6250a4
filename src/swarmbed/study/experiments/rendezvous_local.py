"""Rendezvous with local observability: learning curves."""

from swarmbed.study.claim_kinds import Better, best
from swarmbed.study.claims import Claim
from swarmbed.study.experiments.base import NN_COMM, NN_EXTENDED, RBF, Experiment, training
from swarmbed.study.readings import FinalReturn, WholeCurve

VARIANT = "rendezvous-local"
METHODS = tuple(training(VARIANT, *method) for method in (NN_COMM, NN_EXTENDED, RBF))

EXPERIMENT = Experiment(
    name="rendezvous-local",
    title="Rendezvous, 20 agents, communication radius 40",
    claims=(
        Claim("NN faster than RBF", Better(WholeCurve(METHODS[1]), WholeCurve(METHODS[2]))),
        Claim("comm best", best(FinalReturn(METHODS[0]), [FinalReturn(method) for method in METHODS[1:]])),
    ),
    trainings=METHODS,
    curve="average return",
    log=True,
)
