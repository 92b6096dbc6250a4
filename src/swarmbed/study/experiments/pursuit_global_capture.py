"""Pursuit with global observability: probability of capture, trained at 10, run at 5, 10, 20 and 50."""

from swarmbed.study.claim_kinds import Within, best, ordered
from swarmbed.study.claims import Claim
from swarmbed.study.experiments.base import Contest, Experiment, Training
from swarmbed.study.experiments.pursuit_global import CALM, METHODS, VARIANT
from swarmbed.study.readings import Reached

COMPARED = (*METHODS, CALM[0])
NAME = "pursuit-global-capture"


def reached(method: Training, agents: int) -> Reached:
    return Reached(method, NAME, agents, 200)


EXPERIMENT = Experiment(
    name=NAME,
    title="Pursuit: probability of capture by time t, trained with 10 agents",
    claims=(
        Claim("NN+ quickest", best(reached(METHODS[0], 10), [reached(method, 10) for method in METHODS[1:]])),
        Claim(
            "more agents are quicker", ordered([reached(METHODS[0], agents) for agents in (50, 20, 10, 5)]), "of NN+"
        ),
        Claim("5 agents struggle", Within(reached(METHODS[0], 5), below=0.5), "NN+ catches less than half"),
    ),
    trainings=COMPARED,
    contest=Contest(
        VARIANT,
        COMPARED,
        (("voronoi_pursuit", "Voronoi"),),
        agents=(5, 10, 20, 50),
    ),
)
