"""The published leaderboard, read without JAX: where its files are, and the champion of every task."""

import json
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

CHANCE = "random"  # the controller that no policy has to beat


class Champion(NamedTuple):
    """The shipped policy with the best return on a board, beside the best classical controller on the same starts."""

    name: str
    agents: int
    score: str
    rival: str
    rival_score: str


def path_of(board: str) -> Path:
    """A board's file: inside an installed package, in the repository that the package runs from, or in this folder."""
    package = Path(str(resources.files("swarmbed")))
    places = [package / "study" / "published", package.parents[1] / "results" / "leaderboard"]
    return next((path for place in places if (path := place / f"{board}.json").is_file()), _here(board))


def champions() -> list[Champion]:
    """One for every board that has been published."""
    folder = path_of("rendezvous-global-20").parent
    found = [_champion(path) for path in sorted(folder.glob("*.json"))]
    return [champion for champion in found if champion is not None]


def _champion(path: Path) -> Champion | None:
    try:
        board = json.loads(path.read_text())
        rows = board["rows"]
        policies = {name: row for name, row in rows.items() if row["kind"] == "policy"}
        controllers = {name: row for name, row in rows.items() if row["kind"] == "controller" and name != CHANCE}
        best, rival = (max(who, key=lambda name: who[name]["return_mean"]) for who in (policies, controllers))
        return Champion(best, board["agents"], _score(policies[best]), rival, _score(controllers[rival]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None  # a damaged file or one without both kinds; 'swarmbed leaderboard' says what is wrong with it


def _score(row: dict[str, Any]) -> str:
    at_the_end = float(row["metric_mean"])
    shown = f"{100 * at_the_end:.0f} %" if row.get("share") else f"{at_the_end:.2g}"
    return f"{float(row['return_mean']):.1f} ({row['metric']} {shown})"


def _here(board: str) -> Path:
    return Path("results") / "leaderboard" / f"{board}.json"
