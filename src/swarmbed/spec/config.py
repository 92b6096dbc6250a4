"""Settings by section, as TOML: enough to run something again, and what a policy file says about itself.

Each section holds the settings of one spec; those of a plug-in family also its name. This is the one place where specs
become sections and sections become specs.
"""

import hashlib
import tomllib
from pathlib import Path
from typing import Any

import tomli_w

from swarmbed.spec import registry
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.settings import as_dict

SECTIONS = ("task", "embedding", "network", "algorithm", "batch", "run")
DEFAULTS = {"task": "rendezvous", "embedding": "neural", "network": "perceptron", "algorithm": "trpo"}
SEAL = "# as swarmbed wrote it, sha256 of the rest:"
Config = dict[str, dict[str, Any]]


def to_sections(specs: dict[str, Any]) -> Config:
    """Every setting of specs by section name."""
    return {section: _section(section, spec) for section, spec in specs.items()}


def _section(section: str, spec: Any) -> dict[str, Any]:
    name = {"name": _family(section).name_of(spec)} if section in DEFAULTS else {}
    # An object from another library has settings of its own that we cannot see.
    return name | (as_dict(spec) if getattr(spec, "module", None) is None else {})


def spec_from(config: Config, section: str) -> Any:
    """The spec behind the section of a plug-in family; what is left out has its default."""
    settings = dict(config.get(section, {}))
    name = settings.pop("name", DEFAULTS[section])
    if not isinstance(name, str):
        raise SwarmbedError(f"section [{section}]: name must be a word, not {name!r}")
    return _family(section).make(name, settings)


def _family(section: str) -> registry.Family:
    return next(family for family in registry.FAMILIES if family.kind == section)


def parse(text: str, what: str) -> Config:
    """TOML with known sections only."""
    try:
        config = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also numbers of thousands of digits and endless nesting
        reason = (
            str(error) if isinstance(error, tomllib.TOMLDecodeError) else "it holds a value that no setting can have"
        )
        raise SwarmbedError(f"{what} is not valid TOML: {reason}") from error
    for section, values in config.items():
        if section not in SECTIONS:
            raise SwarmbedError(f"{what} has no section [{section}]; it may have: {', '.join(SECTIONS)}")
        if not isinstance(values, dict):
            raise SwarmbedError(f"{what}: {section} must be a section [{section}], not a single value")
    return modernised(config)


def modernised(config: Config) -> Config:
    """Settings that an earlier version kept elsewhere, in their place: up to 0.1, ``hidden`` was in [batch]."""
    batch = dict(config.get("batch", {}))
    if "hidden" not in batch:
        return config
    network = {"hidden": batch.pop("hidden")} | config.get("network", {})
    return config | {"network": network} | ({"batch": batch} if batch else {})


def read(path: Path) -> Config:
    if not path.is_file():
        raise SwarmbedError(f"configuration file {path} does not exist")
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise SwarmbedError(f"configuration file {path} is damaged: byte {error.start} is not UTF-8 text") from error
    return parse(text, f"configuration file {path}")


def dump(config: Config) -> str:
    return tomli_w.dumps(config)


def sealed(text: str) -> str:
    """A configuration under its own checksum, in a comment. It comes first, so truncating the file does not remove
    it."""
    return f"{SEAL} {hashlib.sha256(text.encode()).hexdigest()}\n{text}"


def seal_holds(text: str) -> bool | None:
    """Whether a text is what :func:`sealed` made; None where there is no seal, as in files of version 0.1."""
    first, _, rest = text.partition("\n")
    if not first.startswith("#") and SEAL not in text:
        return None
    return text == sealed(rest)


def merged(base: Config, override: Config) -> Config:
    """Settings of ``override`` over those of ``base``. Another name in a section replaces that section."""
    result = {section: dict(values) for section, values in base.items()}
    for section, values in override.items():
        old = result.get(section, {})
        renamed = "name" in values and values["name"] != old.get("name", values["name"])
        result[section] = dict(values) if renamed else {**old, **values}
    return result
