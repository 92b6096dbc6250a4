"""Plain statistics of the set against neural features."""

from swarmbed.study.claim_kinds import best
from swarmbed.study.claims import Claim
from swarmbed.study.experiments.base import Experiment, training
from swarmbed.study.experiments.multi_pursuit import METHODS, VARIANT
from swarmbed.study.readings import FinalReturn

NAMES = (("m", "M+"), ("ms", "MS+"), ("mss", "MSS+"), ("mssk", "MSSK+"))
MOMENTS = tuple(
    training(VARIANT, f"{slug}-extended", label, "extended", "moments", settings={"order": order})
    for order, (slug, label) in enumerate(NAMES, start=1)
)

EXPERIMENT = Experiment(
    name="moments",
    title="Pursuit of 5 evaders by 50 agents: moments against neural features",
    claims=(Claim("NN+ best", best(FinalReturn(METHODS[0]), [FinalReturn(moments) for moments in MOMENTS])),),
    trainings=(METHODS[0], *MOMENTS),
    curve="average return (captures)",
)
