"""Writes docs/settings.md, the reference of all settings, from the code: ``python docs/make_settings.py``."""

from dataclasses import fields
from pathlib import Path
from typing import get_type_hints

from swarmbed.learn.learner import BatchSettings
from swarmbed.run.distributed import Cluster
from swarmbed.run.train import Outputs, RunSettings
from swarmbed.spec import registry
from swarmbed.spec.settings import default_of, describe, flag_name

PATH = Path(__file__).parent / "settings.md"


def table(spec: type) -> list[str]:
    """One row per setting."""
    hints = get_type_hints(spec)
    rows = ["| flag | setting | default | kind | meaning |", "|---|---|---|---|---|"]
    for field in fields(spec):
        value = default_of(field)
        shown = (
            " ".join(map(str, value))
            if isinstance(value, tuple)
            else f"{value:.6g}"
            if isinstance(value, float)
            else value
        )
        kind = " / ".join(field.metadata.get("choices") or ()) or describe(hints[field.name])
        meaning = field.metadata.get("help", "").replace("|", "\\|")
        rows.append(
            f"| `--{flag_name(field)}` | `{field.name}` | {'none' if value is None else shown} | {kind} | {meaning} |"
        )
    return rows if len(rows) > 2 else ["No settings."]


def text() -> str:
    lines = [
        "# Settings",
        "",
        "Made from the code by `python docs/make_settings.py`; a test fails when it is out of date.",
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
    parts = {"Batch and network": BatchSettings, "Run": RunSettings, "Output": Outputs, "Several machines": Cluster}
    for title, spec in parts.items():
        lines += ["", f"## {title}", "", *table(spec)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PATH.write_text(text())
