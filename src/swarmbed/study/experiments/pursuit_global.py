"""Pursuit of one evader with global observability: learning curves."""

from swarmbed.study.experiments.base import CONCATENATION, HISTOGRAM, NN_BASIC, NN_EXTENDED, RBF, Experiment, training

VARIANT = "pursuit-global"
METHODS = tuple(training(VARIANT, *method) for method in (NN_EXTENDED, NN_BASIC, RBF, HISTOGRAM, CONCATENATION))
# The paper's own settings beside ours, to show what made the difference.
PAPER_SETTINGS = training(VARIANT, "nn-extended-paper", "NN+ (paper's settings)", "extended", preset_name="paper")

EXPERIMENT = Experiment(
    name="pursuit-global",
    title="Pursuit, 10 agents, global observability",
    findings=("all find a strategy", "NN+ clearly best"),
    trainings=(*METHODS, PAPER_SETTINGS),
    seeds=2,
    curve="average return",
    log=True,
)
