"""swarmbed list: what there is to choose from."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from rich.console import Console
from rich.table import Table

from swarmbed.cli.flags import Parser
from swarmbed.policy.files import notes_of
from swarmbed.policy.find import load_policy, shipped_policies
from swarmbed.spec import registry
from swarmbed.spec.settings import default_of
from swarmbed.tasks import make

SUMMARY = "List tasks, embeddings, algorithms, controllers and shipped policies"
EXAMPLE = """
swarmbed list
swarmbed list tasks
swarmbed list policies
"""


def run(argv: Sequence[str]) -> None:
    parser = Parser("list", SUMMARY, EXAMPLE)
    kinds = [*(family.folder for family in registry.FAMILIES), "policies"]
    parser.add_argument("what", nargs="?", choices=kinds, help="only this kind; everything when left out")
    chosen = parser.parse(argv).what
    console = Console()
    for family in registry.FAMILIES:
        if chosen in (None, family.folder):
            console.print(_family_table(family))
            if family is registry.tasks:
                console.print(_variant_table())
    if chosen in (None, "policies"):
        console.print(_policy_table())


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
            else f"sets: {', '.join(_observation_sets(spec))}"
        )
        table.add_row(name, summary, settings)
    return table


def _observation_sets(spec: Any) -> tuple[str, ...]:
    """What agents of a task can be made to sense."""
    choices = [f.metadata["choices"] for f in fields(spec) if f.name == "observation"]
    return choices[0] if choices else ()


def _variant_table() -> Table:
    table = Table(title="task variants", title_justify="left", title_style="bold", box=None, pad_edge=False)
    for heading in ("name", "agents", "what it stands for"):
        table.add_column(heading, overflow="fold")
    for name, (base, preset) in registry.tasks.variants.items():
        meaning = " ".join([base, *(f"{key}={value}" for key, value in preset.items())])
        table.add_row(name, str(make(name).num_agents), meaning)
    return table


def _policy_table() -> Table:
    """Policies inside the package; their score is the mean return of the last ten iterations of their training."""
    # Narrow gaps, so that names, which are there to be copied, and tasks stay in one line of 80 columns.
    table = Table(
        title="shipped policies",
        title_justify="left",
        title_style="bold",
        box=None,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    table.add_column("name", no_wrap=True)
    table.add_column("method")
    table.add_column("trained on", no_wrap=True)
    table.add_column("agents", justify="right", no_wrap=True)
    table.add_column("score", justify="right", no_wrap=True)
    for name, path in shipped_policies().items():
        notes = notes_of(path)
        task = load_policy(name).task
        score = f"{float(notes['score']):.1f}" if "score" in notes else ""
        table.add_row(name, notes.get("label", ""), registry.tasks.name_of(task), str(task.num_agents), score)
    return table
