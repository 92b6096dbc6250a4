"""Results as tables: for a terminal, and in Markdown for the documentation."""

from typing import Any

from rich.console import Console
from rich.table import Table

from swarmbed.benchmarks import Group, groups
from swarmbed.benchmarks.machine import sentences
from swarmbed.evaluation.reports import plain_table
from swarmbed.spec.errors import SwarmbedError

END, OTHERS = "<!-- end -->", "<!-- bench: others -->"
TITLE_WIDTH = 14  # the least that a title can be folded to
FILE_WIDTH = 240
BUSY_SHARE = 0.9  # less of the core than this means that another process was running on it


def terminal_table(group: Group, rows: dict[str, dict[str, Any]]) -> Table:
    """One line per row that was measured."""
    measured = [facts for facts in rows.values() if problem(facts) is None]
    table = plain_table()
    table.padding = (0, 1, 0, 0)
    table.add_column("", min_width=TITLE_WIDTH)
    columns = []
    for column in group.columns:
        cells = [column.show(facts) for facts in measured]
        # A heading wider than its numbers is broken into words to fit more columns.
        fits = len(column.heading) <= max(map(len, cells), default=0)
        heading = column.heading if fits else column.heading.replace(" ", "\n")
        table.add_column(heading, justify="right", no_wrap=True)
        columns.append(cells)
    for facts, *cells in zip(measured, *columns, strict=True):
        table.add_row(facts["title"], *cells)
    return table


def print_table(group: Group, rows: dict[str, dict[str, Any]]) -> None:
    """Print a group's table; in a window too narrow for it, lines run over rather than lose columns."""
    table, wide = terminal_table(group, rows), Console(width=FILE_WIDTH)
    console = Console() if Console().is_terminal else wide
    console.width = max(console.width, wide.measure(table).minimum)
    console.print(group.title, style="bold", highlight=False)
    console.print(table, highlight=False)


def markdown_table(group: Group, rows: dict[str, dict[str, Any]]) -> str:
    lines = [
        "| | " + " | ".join(column.heading for column in group.columns) + " |",
        "|---|" + "---:|" * len(group.columns),
    ]
    for facts in rows.values():
        cells = [facts["title"], *(column.show(facts) for column in group.columns)]
        if problem(facts) is not None:
            cells[1:] = ["not measured", *[""] * (len(group.columns) - 1)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def renewed(document: str, report: dict[str, Any]) -> str:
    """A Markdown document with the tables of a report in place of those between its marks.

    The table of the group ``simulator`` stands between ``<!-- bench: simulator -->`` and the next ``<!-- end -->``.
    A group that has no such place gets a section of its own before ``<!-- bench: others -->``.
    """
    for name, result in report["groups"].items():
        group, mark = groups()[name], f"<!-- bench: {name} -->\n"
        if mark not in document:
            if OTHERS not in document:
                raise SwarmbedError(f"the document has no place for {name!r}: neither {mark.strip()} nor {OTHERS}")
            document = document.replace(OTHERS, f"## {group.title}\n\n{group.note}\n\n{mark}{END}\n\n{OTHERS}")
        before, _, rest = document.partition(mark)
        _, ended, after = rest.partition(END)
        if not ended:
            raise SwarmbedError(f"the document has {mark.strip()} without {END} after it")
        remark = " ".join(f"{line}." for line in [provenance(report), *remarks(result["rows"])])
        document = f"{before}{mark}\n{markdown_table(group, result['rows'])}\n\n{remark}\n\n{END}{after}"
    return document


def provenance(report: dict[str, Any]) -> str:
    """Where and when a report was made."""
    quick = ", quick" if report["quick"] else ""
    when = f"swarmbed {report['swarmbed']}, {report['started'][:10]}, {report['repetitions']} repetitions{quick}"
    return "Measured on " + "; ".join([*sentences(report["machine"]), when])


def problem(facts: dict[str, Any]) -> str | None:
    """Why a row has no numbers, if it has none."""
    return facts.get("failed") or facts.get("unavailable")


def remarks(rows: dict[str, dict[str, Any]]) -> list[str]:
    """What a reader of the table must know: rows without numbers, and rows that had to share their core."""
    found = [f"{facts['title']}: not measured; {problem(facts)}" for facts in rows.values() if problem(facts)]
    shared = [facts for facts in rows.values() if facts.get("cores") == 1 and facts.get("core_share", 1.0) < BUSY_SHARE]
    if shared:
        least = min(facts["core_share"] for facts in shared)
        names = ", ".join(facts["title"] for facts in shared)
        found.append(
            f"Too low, except per CPU s: other processes used the core (we had {least:.0%} of it at worst): {names}"
        )
    unconfined = [facts["title"] for facts in rows.values() if facts.get("pinned", ()) is None]
    if unconfined:
        found.append(f"Not confined to a core, which this system does not offer: {', '.join(unconfined)}")
    return found
