"""What there is to run, and what of it is missing."""

import importlib
import pkgutil
from collections.abc import Iterable
from dataclasses import dataclass

from swarmbed.spec.errors import choose
from swarmbed.study import experiments as folder
from swarmbed.study.budget import Budget
from swarmbed.study.experiments.base import Experiment, Training
from swarmbed.study.store import Store

# The order of the study, the most telling first.
ORDER = (
    "rendezvous-global", "pursuit-global", "rendezvous-local", "pursuit-local", "multi-pursuit",
    "rendezvous-global-distance", "rendezvous-global-longer", "pursuit-global-capture", "rendezvous-local-distance",
    "pursuit-local-capture", "rendezvous-trace", "pursuit-trace", "moments", "pooling", "rendezvous-dimension",
    "architecture", "cost", "recipe-pursuit", "recipe-pursuit-few", "recipe-rendezvous", "recipe-rendezvous-local",
    "recipe-pursuit-local", "recipe-multi-pursuit",
)  # fmt: skip


@dataclass(frozen=True)
class Job:
    """One run to train."""

    training: Training
    seed: int
    iterations: int

    def __str__(self) -> str:
        return f"{self.training.name} seed {self.seed}"


@dataclass(frozen=True)
class Evaluation:
    """The runs of an experiment that have not been evaluated yet, as far as claims read them."""

    experiment: str

    def __str__(self) -> str:
        return f"evaluation of {self.experiment}"


Work = Job | Evaluation


def experiments() -> dict[str, Experiment]:
    """Every experiment by name."""
    modules = [
        importlib.import_module(f"{folder.__name__}.{info.name}") for info in pkgutil.iter_modules(folder.__path__)
    ]
    found = {m.EXPERIMENT.name: m.EXPERIMENT for m in modules if hasattr(m, "EXPERIMENT")}
    return {name: found[name] for name in sorted(found, key=lambda n: ORDER.index(n) if n in ORDER else len(ORDER))}


def chosen(names: list[str]) -> list[Experiment]:
    """Experiments by name; ``all`` is every one."""
    known = experiments()
    for name in names:
        choose("experiment", name, [*known, "all"])
    return list(known.values()) if "all" in names else [known[name] for name in dict.fromkeys(names)]


def wanted(which: Iterable[Experiment], budget: Budget, seeds: int | None) -> list[Job]:
    """Runs that these experiments ask for, first seeds first; a training that several share is asked for once."""
    jobs: dict[tuple[str, int], Job] = {}
    for experiment in which:
        for training in experiment.trainings:
            for seed in range(seeds_of(experiment, training, budget, seeds)):
                jobs[training.name, seed] = Job(training, seed, budget.iterations(training))
    return sorted(jobs.values(), key=lambda job: job.seed)


def missing(which: Iterable[Experiment], store: Store, budget: Budget, seeds: int | None) -> list[Job]:
    """Those of them that are not there yet."""
    jobs = wanted(which, budget, seeds)
    trainings = {job.training.name: job.training for job in jobs}
    done = {name: store.finished_seeds(training, budget) for name, training in trainings.items()}
    return [job for job in jobs if job.seed not in done[job.training.name]]


def seeds_of(experiment: Experiment, training: Training, budget: Budget, seeds: int | None) -> int:
    """How many runs of a training an experiment wants."""
    own = dict(experiment.more_seeds).get(training.name, experiment.seeds)
    return seeds if seeds is not None else budget.seeds(own)
