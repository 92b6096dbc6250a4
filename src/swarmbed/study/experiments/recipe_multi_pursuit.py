"""(Ours) the recipe for pursuit of several evaders, beside the paper's settings and Voronoi pursuit."""

from swarmbed.study.claim_kinds import Better, BetterThanController
from swarmbed.study.claims import Claim
from swarmbed.study.experiments.base import RECIPE_EPISODES, Contest, Experiment, recipe
from swarmbed.study.experiments.multi_pursuit import METHODS, VARIANT
from swarmbed.study.readings import Returned

NAME = "recipe-multi-pursuit"
RECIPE = recipe(VARIANT)
PAPER = next(method for method in METHODS if method.method == "nn-basic")
OURS, THEIRS = Returned(RECIPE, NAME, 50), Returned(PAPER, NAME, 50)

EXPERIMENT = Experiment(
    name=NAME,
    title="Pursuit of 5 evaders by 50 agents: our recipe beside the paper's settings",
    claims=(
        Claim("(ours) catches more than Voronoi pursuit", BetterThanController(OURS, "Voronoi")),
        Claim("(ours) catches a quarter more than with the paper's settings", Better(OURS, THEIRS, 0.25)),
        Claim("(ours) catches twice as many as with the paper's settings", Better(OURS, THEIRS, 1.0)),
    ),
    trainings=(RECIPE, PAPER),
    seeds=8,
    contest=Contest(
        VARIANT, (RECIPE, PAPER), (("voronoi_pursuit", "Voronoi"),), agents=(50,), episodes=RECIPE_EPISODES
    ),
)
