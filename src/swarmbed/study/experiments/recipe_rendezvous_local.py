"""(Ours) the recipe for rendezvous with local observability, beside the paper's settings and consensus."""

from swarmbed.study.claim_kinds import All, Better, BetterThanController, Within
from swarmbed.study.claims import Claim
from swarmbed.study.experiments.base import RECIPE_EPISODES, Contest, Experiment, recipe
from swarmbed.study.experiments.rendezvous_local import METHODS, VARIANT
from swarmbed.study.readings import Reached, Returned

NAME = "recipe-rendezvous-local"
SIZES = (20, 10)  # trained with 20
RECIPE = recipe(VARIANT)
PAPER = next(method for method in METHODS if method.method == "nn-extended")
OURS = {size: Returned(RECIPE, NAME, size) for size in SIZES}

EXPERIMENT = Experiment(
    name=NAME,
    title="Rendezvous, communication radius 40: our recipe beside the paper's settings",
    claims=(
        Claim(
            "(ours) better than consensus",
            All(tuple(BetterThanController(OURS[size], "consensus") for size in SIZES)),
        ),
        Claim(
            "(ours) better than the paper's settings by 5 %",
            All(tuple(Better(OURS[size], Returned(PAPER, NAME, size), 0.05) for size in SIZES)),
        ),
        Claim(
            "(ours) gathered to 0.02 units by step 200",
            All(tuple(Within(Reached(RECIPE, NAME, size, 200), below=0.02) for size in SIZES)),
        ),
    ),
    trainings=(RECIPE, PAPER),
    seeds=8,
    contest=Contest(
        VARIANT, (RECIPE, PAPER), (("consensus", "consensus"),), agents=SIZES, horizon=500, episodes=RECIPE_EPISODES
    ),
)
