"""Pursuit of five evaders by fifty agents: learning curves."""

from swarmbed.study.experiments.base import CONCATENATION, NN_BASIC, NN_EXTENDED, RBF, Experiment, training

VARIANT = "multi-pursuit"
METHODS = tuple(training(VARIANT, *method) for method in (NN_EXTENDED, NN_BASIC, RBF, CONCATENATION))

EXPERIMENT = Experiment(
    name="multi-pursuit",
    title="Pursuit of 5 evaders by 50 agents: evaders caught per episode",
    findings=("NN+ best", "concatenation does not learn"),
    trainings=METHODS,
    curve="average return (captures)",
)
