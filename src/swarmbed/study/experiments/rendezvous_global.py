"""Rendezvous with global observability: learning curves."""

from swarmbed.study.experiments.base import CONCATENATION, HISTOGRAM, NN_BASIC, NN_EXTENDED, RBF, Experiment, training

VARIANT = "rendezvous-global"
METHODS = tuple(training(VARIANT, *method) for method in (NN_EXTENDED, NN_BASIC, RBF, HISTOGRAM, CONCATENATION))

EXPERIMENT = Experiment(
    name="rendezvous-global",
    title="Rendezvous, 20 agents, global observability",
    findings=("all solve it", "NN+ best and fastest", "HIST worst", "NN+ about 10 % better return than NN and RBF"),
    trainings=METHODS,
    seeds=2,
    curve="average return",
    log=True,
)
