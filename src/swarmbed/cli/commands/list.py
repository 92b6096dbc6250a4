"""swarmbed list: what there is to choose from. It reads files instead of importing them, so it answers at once."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from swarmbed.cli.flags import Parser
from swarmbed.policy.headers import notes_of, settings_of, shipped_policies
from swarmbed.spec import registry, source
from swarmbed.spec.settings import default_of
from swarmbed.study.published import champions

SUMMARY = "List tasks, embeddings, networks, algorithms, controllers and shipped policies"
EXAMPLE = """
swarmbed list
swarmbed list tasks
swarmbed list policies
"""
WHOLE = ("name", "trained on")  # columns whose words must not be broken
NARROW = 72  # columns below which a table becomes a list


class Listing(NamedTuple):
    """A title, headings and rows of words; columns that are named in ``numbers`` are numbers."""

    title: str
    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    numbers: tuple[str, ...] = ()


def run(argv: Sequence[str]) -> None:
    parser = Parser("list", SUMMARY, EXAMPLE)
    kinds = [*(family.folder for family in registry.FAMILIES), "policies"]
    parser.add_argument("what", nargs="?", choices=kinds, help="only this kind (default: everything)")
    chosen = parser.parse(argv).what
    console = Console(highlight=False)
    for family in registry.FAMILIES:
        if chosen in (None, family.folder):
            show(family_listing(family), console)
            if family is registry.tasks:
                show(variant_listing(), console)
    if chosen in (None, "policies"):
        show(policy_listing(), console)
        show(champion_listing(), console)


def show(listing: Listing, console: Console) -> None:
    """A table or, where the terminal is too narrow for one, every entry under its name."""
    console.print(Text(listing.title, style="bold"))
    if console.width < NARROW:
        for name, *rest in listing.rows:
            console.print(Text(name), soft_wrap=True)
            for heading, words in zip(listing.headings[1:], rest, strict=True):
                if words:
                    labelled = words if heading == "what it is" else f"{heading}: {words}"
                    console.print(Padding(Text(labelled), (0, 0, 0, 2)))
        console.print()
        return
    # Narrow gaps: names, which are meant to be copied, should fit on one line of 80 columns.
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in listing.headings:
        is_number = heading in listing.numbers
        table.add_column(heading, justify="right" if is_number else "left", overflow="fold", no_wrap=heading in WHOLE)
    for row in listing.rows:
        table.add_row(*map(Text, row))
    console.print(table)
    console.print()


def family_listing(family: registry.Family) -> Listing:
    """Name, one sentence, settings; for tasks, which have dozens of settings, the observation sets."""
    rows = []
    for name, (summary, settings, choices) in _members(family).items():
        if family is registry.tasks:
            rows.append((name, summary, ", ".join(choices.get("observation", ()))))
        else:
            rows.append((name, summary, ", ".join(f"{setting}={value}" for setting, value in settings.items())))
    return Listing(family.folder, ("name", "what it is", "senses" if family is registry.tasks else "settings"), rows)


def _members(family: registry.Family) -> dict[str, tuple[str, dict[str, Any], dict[str, tuple[str, ...]]]]:
    if not source.has_installed(family.folder) and not family.loaded:
        found = source.members(family.folder, family.root or family.base)
        return {name: (kind.summary, kind.settings, kind.choices) for name, kind in found.items()}
    described = {}
    for name, kind in family.all().items():  # what other packages bring along is only known once it is imported
        declared = getattr(kind, "__dataclass_fields__", {}).values()
        summary = (kind.__doc__ or "").strip().splitlines() or [""]
        choices = {field.name: field.metadata.get("choices") or () for field in declared}
        described[name] = (summary[0], {field.name: default_of(field) for field in declared}, choices)
    return described


def variant_listing() -> Listing:
    known = source.members(registry.tasks.folder, registry.tasks.base)
    rows = []
    for name, (base, preset) in source.constant("swarmbed.tasks", "VARIANTS").items():
        agents = preset.get("num_agents", known[base].settings["num_agents"])
        meaning = " ".join([base, *(f"{key}={value}" for key, value in preset.items() if key != "num_agents")])
        rows.append((name, str(agents), meaning))
    return Listing("task variants", ("name", "agents", "stands for"), rows, ("agents",))


def policy_listing() -> Listing:
    """Policies inside the package; their return is the mean of the last ten iterations of their training."""
    rows = []
    for name, path in shipped_policies().items():
        notes, task = notes_of(path), settings_of(path)["task"]
        score = f"{float(notes['score']):.1f}" if "score" in notes else ""
        rows.append((name, notes.get("label", ""), str(task["name"]), str(task["num_agents"]), score))
    headings = ("name", "method", "trained on", "agents", "return")
    return Listing("shipped policies", headings, rows, ("agents", "return"))


def champion_listing() -> Listing:
    """The best shipped policy of every task on the published leaderboard, and the best classical controller there."""
    rows = [(c.name, str(c.agents), c.score, f"{c.rival} {c.rival_score}") for c in champions()]
    title = "champions: return on the leaderboard, and where the swarm ends"
    return Listing(title, ("name", "agents", "reaches", "best controller"), rows, ("agents",))
