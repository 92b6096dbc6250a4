"""swarmbed export: a trained policy as ONNX, StableHLO or C."""

import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from swarmbed.cli.flags import Parser
from swarmbed.evaluation.reports import check_output
from swarmbed.export import FORMATS, Written, format_of, write
from swarmbed.policy.find import load_policy
from swarmbed.policy.policy import Policy
from swarmbed.spec import registry
from swarmbed.spec.errors import SwarmbedError, choose

SUMMARY = "Export a trained policy to ONNX, StableHLO or a C header"
EXAMPLE = """
swarmbed export runs/first --format onnx --out policy.onnx
swarmbed export runs/first --out policy.h            # C99, for a robot; the extension names the format
"""


def run(argv: Sequence[str]) -> None:
    parser = Parser("export", SUMMARY, EXAMPLE)
    parser.add_argument("who", metavar="WHO", help="a run folder, a policy file or a shipped policy's name")
    parser.add_argument(
        "--format", metavar="FORMAT", help=f"one of: {', '.join(FORMATS)} (default: from the extension of --out)"
    )
    parser.add_argument("--out", metavar="FILE", help="file to write (default: WHO's name with the format's extension)")
    parser.add_argument(
        "--plugin",
        action="append",
        default=[],
        metavar="FILE.py",
        help="a file with the policy's task, embedding or network",
    )
    options = parser.parse(argv)
    for plugin in options.plugin:
        registry.load_plugin(plugin)
    format, path = _where(options.who, options.format, options.out)
    policy = _policy(options.who)
    console = Console(stderr=True)
    with console.status(f"converting to {format}") if console.is_terminal else console:
        written = write(policy, path, format)
    _report(written)


def _where(who: str, format: str | None, out: str | None) -> tuple[str, Path]:
    check_output(out, "--out")
    if format is not None:
        choose("format", format, tuple(FORMATS))
    if out is not None:
        return format or format_of(Path(out)), Path(out)
    if format is None:
        raise SwarmbedError(f"name a file with --out, or a format with --format: {', '.join(FORMATS)}")
    return format, Path(f"{Path(who).stem or 'policy'}{FORMATS[format].suffix}")


def _policy(who: str) -> Policy:
    if who in registry.controllers.all():
        raise SwarmbedError(f"{who!r} is a controller without weights; export needs a trained policy")
    return load_policy(who)


def _report(written: Written) -> None:
    description = written.description
    for path in written.files:
        print(f"wrote {path} ({path.stat().st_size / 1000:.0f} kB)")
    if written.difference is None:
        print("swarmbed: no C compiler found, so the header was not tested", file=sys.stderr)
    else:
        print(f"checked: it differs from the policy in JAX by {written.difference:.1g} at most")
    print(description.summary)
    if description.local:
        print(f"reads   local       {_names([column.name for column in description.local])}")
    for name, columns, slots in description.sets:
        how_many = "" if slots is None else f" × {slots}"
        print(f"reads   {name:<11} {_names([column.name for column in columns])}{how_many}")
    print(f"gives   {'action':<11} {_names([column.name for column in description.action])}, in units of [-1, 1]")


def _names(names: list[str]) -> str:
    return ", ".join(names)
