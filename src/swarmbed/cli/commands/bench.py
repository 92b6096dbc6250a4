"""swarmbed bench: how fast everything is on this machine."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

from swarmbed.benchmarks import Effort, Group, Row, chosen, groups, runner
from swarmbed.benchmarks.machine import sentences
from swarmbed.benchmarks.table import print_table, remarks
from swarmbed.cli.flags import Parser
from swarmbed.evaluation.progress import Bar
from swarmbed.evaluation.reports import check_output
from swarmbed.spec.errors import SwarmbedError

SUMMARY = "Measure speed on this machine"
EXAMPLE = """
swarmbed bench --json bench.json
swarmbed bench --quick --only simulator
swarmbed bench --only rendezvous-20 pursuit-10
"""
REPETITIONS, QUICK_REPETITIONS = 7, 2


def run(argv: Sequence[str]) -> None:
    options = parse(argv)
    check_output(options.json, "--json")
    report = measure(
        chosen(options.only), quick=options.quick, path=None if options.json is None else Path(options.json)
    )
    failed = [name for group in report["groups"].values() for name, row in group["rows"].items() if "failed" in row]
    if failed:
        raise SwarmbedError(f"bench: {len(failed)} measurement(s) failed: {', '.join(failed)}; the table says why")


def parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = Parser("bench", SUMMARY, EXAMPLE)
    parser.add_argument("--json", metavar="FILE", help="write all numbers to this file")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions and fewer batch sizes; less exact")
    names = "; ".join(f"{name}: {', '.join(row.name for row in group.rows)}" for name, group in groups().items())
    parser.add_argument("--only", nargs="+", metavar="NAME", help=f"only these groups or rows ({names})")
    return parser.parse(argv)


def measure(what: dict[str, Group], *, quick: bool, path: Path | None) -> runner.Report:
    """Measure groups, print each table and write the file as soon as one is complete, and return the whole report."""
    effort = Effort(QUICK_REPETITIONS if quick else REPETITIONS, quick)
    report = runner.new_report(effort)
    print("\n".join(sentences(report["machine"])), flush=True)
    watcher = Watcher(sum(len(group.rows) for group in what.values()))
    for name, group in what.items():
        with watcher:
            result = runner.run_group(name, group, replace(effort, say=watcher.say), watcher.next_row)
        report["groups"][name] = result
        print_group(group, result["rows"])
        if path is not None:
            runner.save(report, path)
    return report


class Watcher:
    """Shows on stderr what is being measured: live on a terminal, one line per row elsewhere."""

    def __init__(self, total: int) -> None:
        self.console = Console(stderr=True)
        self.total = total
        self.count = 0
        self.current = ""

    def __enter__(self) -> None:
        # A new one for every group: while a bar is shown, it takes over what is printed, and tables belong on stdout.
        columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
        self.bar = Bar(*columns, console=self.console, transient=True, disable=not self.console.is_terminal)
        self.work = self.bar.add_task("")
        self.bar.start()

    def __exit__(self, *exception: object) -> None:
        self.bar.stop()

    def next_row(self, row: Row) -> None:
        self.count += 1
        self.current = f"{self.count}/{self.total} {row.title}"
        self.bar.reset(self.work, description=self.current)
        if not self.console.is_terminal:
            self.console.print(f"measuring {self.current} …", highlight=False)

    def say(self, text: str) -> None:
        self.bar.update(self.work, description=f"{self.current}: {text}")


def print_group(group: Group, results: dict[str, dict[str, Any]]) -> None:
    """A group's table, what its numbers mean, and any caveats."""
    print()
    print_table(group, results)
    for line in filter(None, [group.note, *remarks(results)]):
        print(line)
    sys.stdout.flush()
