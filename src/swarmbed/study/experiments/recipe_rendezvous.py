"""(Ours) the recipe for rendezvous, beside the paper's settings and the tuned PD controller."""

from swarmbed.study.claim_kinds import Better, BetterThanController, Within
from swarmbed.study.claims import Claim
from swarmbed.study.experiments.base import RECIPE_EPISODES, Contest, Experiment, recipe
from swarmbed.study.experiments.rendezvous_global import METHODS, VARIANT
from swarmbed.study.readings import Reached, Returned

NAME = "recipe-rendezvous"
RECIPE, PAPER = recipe(VARIANT), METHODS[0]
OURS = Returned(RECIPE, NAME, 20)

EXPERIMENT = Experiment(
    name=NAME,
    title="Rendezvous, 20 agents: our recipe beside the paper's settings",
    claims=(
        Claim("(ours) better than the tuned PD controller", BetterThanController(OURS, "PD")),
        Claim("(ours) better than the paper's settings", Better(OURS, Returned(PAPER, NAME, 20))),
        Claim("(ours) gathered to 0.02 units by step 200", Within(Reached(RECIPE, NAME, 20, 200), below=0.02)),
    ),
    trainings=(RECIPE, PAPER),
    seeds=8,
    contest=Contest(
        VARIANT, (RECIPE, PAPER), (("consensus", "PD"),), agents=(20,), horizon=500, episodes=RECIPE_EPISODES
    ),
)
