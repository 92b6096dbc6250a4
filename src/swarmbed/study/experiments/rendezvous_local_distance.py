"""Rendezvous with local observability: trained at 20, run at 20 and 10."""

from swarmbed.study.experiments.base import Contest, Experiment
from swarmbed.study.experiments.rendezvous_local import METHODS, VARIANT

EXPERIMENT = Experiment(
    name="rendezvous-local-distance",
    title="Rendezvous, communication radius 40: mean distance over time",
    findings=("comm helps even at 10 agents",),
    trainings=METHODS,
    contest=Contest(VARIANT, METHODS, (("consensus", "consensus"),), agents=(20, 10), horizon=500),
)
