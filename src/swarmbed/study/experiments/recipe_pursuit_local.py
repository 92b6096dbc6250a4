"""(Ours) the recipe for pursuit with local observability, beside the paper's settings and Voronoi pursuit."""

from swarmbed.study.claim_kinds import BetterThanController, FoundIn, FoundMore, Within
from swarmbed.study.claims import Claim
from swarmbed.study.experiments.base import RECIPE_EPISODES, Contest, Experiment, Training, recipe
from swarmbed.study.experiments.pursuit_local import METHODS, VARIANT
from swarmbed.study.readings import Reached, Succeeds

NAME = "recipe-pursuit-local"
RECIPE, PAPER = recipe(VARIANT), METHODS[0]


def catches(training: Training) -> Succeeds:
    return Succeeds(training, NAME, 20, 1024, 0.95)


BY_200 = Reached(RECIPE, NAME, 20, 200)

EXPERIMENT = Experiment(
    name=NAME,
    title="Pursuit, 20 agents, local observability: our recipe beside the paper's settings",
    claims=(
        Claim("(ours) more than half of the trials catch", FoundIn(catches(RECIPE), 0.5)),
        Claim("(ours) more trials catch than with the paper's settings", FoundMore(catches(RECIPE), catches(PAPER))),
        Claim("(ours) almost all are caught by step 200", Within(BY_200, above=0.97)),
        Claim("(ours) quicker than Voronoi pursuit", BetterThanController(BY_200, "Voronoi")),
    ),
    trainings=(RECIPE, PAPER),
    seeds=8,
    contest=Contest(
        VARIANT, (RECIPE, PAPER), (("voronoi_pursuit", "Voronoi"),), agents=(20,), episodes=RECIPE_EPISODES
    ),
)
