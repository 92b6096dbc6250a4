"""swarmbed reproduce: every figure of the paper."""

import argparse
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.table import Table

from swarmbed import devices
from swarmbed.errors import SwarmbedError
from swarmbed.flags import Parser
from swarmbed.paper.base import Experiment
from swarmbed.progress_bar import progress_bar
from swarmbed.reproduction import plan
from swarmbed.reproduction.budget import BUDGETS, Budget
from swarmbed.reproduction.local import LocalPool
from swarmbed.reproduction.ray_pool import RayPool
from swarmbed.reproduction.store import Store

SUMMARY = "Reproduce the paper: list what is missing, run it, draw its figures"
EXAMPLE = """
swarmbed reproduce                                      # what there is, what is missing, how long it will take
swarmbed reproduce rendezvous-global --budget quick
swarmbed reproduce all --seeds 5
swarmbed reproduce pooling --seeds 16 --on ray://head:10001
"""


def run(argv: Sequence[str]) -> None:
    options = _parser().parse(argv)
    budget = BUDGETS[options.budget]
    results = Path(options.results or ("results" if options.budget == "paper" else f"results-{options.budget}"))
    store = Store(results, Path(options.work or f"runs/reproduce-{options.budget}"))
    if options.seeds is not None and options.seeds < 1:
        raise SwarmbedError(f"--seeds must be at least 1, not {options.seeds}")
    if options.workers < 1:
        raise SwarmbedError(f"--workers must be at least 1, not {options.workers}")
    if not options.experiment:
        Console().print(overview(store, budget, options.seeds, options.workers))
        return
    reproduce(plan.chosen(options.experiment), store, budget, options)


def _parser() -> Parser:
    parser = Parser("reproduce", SUMMARY, EXAMPLE, "[ID ...]")
    known = ", ".join(plan.experiments())
    parser.add_argument("experiment", nargs="*", metavar="ID", help=f"'all', or some of: {known}")
    parser.add_argument(
        "--seeds", type=int, metavar="K", help="runs per method (default: what the experiment asks for)"
    )
    parser.add_argument("--budget", choices=tuple(BUDGETS), default="paper", help="quick: a first look in minutes")
    parser.add_argument(
        "--on", default="local", metavar="WHERE", help="local, ray, or ray://HOST:PORT (extra: cluster)"
    )
    cores = devices.available_cores()
    parser.add_argument("--workers", type=int, default=cores, help=f"processes on this machine (default: {cores})")
    parser.add_argument("--results", metavar="DIR", help="where results are kept (default: results, or results-quick)")
    parser.add_argument("--work", metavar="DIR", help="where runs and checkpoints are (default: under runs/)")
    parser.add_argument("--redraw", action="store_true", help="train nothing, only evaluate and draw what is there")
    return parser


def reproduce(which: list[Experiment], store: Store, budget: Budget, options: argparse.Namespace) -> None:
    """Train what is missing, then evaluate and draw every experiment that has its runs."""
    console = Console(stderr=True)
    jobs = [] if options.redraw else plan.missing(which, store, budget, options.seeds)
    if jobs:
        pool = make_pool(options.on, store, budget, options.workers)
        with Live(console=console, refresh_per_second=1, transient=True) as live:
            pool.watch = lambda p: live.update(progress_table(p, store)) if console.is_terminal else None
            pool.run(jobs)
        for name, reason in pool.failed.items():
            console.print(f"{name} failed: {reason}", style="red", highlight=False)
    devices.set_up()
    from swarmbed.reproduction.outcome import conclude

    incomplete = []
    for experiment in which:
        lacking = plan.missing([experiment], store, budget, 1)
        if lacking:
            incomplete.append(f"{experiment.name} lacks {', '.join(job.training.name for job in lacking)}")
            continue
        with progress_bar(_episodes(experiment, budget), experiment.name) as report:
            for path in conclude(experiment, store, budget, report if experiment.contest else None):
                Console(soft_wrap=True).print(f"{experiment.name:<28} {path}", highlight=False)
    if incomplete:
        raise SwarmbedError("; ".join(incomplete))


def _episodes(experiment: Experiment, budget: Budget) -> int:
    contest = experiment.contest
    if contest is None:
        return 1
    return len(contest.agents) * (len(contest.trainings) + len(contest.controllers)) * budget.episodes


def make_pool(where: str, store: Store, budget: Budget, workers: int) -> Any:
    if where == "local":
        return LocalPool(store, budget, workers)
    if where == "ray" or where.startswith("ray://"):
        return RayPool(store, budget, None if where == "ray" else where)
    raise SwarmbedError(f"--on must be local, ray or ray://HOST:PORT, not {where!r}")


def overview(store: Store, budget: Budget, seeds: int | None, workers: int) -> Table:
    """Every experiment: what has been run, what is missing, how long that will take."""
    table = Table(
        title=f"experiments (budget {budget.name}, results in {store.results})", title_justify="left", box=None
    )
    for heading in ("id", "what", "runs", "missing", "time left", "figure"):
        table.add_column(heading, overflow="fold")
    for experiment in plan.experiments().values():
        wanted = sum(plan.seeds_of(experiment, t, budget, seeds) for t in experiment.trainings)
        jobs = plan.missing([experiment], store, budget, seeds)
        drawn = any(store.experiment_folder(experiment.name).glob("*.*"))
        table.add_row(
            experiment.name, experiment.title, f"{wanted - len(jobs)}/{wanted}", str(len(jobs) or "–"),
            _time(plan.duration(jobs, store, workers)) if jobs else "–", "yes" if drawn else "no",
        )  # fmt: skip
    jobs = plan.missing(list(plan.experiments().values()), store, budget, seeds)
    total = _time(plan.duration(jobs, store, workers)) if jobs else "–"
    table.add_section()
    table.add_row("all", "runs that several experiments share are run once", "", str(len(jobs) or "–"), total, "")
    return table


def progress_table(pool: Any, store: Store) -> Table:
    """Which runs are under way and when they will end."""
    table = Table(box=None, title_justify="left")
    table.title = f"{len(pool.finished)} runs done, {len(pool.waiting)} waiting, {len(pool.failed)} failed"
    for heading in ("run", "iteration", "return", "time left"):
        table.add_column(heading)
    jobs = [r.job for r in pool.running] if isinstance(pool, LocalPool) else list(pool.under_way.values())
    for job in jobs:
        rows = store.run_folder(job.training, job.seed).read_metrics()
        left = (job.iterations - len(rows)) * rows[-1]["seconds"] / rows[-1]["iteration"] if rows else None
        value = rows[-1]["mean_return"] if rows else math.nan
        shown = "…" if math.isnan(value) else f"{value:.2f}"
        table.add_row(f"{job.training.name} seed {job.seed}", f"{len(rows)}/{job.iterations}", shown, _time(left))
    return table


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "unknown until one has run"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 100 else f"{minutes / 60:.1f} h"
