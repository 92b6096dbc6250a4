"""(Ours) the recipe for pursuit of one evader, beside the paper's settings."""

from swarmbed.study.claim_kinds import BetterThanController, FoundIn, FoundMore, Within
from swarmbed.study.claims import Claim
from swarmbed.study.experiments.base import RECIPE_EPISODES, Contest, Experiment, Training, recipe
from swarmbed.study.experiments.pursuit_global import METHODS, VARIANT
from swarmbed.study.readings import Reached, Succeeds

NAME = "recipe-pursuit"
RECIPE, PAPER = recipe(VARIANT), METHODS[0]


def catches(training: Training) -> Succeeds:
    return Succeeds(training, NAME, 10, 1024, 0.95)


BY_200 = Reached(RECIPE, NAME, 10, 200)

EXPERIMENT = Experiment(
    name=NAME,
    title="Pursuit, 10 agents: our recipe beside the paper's settings",
    claims=(
        Claim("(ours) more than four trials in five catch", FoundIn(catches(RECIPE), 0.8)),
        Claim("(ours) more trials catch than with the paper's settings", FoundMore(catches(RECIPE), catches(PAPER))),
        Claim("(ours) almost all are caught by step 200", Within(BY_200, above=0.98)),
        Claim("(ours) quicker than Voronoi pursuit", BetterThanController(BY_200, "Voronoi")),
    ),
    trainings=(RECIPE, PAPER),
    seeds=16,
    contest=Contest(
        VARIANT, (RECIPE, PAPER), (("voronoi_pursuit", "Voronoi"),), agents=(5, 10), episodes=RECIPE_EPISODES
    ),
)
