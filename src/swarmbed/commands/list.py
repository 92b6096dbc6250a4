"""swarmbed list: what there is to choose from."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from rich.console import Console
from rich.table import Table

from swarmbed import registry
from swarmbed.flags import Parser
from swarmbed.settings import default_of
from swarmbed.tasks import VARIANTS, make_task

SUMMARY = "List tasks, embeddings, algorithms, controllers"
EXAMPLE = """
swarmbed list
swarmbed list tasks
"""


def run(argv: Sequence[str]) -> None:
    parser = Parser("list", SUMMARY, EXAMPLE)
    kinds = [family.folder for family in registry.FAMILIES]
    parser.add_argument("what", nargs="?", choices=kinds, help="only this kind; everything when left out")
    chosen = parser.parse(argv).what
    console = Console()
    for family in registry.FAMILIES:
        if chosen in (None, family.folder):
            console.print(_family_table(family))
            if family is registry.tasks:
                console.print(_variant_table())


def _family_table(family: registry.Family) -> Table:
    table = Table(title=family.folder, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for heading in ("name", "what it is", "settings"):
        table.add_column(heading, overflow="fold")
    spec: Any
    for name, spec in family.all().items():
        summary = (spec.__doc__ or "").strip().splitlines()[0]
        settings = (
            ", ".join(f"{f.name}={default_of(f)}" for f in fields(spec))
            if family is not registry.tasks
            else (f"sets: {', '.join(spec.observation_sets)}")
        )
        table.add_row(name, summary, settings)
    return table


def _variant_table() -> Table:
    table = Table(title="task variants", title_justify="left", title_style="bold", box=None, pad_edge=False)
    for heading in ("name", "agents", "what it stands for"):
        table.add_column(heading, overflow="fold")
    for name, (base, preset) in VARIANTS.items():
        meaning = " ".join([base, *(f"{key}={value}" for key, value in preset.items())])
        table.add_row(name, str(make_task(name).num_agents), meaning)
    return table
