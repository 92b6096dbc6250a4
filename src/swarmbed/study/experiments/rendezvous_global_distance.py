"""Rendezvous with global observability: mean distance over time, at 20 agents and at 100."""

from swarmbed.study.claim_kinds import All, Better, BetterThanController, Within
from swarmbed.study.claims import Claim
from swarmbed.study.experiments.base import Contest, Experiment, Training
from swarmbed.study.experiments.rendezvous_global import METHODS, VARIANT
from swarmbed.study.measured_kinds import ControllerWithin
from swarmbed.study.readings import Reached

NAME = "rendezvous-global-distance"
NN_PLUS, NN, RBF = METHODS[:3]


def reached(method: Training, step: int) -> Reached:
    return Reached(method, NAME, 20, step)


EXPERIMENT = Experiment(
    name=NAME,
    title="Rendezvous: mean distance over time, trained with 20 agents",
    claims=(
        Claim(
            "at step 200 NN+ about 0.04, NN and RBF about 0.08",
            All(
                (
                    Within(reached(NN_PLUS, 200), above=0.02, below=0.08),
                    *(Within(reached(method, 200), above=0.04, below=0.16) for method in (NN, RBF)),
                )
            ),
            "about: within a factor of two",
        ),
        Claim(
            "NN+ gets where NN and RBF end 20 to 30 steps earlier",
            All(tuple(Better(reached(NN_PLUS, 180), reached(method, 200)) for method in (NN, RBF))),
            "at least 20 steps earlier",
        ),
        Claim(
            "learned policies are faster than PD",
            All(tuple(BetterThanController(reached(method, 100), "PD") for method in METHODS)),
        ),
        Claim(
            "PD reaches zero",
            ControllerWithin(NAME, VARIANT, "PD", 20, 200, below=0.001),
            "not trained, so the interval is over episodes; float32 leaves a little more than nothing",
        ),
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
