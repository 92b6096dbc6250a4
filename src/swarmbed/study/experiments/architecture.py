"""Activations and layer sizes of the neural features."""

from swarmbed.study.claim_kinds import best
from swarmbed.study.claims import Claim
from swarmbed.study.experiments.base import Experiment, training
from swarmbed.study.experiments.rendezvous_global import METHODS, VARIANT
from swarmbed.study.readings import ReturnAt

CHOICES = (
    ("tanh", "tanh", {"activation": "tanh"}),
    ("elu", "elu", {"activation": "elu"}),
    ("32", "[32]", {"features": [32]}),
    ("128", "[128]", {"features": [128]}),
    ("64-64", "[64, 64]", {"features": [64, 64]}),
)
ITERATIONS = 60
OTHERS = tuple(
    training(VARIANT, f"nn-extended-{slug}", label, "extended", settings=settings, iterations=ITERATIONS)
    for slug, label, settings in CHOICES
)

EXPERIMENT = Experiment(
    name="architecture",
    title="Rendezvous: activations and layers of φ",
    claims=(
        Claim(
            "one layer of 64 ReLU is enough",
            best(ReturnAt(METHODS[0], ITERATIONS), [ReturnAt(other, ITERATIONS) for other in OTHERS], share=-0.1),
            "enough: no other choice is better by more than 10 %",
        ),
    ),
    trainings=(
        METHODS[0],
        *OTHERS,
    ),
    curve="average return",
    log=True,
)
