"""Pursuit with local observability: probability of capture."""

from swarmbed.study.claim_kinds import best
from swarmbed.study.claims import Claim
from swarmbed.study.experiments.base import Contest, Experiment
from swarmbed.study.experiments.pursuit_local import CALM, METHODS, VARIANT
from swarmbed.study.readings import Reached

NAME = "pursuit-local-capture"

EXPERIMENT = Experiment(
    name=NAME,
    title="Pursuit, local observability: probability of capture by time t",
    claims=(
        Claim(
            "comm clearly best",
            best(Reached(METHODS[0], NAME, 20, 200), [Reached(method, NAME, 20, 200) for method in METHODS[1:]]),
        ),
    ),
    trainings=(*METHODS, *CALM),
    contest=Contest(VARIANT, (*METHODS, *CALM), (), agents=(20,)),
)
