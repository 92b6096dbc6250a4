"""Rendezvous with local observability: learning curves."""

from swarmbed.study.experiments.base import NN_COMM, NN_EXTENDED, RBF, Experiment, training

VARIANT = "rendezvous-local"
METHODS = tuple(training(VARIANT, *method) for method in (NN_COMM, NN_EXTENDED, RBF))

EXPERIMENT = Experiment(
    name="rendezvous-local",
    title="Rendezvous, 20 agents, communication radius 40",
    findings=("NN faster than RBF", "comm best"),
    trainings=METHODS,
    seeds=2,
    curve="average return",
    log=True,
)
