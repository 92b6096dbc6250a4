"""The leaderboard: how well each entry does on a board, how certain that is, and what it cost. Stored in JSON files."""

import hashlib
import json
from pathlib import Path
from typing import Any, cast

import jax
import numpy as np
from rich.table import Table

from swarmbed import __version__
from swarmbed.evaluation import reports, statistics
from swarmbed.evaluation.episodes import group_size
from swarmbed.evaluation.evaluate import Evaluation, evaluate
from swarmbed.evaluation.progress import Report
from swarmbed.learn import estimate
from swarmbed.policy.find import NamedController, as_named_controller
from swarmbed.policy.headers import notes_of, shipped_policies
from swarmbed.policy.policy import Policy
from swarmbed.run.folder import read_rows
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.files import json_checksum, read_json, write_atomically
from swarmbed.study.boards import SEED, Board, check_same_starts, published_starts
from swarmbed.study.cost import microseconds
from swarmbed.study.published import path_of
from swarmbed.study.store import noted, score
from swarmbed.tasks import make

EPISODES = 100
PROCESSOR, CLOCK = "training_processor_minutes", "training_clock_minutes"
Row = dict[str, Any]
ROW = {  # what every row says
    "return_mean", "return_ci", "returns", "numbers", "decision_microseconds", PROCESSOR, "made_from",
}  # fmt: skip
Kept = dict[str, Any]  # a board's file: its task, its starts, and rows by name


def published(board: Board) -> Path:
    """Where a board's rows are."""
    return path_of(board.name)


def read(board: Board, path: Path) -> Kept:
    if not path.is_file():
        raise SwarmbedError(f"no results of the board {board.name} in {path.parent}; 'leaderboard --run' makes them")
    return _checked(read_json(path), path)


def begin(board: Board, path: Path, episodes: int) -> Kept:
    """The rows that there are, which must come from the same starts; an empty board where there are none."""
    estimate.check_episodes(board.task, episodes, group_size(episodes), board.task.horizon)
    starts = published_starts(board, episodes)
    kept = read(board, path) if path.is_file() else None
    if kept is not None:
        if kept["starts"]["fingerprint"] != starts["fingerprint"]:
            raise SwarmbedError(
                f"{path} has rows from {kept['starts']['episodes']} other starts, which cannot be compared: "
                "give another --results, or remove the file"
            )
        check_same_starts(starts, kept["starts"])
        return kept
    return {"board": board.name, "task": board.variant, "agents": board.agents, "starts": starts, "rows": {}}


def _checked(kept: Any, path: Path) -> Kept:
    """A board's file as :func:`write` leaves it; anything else says so instead of being replaced or half understood."""
    holds = lambda part, names: isinstance(part, dict) and not names - part.keys()  # noqa: E731
    if (
        not holds(kept, {"task", "agents", "starts", "rows"})
        or not holds(kept["starts"], {"fingerprint", "episodes"})
        or not isinstance(kept["rows"], dict)
        or not all(holds(row, ROW) for row in kept["rows"].values())
    ):
        raise SwarmbedError(f"file {path} is damaged, or not the rows of a leaderboard")
    # Files of earlier versions carry no checksum.
    if kept.pop("sha256", None) not in (None, json_checksum(kept)):
        raise SwarmbedError(f"file {path} is damaged: its checksum does not match")
    return cast(Kept, kept)


def write(kept: Kept, path: Path) -> None:
    """One line per row, for easy comparison of two versions."""
    rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(kept["rows"].items()))
    head = {"sha256": json_checksum(kept)} | {key: value for key, value in kept.items() if key != "rows"}
    text = json.dumps(head, indent=1)[:-2] + ',\n "rows": {\n' + rows + "\n }\n}\n"
    write_atomically(path, text.encode())


def missing(board: Board, kept: Kept) -> list[str]:
    """The entries that have no row yet or have changed since."""
    rows = kept["rows"]
    return [who for who in board.entrants() if who not in rows or rows[who]["made_from"] != made_from(who)]


def made_from(who: str) -> str:
    """A fingerprint of a shipped policy's file; a controller is known by the version of the package."""
    path = shipped_policies().get(who)
    return f"swarmbed {__version__}" if path is None else hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def measure(
    who: str | NamedController,
    board: Board,
    episodes: int,
    *,
    observation: str | None = None,
    results: Path | None = None,
    progress: bool | Report = True,
) -> Row:
    """One row: how well a policy does on a board's starts, and what it costs. ``observation`` is for a policy that does
    not say what it observes; ``results`` is the folder of the runs behind shipped policies."""
    named = as_named_controller(who)
    task = board.task if observation is None else make(board.variant, num_agents=board.agents, observation=observation)
    evaluation = evaluate(named, task, episodes=episodes, seed=SEED, progress=progress)
    return {
        **outcome(evaluation),
        "kind": "policy" if named.task is not None else "controller",
        "numbers": size(named),
        "decision_microseconds": round(decision(named, evaluation), 2),
        **({PROCESSOR: None} if results is None else training_cost(named.name, results)),
        "made_from": made_from(named.name),
        "swarmbed": __version__,
    }


