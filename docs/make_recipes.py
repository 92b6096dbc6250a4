"""Writes the table of what recipes reach into docs/learning.md: ``python docs/make_recipes.py``.

No number of it is typed by hand; a test fails when the page is not what this script makes of results/.
"""

import re
from dataclasses import dataclass, replace
from statistics import mean, median

from results_files import DOCS, RESULTS

from swarmbed.evaluation.statistics import wilson_interval
from swarmbed.study.budget import BUDGETS
from swarmbed.study.claim_source import Source
from swarmbed.study.experiments import (
    recipe_multi_pursuit,
    recipe_pursuit,
    recipe_pursuit_few,
    recipe_pursuit_local,
    recipe_rendezvous,
    recipe_rendezvous_local,
)
from swarmbed.study.experiments.base import RECIPE_EPISODES
from swarmbed.study.inference import mean_above
from swarmbed.study.plan import experiments
from swarmbed.study.readings import Reached, Returned, Succeeds
from swarmbed.study.store import Store

PAGE = DOCS / "learning.md"
BEGIN, END = "<!-- recipes: python docs/make_recipes.py -->\n", "<!-- end of recipes -->"


@dataclass(frozen=True)
class Row:
    """What is measured of the recipe, of what stands beside it, and of a controller."""

    task: str
    measure: str
    ours: Reached | Returned
    theirs: Reached | Returned
    controller: str
    digits: int = 2
    percent: bool = False


def row(task: str, module: object, measure: str, reading: type, controller: str, *where: float, **look: object) -> Row:
    recipe, paper = module.EXPERIMENT.trainings
    ours, theirs = (reading(training, module.NAME, *where) for training in (recipe, paper))
    return Row(task, measure, ours, theirs, controller, **look)


BY_200 = "caught by step 200"
APART = "mean distance at step 200"
RETURN = "return over 500 steps"
SHARE = {"digits": 1, "percent": True}
PURSUIT, LOCAL = "pursuit, 10 pursuers", "pursuit-local, 20 pursuers"
FEW = "pursuit, `--preset few`, {} pursuers"
ROWS = (
    row(PURSUIT, recipe_pursuit, "trials that catch 95 % by step 1024", Succeeds, "Voronoi", 10, 1024, 0.95),
    row(PURSUIT, recipe_pursuit, BY_200, Reached, "Voronoi", 10, 200, **SHARE),
    row(FEW.format(5), recipe_pursuit_few, BY_200, Reached, "Voronoi", 5, 200, **SHARE),
    row(FEW.format(10), recipe_pursuit_few, BY_200, Reached, "Voronoi", 10, 200, **SHARE),
    row(LOCAL, recipe_pursuit_local, "trials that catch 95 % by step 1024", Succeeds, "Voronoi", 20, 1024, 0.95),
    row(LOCAL, recipe_pursuit_local, BY_200, Reached, "Voronoi", 20, 200, **SHARE),
    row("rendezvous, 20 agents", recipe_rendezvous, RETURN, Returned, "PD", 20),
    row("rendezvous, 20 agents", recipe_rendezvous, APART, Reached, "PD", 20, 200, digits=4),
    row("rendezvous-local, 20 agents", recipe_rendezvous_local, RETURN, Returned, "consensus", 20),
    row("rendezvous-local, 10 agents", recipe_rendezvous_local, RETURN, Returned, "consensus", 10),
    row("rendezvous-local, 20 agents", recipe_rendezvous_local, APART, Reached, "consensus", 20, 200, digits=4),
    row("multi-pursuit, 50 and 5", recipe_multi_pursuit, "evaders per episode", Returned, "Voronoi", 50, digits=1),
)


def table() -> str:
    """Only what was measured as often as the page says."""
    for reading in (reading for row in ROWS for reading in (row.ours, row.theirs)):
        assert experiments()[reading.contest].contest.episodes == RECIPE_EPISODES
    lines = ["| task | measure | recipe | paper's settings | controller |", "|---|---|---|---|---|"]
    return "\n".join([*lines, *map(_line, ROWS)]) + "\n"


def _line(row: Row) -> str:
    source = _source(row.ours)
    beside = _runs(row, row.theirs, source)
    cells = [row.task, row.measure, _runs(row, row.ours, source), beside]
    return f"| {' | '.join([*cells, _controller(row, source)])} |"


def _source(reading: Reached | Returned) -> Source:
    """Every run that there is, not only those that decided a claim."""
    experiment = experiments()[reading.contest]
    every = replace(experiment, seeds=16, more_seeds=())
    return Source(Store(RESULTS, RESULTS), BUDGETS["paper"], every)


def _runs(row: Row, reading: Reached | Returned, source: Source) -> str:
    values = list(reading.values(source).values())
    if not values:
        return "–"
    if isinstance(reading, Succeeds):
        found, low, high = int(sum(values)), *wilson_interval(int(sum(values)), len(values))
        return f"{found} of {len(values)} [{low:.2f}, {high:.2f}]"
    (effect,) = mean_above(values, 0.0, "").effects
    number = lambda value: _number(row, value)  # noqa: E731
    if len(values) == 1:
        return f"{number(values[0])} (one run)"
    ordered = sorted(values, reverse=not reading.higher_is_better)
    high = min(effect.high, 1.0) if row.percent else effect.high
    shown = f"{number(mean(values))} [{number(effect.low)}, {number(high)}], median {number(median(values))}"
    return f"{shown}, {number(ordered[0])} to {number(ordered[-1])} ({len(values)} runs)"


def _controller(row: Row, source: Source) -> str:
    value = row.ours.of_controller(source, row.controller)
    if value is None or isinstance(row.ours, Succeeds):
        return "–"
    return f"{row.controller} {_number(row, value)}"


def _number(row: Row, value: float) -> str:
    value = 100 * value if row.percent else value
    return f"{value:.{row.digits}f}{' %' if row.percent else ''}".replace("-", "−")


def text() -> str:
    """The page with today's table."""
    return re.sub(f"(?s){re.escape(BEGIN)}.*{re.escape(END)}", f"{BEGIN}\n{table()}\n{END}", PAGE.read_text())


if __name__ == "__main__":
    PAGE.write_text(text())
