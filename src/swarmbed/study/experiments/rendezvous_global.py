"""Rendezvous with global observability: learning curves."""

from swarmbed.study.claim_kinds import All, Better, Within, best
from swarmbed.study.claims import Claim
from swarmbed.study.experiments.base import CONCATENATION, HISTOGRAM, NN_BASIC, NN_EXTENDED, RBF, Experiment, training
from swarmbed.study.readings import FinalReturn, Reached, WholeCurve

VARIANT = "rendezvous-global"
METHODS = tuple(training(VARIANT, *method) for method in (NN_EXTENDED, NN_BASIC, RBF, HISTOGRAM, CONCATENATION))
HIST = METHODS[3]

EXPERIMENT = Experiment(
    name="rendezvous-global",
    title="Rendezvous, 20 agents, global observability",
    claims=(
        Claim(
            "all solve it",
            All(tuple(Within(Reached(method, "rendezvous-global-distance", 20, 500), below=1.0) for method in METHODS)),
            "solved: greedy, the agents end closer than 1 in a world of 100",
        ),
        Claim("NN+ best", best(FinalReturn(METHODS[0]), [FinalReturn(method) for method in METHODS[1:]])),
        Claim("NN+ fastest", best(WholeCurve(METHODS[0]), [WholeCurve(method) for method in METHODS[1:]])),
        Claim("HIST worst", All(tuple(Better(FinalReturn(m), FinalReturn(HIST)) for m in METHODS if m is not HIST))),
        Claim(
            "NN+ about 10 % better return than NN and RBF",
            best(FinalReturn(METHODS[0]), [FinalReturn(method) for method in METHODS[1:3]], share=0.05),
            "about 10 %: at least 5 %",
        ),
    ),
    trainings=METHODS,
    curve="average return",
    log=True,
)
