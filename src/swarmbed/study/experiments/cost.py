"""What a run and a decision cost."""

import math
from typing import Any

from swarmbed.study.claims import Claim
from swarmbed.study.experiments.base import Experiment
from swarmbed.study.measured_kinds import EveryRun, Measured

Numbers = dict[str, Any]


def hours(numbers: Numbers) -> dict[str, float]:
    """Processor hours by run; NaN for a run that did not record them."""
    worked = numbers.get("training_processor_seconds", {})
    return {run: worked.get(run, math.nan) / 3600 for run in numbers.get("training_seconds", {})}


def alone(numbers: Numbers) -> dict[str, float]:
    """Microseconds that one agent takes to decide, by size of swarm."""
    return {f"{n} agents": entry["network_alone"] for n, entry in numbers["decision_microseconds"].items()}


def voronoi(numbers: Numbers) -> dict[str, float]:
    """How many times longer Voronoi control takes than the network."""
    decisions = numbers["decision_microseconds"].items()
    return {f"{n} agents": entry["voronoi_of_all"] / entry["network_of_all"] for n, entry in decisions}


def pairs(numbers: Numbers) -> dict[str, float]:
    """Bytes of all observations per ordered pair of agents, over what they are in the smallest swarm."""
    each = {int(n): size / (int(n) * (int(n) - 1)) for n, size in numbers["observation_bytes"].items()}
    return {f"{n} agents": size / each[min(each)] for n, size in each.items()}


EXPERIMENT = Experiment(
    name="cost",
    title="Time and memory of training and of one decision",
    claims=(
        Claim(
            "4–6 h on ten cores",
            EveryRun("processor hours of a run: above 40", "cost", hours, above=40.0),
            "the authors' script does about 488 iterations, the runs here 60 to 150",
        ),
        Claim(
            "about 1 ms per forward pass",
            Measured("microseconds of one agent's decision: below 1000 for every size", "cost", alone, 0.0, 1000.0),
            "one machine",
        ),
        Claim(
            "O(N(N − 1)) memory",
            Measured(
                "bytes per ordered pair of agents, over that of the smallest swarm: 0.5 to 2", "cost", pairs, 0.5, 2.0
            ),
        ),
        Claim(
            "Voronoi control of the same order",
            Measured("time of Voronoi control over that of the network: 0.1 to 10", "cost", voronoi, 0.1, 10.0),
            "one machine, all agents at once",
        ),
    ),
    measure="cost",
)
