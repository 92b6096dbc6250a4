"""Where the measurements behind docs/results.md are."""

import csv
import json
from pathlib import Path
from typing import Any

from swarmbed.evaluation.comparison import standings_in

DOCS = Path(__file__).parent
RESULTS = DOCS.parent / "results"
DECISIONS = {"alone": "network_alone", "all": "network_of_all", "voronoi": "voronoi_of_all"}


def load(experiment: str, file: str) -> Any:
    return json.loads((RESULTS / experiment / file).read_text())


def read_returns(path: Path) -> list[float]:
    return [float(row["mean_return"] or "nan") for row in csv.DictReader(path.open())]


# What a contest is about, and in which words; the first that was measured counts.
METRICS = {
    "captured_by": "share of evaders caught by step",
    "captures_by": "evaders caught by step",
    "mean_distance": "mean distance at step",
}


def metric(panel: dict[str, Any]) -> str:
    measured = set().union(*standings_in(panel).values())
    return next(name for name in METRICS if name in measured)
