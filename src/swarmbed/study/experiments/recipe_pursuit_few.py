"""(Ours) pursuit by fewer agents: trained with 4 to 8, beside the recipe for 10."""

from swarmbed.study.claim_kinds import Better, BetterThanController, Within
from swarmbed.study.claims import Claim
from swarmbed.study.experiments.base import RECIPE_EPISODES, Contest, Experiment, few, recipe
from swarmbed.study.experiments.pursuit_global import VARIANT
from swarmbed.study.readings import Reached

NAME = "recipe-pursuit-few"
FEW, RECIPE = few(VARIANT), recipe(VARIANT)
BY_FIVE, BY_TEN = Reached(FEW, NAME, 5, 200), Reached(FEW, NAME, 10, 200)

EXPERIMENT = Experiment(
    name=NAME,
    title="Pursuit, 5 and 10 agents: trained with 4 to 8, beside the recipe for 10",
    claims=(
        Claim("(ours) five catch in half of the episodes by step 200", Within(BY_FIVE, above=0.5)),
        Claim("(ours) five catch more than those trained with ten", Better(BY_FIVE, Reached(RECIPE, NAME, 5, 200))),
        Claim("(ours) five catch more than with Voronoi pursuit", BetterThanController(BY_FIVE, "Voronoi")),
        Claim("(ours) ten still catch almost always by step 200", Within(BY_TEN, above=0.95)),
    ),
    trainings=(FEW, RECIPE),
    seeds=8,
    contest=Contest(
        VARIANT, (FEW, RECIPE), (("voronoi_pursuit", "Voronoi"),), agents=(5, 10), episodes=RECIPE_EPISODES
    ),
)
