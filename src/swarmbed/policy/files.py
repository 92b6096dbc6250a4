"""Policy files: one safetensors file with the weights, and the settings as TOML in its header."""

import re
from pathlib import Path

import jax
import jax.numpy as jnp

from swarmbed.algorithms.base import PolicyParams
from swarmbed.networks.base import as_network
from swarmbed.policy.policy import Policy
from swarmbed.spec import config, files, registry
from swarmbed.spec.errors import SwarmbedError

FORMAT = "swarmbed-policy-2"
EARLIER = ("swarmbed-policy-1",)


def save_policy(policy: Policy, path: Path, notes: dict[str, str] | None = None) -> None:
    """Write a policy; ``notes`` go into the header."""
    metadata = {"format": FORMAT, "config": config.dump(config.to_sections(policy.specs)), **(notes or {})}
    files.save_arrays(path, files.tree_to_arrays(policy.params), metadata)


def load_policy_file(path: Path) -> Policy:
    """Read a policy; a file that is missing, damaged or something else says so."""
    arrays, metadata = files.load_arrays(path)
    if metadata.get("format") in EARLIER:
        arrays = {modern_name(name): value for name, value in arrays.items()}
    elif metadata.get("format") != FORMAT:
        raise SwarmbedError(f"file {path} is not a policy that this version of swarmbed reads ({FORMAT})")
    settings = config.parse(metadata["config"], f"the header of {path}")
    for family in (registry.tasks, registry.embeddings, registry.networks):
        name = settings.get(family.kind, {}).get("name", config.DEFAULTS[family.kind])
        if name not in family.names():
            raise SwarmbedError(
                f"file {path} was trained with the {family.kind} {name!r}, which is not part of swarmbed; load the "
                "file that defines it with --plugin FILE.py or, in Python, swarmbed.register(the class)"
            )
    task, embedding = config.spec_from(settings, "task"), config.spec_from(settings, "embedding")
    network = as_network(config.spec_from(settings, "network"))
    model = network.model(task.layout, embedding, task.action_size)
    template = jax.eval_shape(lambda: PolicyParams(model.init(jax.random.key(0)), jnp.zeros(task.action_size)))
    return Policy(task, embedding, files.arrays_to_tree(template, arrays, f"file {path}"), network)


def modern_name(name: str) -> str:
    """Arrays were called ``head.layer0.weight`` in the first format; layers and sets are just numbered now."""
    return re.sub(r"\b(?:layer|set)(\d+)\b", r"\1", name)


def notes_of(path: Path) -> dict[str, str]:
    """What a policy file's header says besides its settings."""
    metadata: dict[str, str] = files.load_arrays(path)[1]
    return {name: text for name, text in metadata.items() if name not in ("format", "config")}
