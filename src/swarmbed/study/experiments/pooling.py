"""Mean, softmax and max pooling of neural features."""

from swarmbed.study.experiments import pursuit_global, rendezvous_global
from swarmbed.study.experiments.base import Experiment, Training, training


def poolings(variant: str, mean: Training) -> tuple[Training, ...]:
    others = [
        training(variant, f"{pooling}-extended", pooling, "extended", settings={"pooling": pooling})
        for pooling in ("softmax", "max")
    ]
    return (mean, *others)


RENDEZVOUS = poolings(rendezvous_global.VARIANT, rendezvous_global.METHODS[0])
PURSUIT = poolings(pursuit_global.VARIANT, pursuit_global.METHODS[0])

EXPERIMENT = Experiment(
    name="pooling",
    title="Mean, softmax and max pooling",
    findings=("mean fastest", "max worst", "the capture is found in 10/16, 6/16 and 4/16 trials"),
    trainings=(*RENDEZVOUS, *PURSUIT),
    more_seeds=((pursuit_global.VARIANT, 4),),
    curve="average return",
    log=True,
)
