"""Writes docs/settings.md, the reference of all settings, from the code: ``python docs/make_settings.py``."""

from dataclasses import Field, fields
from pathlib import Path
from typing import Any

from swarmbed.cli.commands.train import Pictures
from swarmbed.controllers.base import Controller
from swarmbed.learn.learner import BatchSettings
from swarmbed.run.distributed import Cluster
from swarmbed.run.settings import Outputs, RunSettings
from swarmbed.spec import registry
from swarmbed.spec.settings import allowed, default_of, flag_name, type_hints
from swarmbed.tasks.disturbances.settings import GROUP
from swarmbed.tasks.swarm import SwarmTask

PATH = Path(__file__).parent / "settings.md"
PARTS = {
    "Batch": BatchSettings,
    "Run": RunSettings,
    "Output": Outputs,
    "Pictures": Pictures,
    "Several machines": Cluster,
}


def table(spec: type, group: str | None = None) -> list[str]:
    """One row per setting of a group; what is allowed is what the check allows."""
    hints = type_hints(spec)
    rows = ["| flag | setting | default | allowed | meaning |", "|---|---|---|---|---|"]
    for field in fields(spec):
        if field.metadata.get("group") != group:
            continue
        cells = [
            f"`{on_the_command_line(spec, field)}`",
            f"`{field.name}`",
            shown(default_of(field)),
            allowed(field, hints[field.name]),
            field.metadata.get("help", ""),
        ]
        rows.append("| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |")
    return rows if len(rows) > 2 else ["No settings."]


def on_the_command_line(spec: type, field: Field[Any]) -> str:
    """A controller's settings have one flag, which is repeated."""
    return f"--gain {field.name}=…" if issubclass(spec, Controller) else f"--{flag_name(field)}"


def shown(value: Any) -> str:
    """A default as the command line shows it."""
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    if isinstance(value, float):
        return f"{value:.6g}"
    return "none" if value is None else str(value)


def text() -> str:
    lines = [
        "# Settings",
        "",
        "Made from the code by `python docs/make_settings.py`; a test fails when it is out of date. A setting is a",
        "flag on the command line and a field in Python and in `config.toml`. *Left out* is None in Python.",
    ]
    for family in registry.FAMILIES:
        for name, spec in family.all().items():
            lines += [
                "",
                f"## {family.kind} `{name}`",
                "",
                (spec.__doc__ or "").strip().splitlines()[0],
                "",
                *table(spec),
            ]
    lines += [
        "",
        "## Disturbances",
        "",
        "Settings of every swarm task, beside its own. A range such as `0..0.3` draws one strength for every episode;",
        "`swarmbed stress` sweeps them. See [robustness](robustness.md).",
        "",
        *table(SwarmTask, GROUP),
    ]
    for title, spec in PARTS.items():
        lines += ["", f"## {title}", "", *table(spec)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PATH.write_text(text())
