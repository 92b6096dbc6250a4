"""Measure everything, keep the result in benchmarks/results/, and say what changed since the last time here.

python benchmarks/run.py                          measure and keep
python benchmarks/run.py --docs                   …and renew the tables in docs/benchmarks.md and docs/scaling.md
python benchmarks/run.py --docs --only simulator  …those of one group
python benchmarks/run.py --docs --stored FILE     renew the tables from a kept result, without measuring
"""

import argparse
import json
import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from swarmbed.benchmarks import Group, chosen, groups
from swarmbed.benchmarks.machine import processor_name
from swarmbed.benchmarks.table import renewed
from swarmbed.cli.commands.bench import measure
from swarmbed.spec.errors import SwarmbedError

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
DOCUMENTS = [HERE.parent / "docs" / name for name in ("benchmarks.md", "scaling.md")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions and batch sizes; less exact")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these groups or rows")
    parser.add_argument("--docs", action="store_true", help="renew the tables in docs")
    parser.add_argument("--stored", type=Path, metavar="FILE", help="take this kept result instead of measuring")
    options = parser.parse_args()
    what = chosen(options.only)
    stored = json.loads(options.stored.read_text()) if options.stored else None
    if options.docs:
        held = {name: [row.name for row in group.rows] for name, group in what.items()}
        check_whole({name: list(group["rows"]) for name, group in stored["groups"].items()} if stored else held)
    report = stored or measured(what, options.quick)
    if options.docs:
        renew(report)


def renew(report: dict[str, Any]) -> None:
    """Put every group's table where its mark is; one without a mark goes into the first document."""
    for name, group in report["groups"].items():
        marked = [document for document in DOCUMENTS if f"<!-- bench: {name} -->" in document.read_text()]
        for document in marked or DOCUMENTS[:1]:
            document.write_text(renewed(document.read_text(), report | {"groups": {name: group}}))
            print(f"renewed {name} in {document.relative_to(HERE.parent)}")


def check_whole(held: dict[str, list[str]]) -> None:
    """Only whole groups go into the documentation: half a table would hide what it lost."""
    for name, rows in held.items():
        missing = {row.name for row in groups()[name].rows} - set(rows)
        if missing:
            listed = ", ".join(sorted(missing))
            raise SwarmbedError(f"--docs needs whole groups, but these rows of {name} are missing: {listed}")


def measured(what: dict[str, Group], quick: bool) -> dict[str, Any]:
    """Measure, keep, and compare with the last result from such a machine."""
    machine = re.sub(r"[^a-z0-9]+", "-", processor_name().lower()).strip("-")
    earlier = sorted(RESULTS.glob(f"*_{machine}.json"))
    path = RESULTS / f"{datetime.now(UTC):%Y-%m-%dT%H%M%S}_{machine}.json"
    report = measure(what, quick=quick, path=path)
    if earlier:
        print(f"\nSince {earlier[-1].name}:", *changes(json.loads(earlier[-1].read_text()), report), sep="\n  ")
    print(f"\nkept in {path.relative_to(HERE.parent)}")
    return report


def changes(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """The first column of every row that both results have, then and now."""
    lines = []
    for name, group in after["groups"].items():
        column = groups()[name].columns[0]
        earlier = before["groups"].get(name, {"rows": {}})["rows"]
        for row, facts in group["rows"].items():
            then, now = earlier.get(row, {}).get(column.key), facts.get(column.key)
            if then and now:
                shown = f"{then:{column.format}} → {now:{column.format}} {column.heading}"
                lines.append(f"{row}: {shown} ({now / then - 1:+.0%})")
    return lines or ["nothing to compare"]


if __name__ == "__main__":
    try:
        main()
    except SwarmbedError as error:
        print(f"run.py: {error}", file=sys.stderr)
        sys.exit(2)
