"""Rendezvous with global observability, trained for as long as by the authors: how close the agents come."""

from swarmbed.study.claim_kinds import All, Better, Within
from swarmbed.study.claims import Claim
from swarmbed.study.experiments.base import AUTHORS_ITERATIONS, Contest, Experiment, Training, longer
from swarmbed.study.experiments.rendezvous_global import METHODS, VARIANT
from swarmbed.study.readings import Reached

NAME = "rendezvous-global-longer"
LONGER = tuple(longer(method) for method in METHODS[:3])
NN_PLUS, NN, RBF = LONGER


def reached(method: Training, step: int) -> Reached:
    return Reached(method, NAME, 20, step)


EXPERIMENT = Experiment(
    name=NAME,
    title=f"Rendezvous: mean distance over time, trained for {AUTHORS_ITERATIONS} iterations",
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
    ),
    trainings=LONGER,
    contest=Contest(VARIANT, LONGER, (("consensus", "PD"),), agents=(20,), horizon=500),
)
