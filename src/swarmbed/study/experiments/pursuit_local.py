"""Pursuit with local observability: learning curves."""

from swarmbed.study.experiments.base import NN_COMM, NN_EXTENDED, RBF, Experiment, training

VARIANT = "pursuit-local"
METHODS = tuple(training(VARIANT, *method) for method in (NN_COMM, NN_EXTENDED, RBF))

EXPERIMENT = Experiment(
    name="pursuit-local",
    title="Pursuit, 20 agents, communication radius 40, sight 20",
    findings=("comm clearly best",),
    trainings=METHODS,
    seeds=2,
    curve="average return",
    log=True,
)
