"""Pursuit with global observability: probability of capture, trained at 10, run at 5, 10, 20 and 50."""

from swarmbed.study.experiments.base import Contest, Experiment
from swarmbed.study.experiments.pursuit_global import METHODS, VARIANT

EXPERIMENT = Experiment(
    name="pursuit-global-capture",
    title="Pursuit: probability of capture by time t, trained with 10 agents",
    findings=("NN+ quickest", "more agents are quicker", "5 agents struggle"),
    trainings=METHODS,
    contest=Contest(
        VARIANT,
        METHODS,
        (("voronoi_pursuit", "Voronoi"),),
        agents=(5, 10, 20, 50),
    ),
)
