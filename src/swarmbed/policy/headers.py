"""What policy files say about themselves, read from their headers alone: no weights, no JAX."""

import json
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

from swarmbed.spec.errors import SwarmbedError


def shipped_policies() -> dict[str, Path]:
    """The policies inside the package, by name."""
    folder = Path(str(resources.files("swarmbed") / "policy" / "shipped"))
    return {path.stem: path for path in sorted(folder.glob("*.safetensors"))}


def header_of(path: Path) -> dict[str, str]:
    """The words in the header of a safetensors file: eight bytes of length, then JSON."""
    try:
        with path.open("rb") as file:
            words = json.loads(file.read(int.from_bytes(file.read(8), "little"))).get("__metadata__", {})
    except (OSError, ValueError, OverflowError, MemoryError, AttributeError) as error:
        raise SwarmbedError(f"file {path} is damaged or not a safetensors file ({error})") from error
    return {str(name): str(text) for name, text in words.items()}


def settings_of(path: Path) -> dict[str, dict[str, Any]]:
    """The settings that a policy was trained with, by section, as its file has them."""
    return tomllib.loads(header_of(path)["config"])


def notes_of(path: Path) -> dict[str, str]:
    """What a policy file's header says besides its settings."""
    return {name: text for name, text in header_of(path).items() if name not in ("format", "config", "sha256")}
