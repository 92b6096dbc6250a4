"""Mean, softmax and max pooling of neural features."""

from swarmbed.study.claim_kinds import All, Better, FoundMore, best
from swarmbed.study.claims import Claim
from swarmbed.study.experiments import pursuit_global, rendezvous_global
from swarmbed.study.experiments.base import Experiment, Training, calm, training
from swarmbed.study.readings import FinalReturn, Found, WholeCurve


def poolings(variant: str, mean: Training) -> tuple[Training, ...]:
    others = [
        training(variant, f"{pooling}-extended", pooling, "extended", settings={"pooling": pooling})
        for pooling in ("softmax", "max")
    ]
    return (mean, *others)


RENDEZVOUS = poolings(rendezvous_global.VARIANT, rendezvous_global.METHODS[0])
PURSUIT = poolings(pursuit_global.VARIANT, pursuit_global.METHODS[0])
FOUND = tuple(Found(pooling, "pooling") for pooling in PURSUIT)
CALM = tuple(calm(pooling) for pooling in PURSUIT)

EXPERIMENT = Experiment(
    name="pooling",
    title="Mean, softmax and max pooling",
    claims=(
        *(
            Claim(f"mean fastest ({mean.variant})", best(WholeCurve(mean), [WholeCurve(other) for other in others]))
            for mean, *others in (RENDEZVOUS, PURSUIT)
        ),
        *(
            Claim(
                f"max worst ({worst.variant})", All(tuple(Better(FinalReturn(t), FinalReturn(worst)) for t in others))
            )
            for *others, worst in (RENDEZVOUS, PURSUIT)
        ),
        Claim(
            "the capture is found in 10/16, 6/16 and 4/16 trials",
            All(tuple(FoundMore(FOUND[0], other) for other in FOUND[1:])),
            "in the paper's words, more often with the mean than with the others; its own counts would not decide it",
        ),
    ),
    trainings=(*RENDEZVOUS, *PURSUIT, *CALM),
    more_seeds=tuple((training.name, 16) for training in PURSUIT),
    curve="average return",
    log=True,
)
