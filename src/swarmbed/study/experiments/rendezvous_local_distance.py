"""Rendezvous with local observability: trained at 20, run at 20 and 10."""

from swarmbed.study.claim_kinds import Better
from swarmbed.study.claims import Claim
from swarmbed.study.experiments.base import Contest, Experiment
from swarmbed.study.experiments.rendezvous_local import METHODS, VARIANT
from swarmbed.study.readings import Reached

NAME = "rendezvous-local-distance"

EXPERIMENT = Experiment(
    name=NAME,
    title="Rendezvous, communication radius 40: mean distance over time",
    claims=(
        Claim(
            "comm helps even at 10 agents",
            Better(Reached(METHODS[0], NAME, 10, 500), Reached(METHODS[1], NAME, 10, 500)),
        ),
    ),
    trainings=METHODS,
    contest=Contest(VARIANT, METHODS, (("consensus", "consensus"),), agents=(20, 10), horizon=500),
)
