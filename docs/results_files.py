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


def metric(panel: dict[str, Any]) -> str:
    return "captured_by" if any("captured_by" in s for s in standings_in(panel).values()) else "mean_distance"
