"""(Ours) the recipe for pursuit of one evader, beside the paper's settings."""

from swarmbed.study.claim_kinds import BetterThanController, Within
from swarmbed.study.claims import Claim
from swarmbed.study.experiments.base import Contest, Experiment, recipe
from swarmbed.study.experiments.pursuit_global import METHODS, VARIANT
from swarmbed.study.readings import Reached

NAME = "recipe-pursuit"
RECIPE, PAPER = recipe(VARIANT), METHODS[0]

EXPERIMENT = Experiment(
    name=NAME,
    title="Pursuit, 10 agents: our recipe beside the paper's settings",
    claims=(
        Claim("(ours) every trial catches", Within(Reached(RECIPE, NAME, 10, 1024), above=0.95)),
        Claim("(ours) by step 200, too", Within(Reached(RECIPE, NAME, 10, 200), above=0.98)),
        Claim("(ours) quicker than Voronoi pursuit", BetterThanController(Reached(RECIPE, NAME, 10, 200), "Voronoi")),
    ),
    trainings=(RECIPE, PAPER),
    seeds=16,
    contest=Contest(VARIANT, (RECIPE, PAPER), (("voronoi_pursuit", "Voronoi"),), agents=(5, 10)),
)
