"""Policies that leave swarmbed: as an ONNX model, as StableHLO, or as one C header for a robot.

    write(policy, "policy.onnx")              the suffix says which format
    describe(policy)                          what goes in and comes out, as plain data

Every format computes the same thing: the mean action of an agent from its local properties and its sets.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from swarmbed.export import c_header, onnx, stablehlo
from swarmbed.export.description import Description, describe
from swarmbed.export.function import TOLERANCE, Exported, Run, exported, largest_difference
from swarmbed.policy.policy import Policy
from swarmbed.spec.errors import SwarmbedError, choose
from swarmbed.spec.files import write_atomically

__all__ = ["FORMATS", "Description", "Written", "describe", "format_of", "write"]


@dataclass(frozen=True)
class Format:
    """How a policy becomes the content of a file, and how that content is run to verify it.

    ``open`` gives back a function that runs the content, or None if this machine has no way to.
    """

    suffix: str
    convert: Callable[[Exported, str], bytes]
    open: Callable[[Exported, bytes], Run | None]
    needs_sidecar: bool = False


FORMATS = {
    "onnx": Format(".onnx", onnx.convert, onnx.open_model),
    "stablehlo": Format(".stablehlo", stablehlo.convert, stablehlo.open_model, needs_sidecar=True),
    "c": Format(".h", c_header.convert, c_header.open_model),
}


@dataclass(frozen=True)
class Written:
    """The files of an export, and how far it was from JAX at most; None if it could not be run here."""

    files: tuple[Path, ...]
    difference: float | None
    description: Description


def format_of(path: str | Path) -> str:
    """The format that a file's name asks for."""
    for name, known in FORMATS.items():
        if Path(path).suffix == known.suffix:
            return name
    endings = ", ".join(f"{known.suffix} ({name})" for name, known in FORMATS.items())
    raise SwarmbedError(f"the extension of {path} names no format; use {endings}, or name the format")


def write(policy: Policy, path: str | Path, format: str | None = None) -> Written:
    """Convert, run the result beside the policy itself on random inputs, and only then write it."""
    path = Path(path)
    known = FORMATS[choose("format", format or format_of(path), tuple(FORMATS))]
    made = exported(policy)
    content = known.convert(made, path.stem)
    run = known.open(made, content)
    difference = None if run is None else largest_difference(made, run)
    if difference is not None and not difference <= TOLERANCE:
        raise SwarmbedError(
            f"the exported policy differs from the trained one by {difference:.2g} (more than {TOLERANCE:g}), "
            f"so {path} was not written"
        )
    if not known.needs_sidecar:
        write_atomically(path, content)
        return Written((path,), difference, made.description)
    beside = path.with_name(f"{path.name}.json")
    write_atomically(beside, made.description.as_json().encode())
    write_atomically(path, content)  # last, so it never exists without its description
    return Written((path, beside), difference, made.description)
