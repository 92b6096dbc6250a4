"""What a run and a decision cost."""

from swarmbed.study.experiments.base import Experiment

EXPERIMENT = Experiment(
    name="cost",
    title="Time and memory of training and of one decision",
    findings=(
        "4–6 h on ten cores",
        "about 1 ms per forward pass",
        "O(N(N − 1)) memory",
        "Voronoi control of the same order",
    ),
    measure="cost",
)