def outcome(evaluation: Evaluation) -> Row:
    """Returns start by start, for paired comparisons, and the metric that says most at the end of the episode."""
    low, high = statistics.mean_interval(evaluation.returns)
    row: Row = {
        "return_mean": reports.plain(evaluation.returns.mean()),
        "return_ci": [reports.plain(low), reports.plain(high)],
        "returns": [float(f"{value:.5g}") for value in evaluation.returns],
    }
    if (metric := evaluation.headline) is not None:
        last = evaluation.curves[metric.curve][:, -1]
        low, high = statistics.mean_interval(last)
        if metric.is_share:
            low, high = statistics.wilson_interval(float(last.sum()), len(last))
        row |= {
            "metric": metric.label,
            "share": metric.is_share,
            "metric_mean": reports.plain(last.mean()),
            "metric_ci": [reports.plain(low), reports.plain(high)],
        }
    return row


def size(named: NamedController) -> int:
    """Its number of parameters: weights of a policy, gains of a controller; 0 if unknown."""
    controller = named.controller
    if isinstance(controller, Policy):
        return sum(leaf.size for leaf in jax.tree.leaves(controller.params.network))
    return len(getattr(controller, "__dataclass_fields__", {}))


def decision(named: NamedController, evaluation: Evaluation) -> float:
    """Microseconds from the state to one agent's action: all agents at once, divided by their number."""
    task = evaluation.task
    state = jax.jit(task.initial)(jax.random.key(SEED))
    control = jax.jit(lambda state: named.controller.control(task, state, jax.random.key(0)))
    return microseconds(lambda: control(state)) / task.num_agents


def training_cost(who: str, results: Path) -> Row:
    """Minutes of the run that a shipped policy comes from, if it is kept: on the processor and by the clock. The first
    is None where the run did not record it."""
    path = shipped_policies().get(who)
    notes = {} if path is None else notes_of(path)
    for metrics in sorted((results / "runs").glob(f"*/seed-{notes.get('seed')}.csv")):
        rows = read_rows(metrics)
        if rows and noted(score(rows)) == notes.get("score"):
            worked, took = (rows[-1].get(clock, np.nan) for clock in ("processor_seconds", "seconds"))
            return {PROCESSOR: _minutes(worked), CLOCK: _minutes(took)}
    return {PROCESSOR: None}


def _minutes(seconds: float) -> float | None:
    return None if np.isnan(seconds) else round(seconds / 60, 1)


def ranked(rows: dict[str, Row]) -> list[tuple[int, str, Row]]:
    """Rows by rank, and of equal rank by mean return. A rank is one more than the number of those that are better on
    the same starts with 95 % confidence, so ranks are shared where the starts do not tell two apart."""
    order = sorted(rows, key=lambda name: -rows[name]["return_mean"])
    returns = {name: np.array(rows[name]["returns"]) for name in order}
    better = {
        name: sum(
            float(statistics.mean_interval(returns[other] - returns[name]).low) > 0 for other in order if other != name
        )
        for name in order
    }
    return sorted(((1 + better[name], name, rows[name]) for name in order), key=lambda entry: entry[0])


HEADINGS = ("rank", "name", "return", "at the end", "training", "size", "decision")


def cells(rank: int, name: str, row: Row) -> tuple[str, ...]:
    """A row in words."""
    ends = ""
    if "metric" in row:
        value = reports.with_interval(row["metric_mean"], *row["metric_ci"], share=row["share"])
        ends = f"{row['metric']} {value}"
    worked, took = row[PROCESSOR], row.get(CLOCK)
    trained = "" if took is None else f"({took:g} min)"  # by the clock, on a machine that may have done other work
    return (
        str(rank),
        name,
        reports.with_interval(row["return_mean"], *row["return_ci"]),
        ends,
        trained if worked is None else f"{worked:g} min",
        f"{row['numbers']:,}",
        f"{row['decision_microseconds']:.1f} µs",
    )


def table(kept: Kept) -> Table:
    """A board for the terminal."""
    shown = reports.plain_table()
    for heading in HEADINGS:
        shown.add_column(heading, justify="left" if heading in ("name", "at the end") else "right", overflow="fold")
    for entry in ranked(kept["rows"]):
        shown.add_row(*cells(*entry))
    return shown


def title(kept: Kept) -> str:
    starts = kept["starts"]
    return f"{kept['task']}, {kept['agents']} agents: {starts['episodes']} starts, fingerprint {starts['fingerprint']}"
