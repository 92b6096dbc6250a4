"""Rendezvous with global observability: mean distance over time, at 20 agents and at 100."""

from swarmbed.study.claim_kinds import All, BetterThanController
from swarmbed.study.claims import Claim
from swarmbed.study.experiments.base import Contest, Experiment, Training
from swarmbed.study.experiments.rendezvous_global import METHODS, VARIANT
from swarmbed.study.measured_kinds import ControllerWithin
from swarmbed.study.readings import Reached

NAME = "rendezvous-global-distance"


def reached(method: Training, step: int) -> Reached:
    return Reached(method, NAME, 20, step)


EXPERIMENT = Experiment(
    name=NAME,
    title="Rendezvous: mean distance over time, trained with 20 agents",
    claims=(
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
