"""swarmbed reproduce: every figure of the paper."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.table import Table

from swarmbed.cli.flags import Parser
from swarmbed.compute import devices
from swarmbed.evaluation.progress import progress_bar
from swarmbed.evaluation.reports import show
from swarmbed.spec.errors import SwarmbedError
from swarmbed.study import claim_report, decide, each_run, generation, local, plan
from swarmbed.study.budget import BUDGETS, Budget
from swarmbed.study.claim_source import judgements
from swarmbed.study.claims import MEASUREMENT
from swarmbed.study.experiments.base import Experiment
from swarmbed.study.freshness import is_up_to_date, mark_concluded
from swarmbed.study.live import PlainProgress, minutes_or_hours, progress_table
from swarmbed.study.pace import Pace
from swarmbed.study.ray_pool import RayPool
from swarmbed.study.store import Store

SUMMARY = "Reproduce the paper: list what is missing, run it, plot the figures"
EXAMPLE = """
swarmbed reproduce                                      # what has run, what is missing, how long it will take
swarmbed reproduce rendezvous-global --budget quick
swarmbed reproduce --claims                             # what the runs say about every finding
swarmbed reproduce --decide --hours 8                   # train the runs that settle the most open claims
swarmbed reproduce pursuit-local-capture --evaluate     # evaluate new runs for the claims, without figures
swarmbed reproduce all --seeds 5
swarmbed reproduce pooling --seeds 16 --on ray://head:10001
"""


OLDER = "of older runs"


def run(argv: Sequence[str]) -> None:
    options = _parser().parse(argv)
    budget = BUDGETS[options.budget]
    results = Path(options.results or ("results" if options.budget == "paper" else f"results-{options.budget}"))
    store = Store(results, Path(options.work or f"runs/reproduce-{options.budget}"))
    if options.seeds is not None and options.seeds < 1:
        raise SwarmbedError(f"--seeds must be at least 1, not {options.seeds}")
    if options.workers < 1:
        raise SwarmbedError(f"--workers must be at least 1, not {options.workers}")
    if options.hours is not None and not options.hours > 0:
        raise SwarmbedError(f"--hours must be above 0, not {options.hours:g}")
    if options.decide != (options.hours is not None):
        raise SwarmbedError("--decide needs --hours H, and --hours only says how long --decide may take")
    if options.evaluate and (options.decide or options.claims or options.redraw):
        raise SwarmbedError("--evaluate only evaluates; it does not go with --decide, --claims or --redraw")
    which = plan.chosen(options.experiment or ["all"])
    if options.evaluate:
        evaluate(which, store, budget)
        return
    if options.decide:
        decide_claims(which, store, budget, options)
    if options.claims or options.decide:
        judged = {experiment.name: judgements(experiment, store, budget) for experiment in which}
        show(None, claim_report.table(judged))
        Console(soft_wrap=True).print(generation.census(results), highlight=False)
        return
    if not options.experiment:
        show(None, overview(store, budget, options.seeds, options.workers))
        return
    reproduce(which, store, budget, options)


def _parser() -> Parser:
    parser = Parser("reproduce", SUMMARY, EXAMPLE)
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
    parser.add_argument("--results", metavar="DIR", help="folder of the results (default: results, or results-quick)")
    parser.add_argument("--work", metavar="DIR", help="folder of runs and checkpoints (default: under runs/)")
    parser.add_argument(
        "--claims", action="store_true", help="train nothing; print which findings hold, fail or are open, and why"
    )
    parser.add_argument(
        "--decide",
        action="store_true",
        help="train the runs that are expected to settle the most open claims per minute",
    )
    parser.add_argument(
        "--hours", type=float, metavar="H", help="time limit of --decide: start no run that would exceed it"
    )
    parser.add_argument(
        "--evaluate", action="store_true", help="train and plot nothing; evaluate runs that claims wait for"
    )
    parser.add_argument("--redraw", action="store_true", help="train nothing; evaluate and plot again")
    return parser


def reproduce(which: list[Experiment], store: Store, budget: Budget, options: argparse.Namespace) -> None:
    """Train what is missing, then evaluate and draw every experiment that has its runs."""
    console = Console(stderr=True)
    jobs = [] if options.redraw else plan.missing(which, store, budget, options.seeds)
    if jobs:
        _train(jobs, make_pool(options.on, store, budget, options.workers), store, console)
    incomplete = _conclude(which, store, budget, console, redraw=options.redraw)
    if incomplete:
        raise SwarmbedError("; ".join(incomplete))


def decide_claims(which: list[Experiment], store: Store, budget: Budget, options: argparse.Namespace) -> None:
    """Train, look, and train again until the claims are decided, the plan is done or the time is up."""
    console = Console(stderr=True)

    def say(work: plan.Work, known: decide.Judged) -> None:
        decided = claim_report.summary(judgement for _, claims in known for judgement in claims)
        cost = minutes_or_hours(decide.seconds_left(known, store, budget))
        line = f"{decided}; next: {work}; up to the next test of all that is open: {cost} of one core"
        console.print(line, highlight=False, soft_wrap=True)

    chooser = decide.Chooser(which, store, budget, 3600 * options.hours, say)
    _train([], make_pool(options.on, store, budget, options.workers), store, console, chooser)
    if (run := chooser.too_long) is not None:
        takes = minutes_or_hours(run.seconds)
        line = f"the next run, {run.job}, takes about {takes}, which is longer than what was left of --hours"
        console.print(line, highlight=False, soft_wrap=True)
    unmeasured = [e.name for e in which if any(j.missing == MEASUREMENT for j in judgements(e, store, budget))]
    old = [experiment.name for experiment in which if _drawn(experiment, store, budget) == OLDER]
    where = f"--results {store.results} --work {store.work} --budget {budget.name}"
    for what, names in (("measured beside training", unmeasured), ("figures of older runs", old)):
        if names:
            line = f"{what}: swarmbed reproduce {' '.join(names)} --seeds 1 {where}"
            console.print(line, highlight=False, soft_wrap=True)


def evaluate(which: list[Experiment], store: Store, budget: Budget) -> None:
    """What claims read of runs that were not evaluated yet; figures stay as they are."""
    devices.set_up()
    from swarmbed.study.outcome import evaluate_runs

    for experiment in which:
        total = each_run.count_episodes(experiment.contest, store, budget) if experiment.contest else 1
        with progress_bar(total, experiment.name) as report:
            made = evaluate_runs(experiment, store, budget, report if experiment.contest else None)
        for path in made:
            _say(f"{experiment.name:<28} {path}")


def _conclude(
    which: list[Experiment], store: Store, budget: Budget, console: Console, *, redraw: bool = False
) -> list[str]:
    """Evaluate and plot what is out of date; returns what cannot be evaluated, and why."""
    devices.set_up()
    from swarmbed.study.outcome import conclude

    incomplete = []
    for experiment in which:
        lacking = plan.missing([experiment], store, budget, 1)
        if lacking:
            incomplete.append(f"{experiment.name} lacks {', '.join(job.training.name for job in lacking)}")
            continue
        if is_up_to_date(experiment, store, budget) and not redraw:
            _say(f"{experiment.name:<28} up to date")
            continue
        if not console.is_terminal:
            console.print(f"{experiment.name}: evaluating and drawing …", highlight=False)
        with progress_bar(_episodes(experiment, store, budget), experiment.name) as report:
            made = conclude(experiment, store, budget, report if experiment.contest else None, again=redraw)
        mark_concluded(experiment, store, budget, made)
        for path in made:
            _say(f"{experiment.name:<28} {path}")
    return incomplete


def _train(
    jobs: list[plan.Job], pool: Any, store: Store, console: Console, more: local.More = local.nothing_more
) -> None:
    if console.is_terminal:
        with Live(console=console, refresh_per_second=1, transient=True) as live:
            pool.watch = lambda p: live.update(progress_table(p, store))
            pool.run(jobs, more)
    else:
        pool.watch = PlainProgress(store, lambda line: console.print(line, highlight=False, soft_wrap=True))
        pool.run(jobs, more)
    for name, reason in pool.failed.items():
        console.print(f"{name} failed: {reason}", style="red", highlight=False)


def _say(line: str) -> None:
    Console(soft_wrap=True).print(line, highlight=False)


def _episodes(experiment: Experiment, store: Store, budget: Budget) -> int:
    contest = experiment.contest
    if contest is None:
        return 1
    shown = len(contest.agents) * (len(contest.trainings) + len(contest.controllers)) * budget.episodes
    return shown + each_run.count_episodes(contest, store, budget)


def make_pool(where: str, store: Store, budget: Budget, workers: int) -> Any:
    if where == "local":
        return local.LocalPool(store, budget, workers)
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
    pace = Pace(store)
    for experiment in plan.experiments().values():
        wanted = sum(plan.seeds_of(experiment, t, budget, seeds) for t in experiment.trainings)
        jobs = plan.missing([experiment], store, budget, seeds)
        table.add_row(
            experiment.name, experiment.title, f"{wanted - len(jobs)}/{wanted}", str(len(jobs) or "–"),
            minutes_or_hours(pace.duration(jobs, workers)) if jobs else "–", _drawn(experiment, store, budget),
        )  # fmt: skip
    jobs = plan.missing(list(plan.experiments().values()), store, budget, seeds)
    total = minutes_or_hours(pace.duration(jobs, workers)) if jobs else "–"
    table.add_section()
    table.add_row("all", "runs that several experiments share are run once", "", str(len(jobs) or "–"), total, "")
    return table


def _drawn(experiment: Experiment, store: Store, budget: Budget) -> str:
    if not any(store.experiment_folder(experiment.name).glob("*.*")):
        return "no"
    return "yes" if is_up_to_date(experiment, store, budget) else OLDER
