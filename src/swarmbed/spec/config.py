"""The settings of a run as TOML: enough to run it again, and what a policy file says about itself."""

import tomllib
from pathlib import Path
from typing import Any

import tomli_w

from swarmbed.algorithms.base import Algorithm
from swarmbed.embeddings.base import Embedding
from swarmbed.learn.learner import BatchSettings, Learner
from swarmbed.spec import registry
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.settings import as_dict, build
from swarmbed.tasks import make_task
from swarmbed.tasks.base import Task

SECTIONS = ("task", "embedding", "algorithm", "batch", "run")
Config = dict[str, dict[str, Any]]


def learner_to_config(learner: Learner) -> Config:
    """Every setting of a learner, by section."""
    return {
        "task": {"name": registry.tasks.name_of(learner.task), **as_dict(learner.task)},
        "embedding": {"name": registry.embeddings.name_of(learner.embedding), **as_dict(learner.embedding)},
        "algorithm": {"name": registry.algorithms.name_of(learner.algorithm), **as_dict(learner.algorithm)},
        "batch": as_dict(learner.batch),
    }


def config_to_learner(config: Config) -> Learner:
    """A learner from settings by section; what is left out has its default."""
    return Learner(
        task_from(config.get("task", {})),
        embedding_from(config.get("embedding", {})),
        algorithm_from(config.get("algorithm", {})),
        build(BatchSettings, config.get("batch", {}), "section [batch]"),
    )


def task_from(section: dict[str, Any]) -> Task:
    name, settings = _named(section, "rendezvous")
    return make_task(name, **settings)


def embedding_from(section: dict[str, Any]) -> Embedding:
    name, settings = _named(section, "neural")
    spec: type[Embedding] = registry.embeddings.get(name)
    return build(spec, settings, f"embedding {name!r}")


def algorithm_from(section: dict[str, Any]) -> Algorithm:
    name, settings = _named(section, "trpo")
    spec: type[Algorithm] = registry.algorithms.get(name)
    return build(spec, settings, f"algorithm {name!r}")


def _named(section: dict[str, Any], default: str) -> tuple[str, dict[str, Any]]:
    settings = dict(section)
    return str(settings.pop("name", default)), settings


def parse(text: str, what: str) -> Config:
    """TOML with known sections only."""
    try:
        config = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SwarmbedError(f"{what} is not valid TOML: {error}") from error
    for section, values in config.items():
        if section not in SECTIONS:
            raise SwarmbedError(f"{what} has no section [{section}]; it may have: {', '.join(SECTIONS)}")
        if not isinstance(values, dict):
            raise SwarmbedError(f"{what}: {section} must be a section [{section}], not a single value")
    return config


def read(path: Path) -> Config:
    if not path.is_file():
        raise SwarmbedError(f"configuration file {path} does not exist")
    return parse(path.read_text(), f"configuration file {path}")


def dump(config: Config) -> str:
    return tomli_w.dumps(config)


def merged(base: Config, override: Config) -> Config:
    """Settings of ``override`` over those of ``base``. Another name in a section starts that section anew."""
    result = {section: dict(values) for section, values in base.items()}
    for section, values in override.items():
        old = result.get(section, {})
        renamed = "name" in values and values["name"] != old.get("name", values["name"])
        result[section] = dict(values) if renamed else {**old, **values}
    return result
