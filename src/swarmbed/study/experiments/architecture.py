"""Activations and layer sizes of the neural features."""

from swarmbed.study.experiments.base import Experiment, training
from swarmbed.study.experiments.rendezvous_global import METHODS, VARIANT

CHOICES = (
    ("tanh", "tanh", {"activation": "tanh"}),
    ("elu", "elu", {"activation": "elu"}),
    ("32", "[32]", {"features": [32]}),
    ("128", "[128]", {"features": [128]}),
    ("64-64", "[64, 64]", {"features": [64, 64]}),
)

EXPERIMENT = Experiment(
    name="architecture",
    title="Rendezvous: activations and layers of φ",
    findings=("one layer of 64 ReLU is enough",),
    trainings=(
        METHODS[0],
        *(
            training(VARIANT, f"nn-extended-{slug}", label, "extended", settings=settings, iterations=60)
            for slug, label, settings in CHOICES
        ),
    ),
    curve="average return",
    log=True,
)
