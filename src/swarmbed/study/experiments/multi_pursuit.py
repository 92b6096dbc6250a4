"""Pursuit of five evaders by fifty agents: learning curves."""

from swarmbed.study.claim_kinds import Better, best
from swarmbed.study.claims import Claim
from swarmbed.study.experiments.base import CONCATENATION, NN_BASIC, NN_EXTENDED, RBF, Experiment, training
from swarmbed.study.readings import FinalReturn

VARIANT = "multi-pursuit"
METHODS = tuple(training(VARIANT, *method) for method in (NN_EXTENDED, NN_BASIC, RBF, CONCATENATION))

EXPERIMENT = Experiment(
    name="multi-pursuit",
    title="Pursuit of 5 evaders by 50 agents: evaders caught per episode",
    claims=(
        Claim("NN+ best", best(FinalReturn(METHODS[0]), [FinalReturn(method) for method in METHODS[1:]])),
        Claim(
            "concatenation does not learn",
            Better(FinalReturn(METHODS[0]), FinalReturn(METHODS[3]), share=4.0),
            "NN+ catches at least five times as many evaders",
        ),
    ),
    trainings=METHODS,
    curve="average return (captures)",
)
