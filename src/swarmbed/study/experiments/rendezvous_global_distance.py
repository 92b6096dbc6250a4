"""Rendezvous with global observability: mean distance over time, at 20 agents and at 100."""

from swarmbed.study.experiments.base import Contest, Experiment
from swarmbed.study.experiments.rendezvous_global import METHODS, VARIANT

EXPERIMENT = Experiment(
    name="rendezvous-global-distance",
    title="Rendezvous: mean distance over time, trained with 20 agents",
    findings=(
        "at step 200 NN+ about 0.04, NN and RBF about 0.08",
        "NN+ gets where NN and RBF end 20 to 30 steps earlier",
        "learned policies are faster than PD",
        "PD reaches zero",
    ),
    trainings=METHODS,
    contest=Contest(
        VARIANT,
        METHODS,
        (("consensus", "PD"),),
        agents=(20, 100),
        horizon=500,
    ),
)
